import BundleReading
import Testing

@testable import HostBasics
@_spi(Tools) @testable import PluginHost

@Suite struct SearchPathTests {
    private func paths(_ variables: [String: String], program: String = "/opt/w/bin/w", builtIn: String? = nil)
        -> [String]
    {
        SearchEnvironment(UserDirectories { variables[$0] }, program: program, builtInPlugIns: builtIn).searchPaths(
            for: "my-app")
    }

    private let machine = BundleLayout.machine

    @Test func theStandardPathsAreTheUsersTheSystemsTheDistributionsAndTheProgramsOwn() {
        #expect(
            paths(["HOME": "/home/u"], builtIn: "/opt/w/PlugIns") == [
                "/home/u/.local/share/my-app/plugins", "/usr/local/share/my-app/plugins", "/usr/share/my-app/plugins",
                "/usr/local/lib/my-app/plugins", "/usr/lib/\(machine)-linux-gnu/my-app/plugins",
                "/usr/lib64/my-app/plugins", "/usr/lib/my-app/plugins",
                "/opt/w/lib/\(machine)-linux-gnu/my-app/plugins", "/opt/w/lib/my-app/plugins", "/opt/w/bin/Plugins",
                "/opt/w/PlugIns",
            ])
    }

    @Test func xdgVariablesReplaceTheirDefaultsAndRelativePathsDoNotCount() {
        let found = paths(["HOME": "/home/u", "XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "/x:relative:/y/"])
        #expect(
            found.prefix(4) == [
                "/data/my-app/plugins", "/x/my-app/plugins", "/y/my-app/plugins", "/usr/local/lib/my-app/plugins",
            ])
        #expect(paths(["HOME": "/home/u", "XDG_DATA_HOME": "data"])[0] == "/home/u/.local/share/my-app/plugins")
    }

    @Test func theOverrideReplacesAllAndItsEmptyElementMeansThem() {
        #expect(paths(["MY_APP_PLUGIN_PATH": "/one:/two/:/one"]) == ["/one", "/two"])
        let around = paths(["HOME": "/home/u", "MY_APP_PLUGIN_PATH": "/first::/last"])
        #expect(around.first == "/first" && around.last == "/last")
        #expect(around[1] == "/home/u/.local/share/my-app/plugins")
        #expect(SearchEnvironment.overrideName(of: "org.é x9") == "ORG___X9_PLUGIN_PATH")
    }

    @Test(.fault(811)) func anElementThatIsRelativeOrHasTwoDotsIsNotDropped() {
        let found = paths(["MY_APP_PLUGIN_PATH": "/usr/bin/../lib:../nowhere-at-all:/nowhere/../at-all"])
        #expect(found.count == 3 && found[0] == Path.resolved("/usr/lib"))
        #expect(found[1].hasPrefix("/") && found[1].hasSuffix("nowhere-at-all"))
        #expect(found[2] == "/nowhere/../at-all")
    }

    @Test func eachPathIsThereOnce() {
        let found = paths(["HOME": "/home/u", "XDG_DATA_DIRS": "/usr/share:/usr/share/"], program: "/usr/bin/w")
        #expect(Set(found).count == found.count)
    }

    @Test func anApplicationsNameThatIsAPathIsAMistakeOfTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = PluginCatalog.standardSearchPaths(for: "../x") }
    }

    /// Both name directories, and plug-ins would not find what is stored for them.
    @Test func anotherNameThanThatOfTheEnvironmentIsLoggedOnce() async {
        await #expect(processExitsWith: .success) {
            let messages = Lock<[String]>([])
            HostEnvironment.current.log = { record in messages.withLock { $0.append(record.message) } }
            HostEnvironment.current.name = "same-name"
            _ = PluginCatalog(application: "same-name", options: .init(index: .none))
            let none = messages.withLock { $0.isEmpty }
            #expect(none)
            for _ in 1...2 { _ = PluginCatalog(application: "other-name", options: .init(index: .none)) }
            let all = messages.withLock { $0 }
            #expect(all.count == 1 && all[0].contains("“other-name”, but HostEnvironment.current.name is “same-name”"))
        }
    }
}
