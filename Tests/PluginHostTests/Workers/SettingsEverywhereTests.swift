import Dispatch
import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import SettingsReading
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@testable import PluginWorkers

/// One suite for the three places where a plug-in runs: the settings are the same.
///
/// Each test runs in a process of its own, because it changes the environment.
@Suite(.timeLimit(.minutes(5))) struct SettingsEverywhereTests {
    private static let places = OtherUser.canConfine ? ["any", "isolated", "sandboxed"] : ["any", "isolated"]

    /// A plug-in with a Settings.bundle, and the directories of all layers.
    private struct Plugin {
        let plugin: GadgetPlugin
        let gadget: any Gadget

        init(_ place: String, storesSettings: Bool = false) throws {
            plugin = try GadgetPlugin(execution: place, storesSettings: storesSettings)
            HostEnvironment.current.name = "Keeper"
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            for (variable, directory) in [
                ("XDG_CONFIG_HOME", "home"), ("XDG_CONFIG_DIRS", "etc"), ("XDG_DATA_DIRS", "data"),
            ] { setenv(variable, plugin.directory.path + "/" + directory, 1) }
            let folder = plugin.bundle.bundlePath + "/Contents/Resources/Settings.bundle"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(SettingsSource.root().utf8).write(to: URL(filePath: folder + "/Root.plist"))
            gadget = try plugin.make()
        }

        func perform(_ what: String) throws -> String { try gadget.perform("settings " + what) }

        func path(_ layer: String) -> String {
            plugin.directory.path + "/\(layer)/Keeper/settings/org.example.Gadget.plist"
        }

        func write(_ layer: String, _ list: String) throws {
            let path = path(layer)
            try FileManager.default.createDirectory(atPath: Path.parent(path), withIntermediateDirectories: true)
            try FileReplacement().replace(path, with: Array(list.utf8))
        }

        /// Waits until the plug-in sees something.
        func sees(_ what: String, _ expected: String) throws -> Bool {
            let wait = Wait(atMost: .seconds(5))
            while try perform(what) != expected { guard wait.sleep() else { return false } }
            return true
        }
    }

    @Test(arguments: places) func aPlugInReadsAndStoresItsSettingsWithoutAPermission(_ place: String) async {
        await #expect(processExitsWith: .success) { [place = place as String] in
            let plugin = try Plugin(place)
            let isHere = try plugin.gadget.process() == getpid()
            let long = String(repeating: "x", count: 16 << 10)
            #expect(isHere == (place == "any"))
            #expect(try plugin.perform("all") == "0.5 false 3  low")
            // Another process writes.
            try plugin.write("home", "{ Settings = { rate = 0.25; voice = high; name = Ada; }; }")
            #expect(try plugin.sees("all", "0.25 false 3 Ada high"))
            // The plug-in reads what it has just stored.
            #expect(try plugin.perform("set rate 0.75") == "0.75")
            let settings = try #require(try plugin.plugin.bundle.settings)
            #expect(settings[.rate] == 0.75)
            let stored = try String(contentsOfFile: plugin.path("home"), encoding: .utf8)
            #expect(stored.contains("<real>0.75</real>"))
            // The application stores, and sets a value for this run.
            try settings.set(.rate, to: 0.125)
            #expect(try plugin.sees("all", "0.125 false 3 Ada high"))
            settings.overrides["count"] = .integer(8)
            #expect(try plugin.sees("all", "0.125 false 8 Ada high"))
            #expect(try plugin.perform("reset") == "0.5")
            // On a thread of its own, too.
            #expect(try plugin.perform("set-elsewhere rate 0.75") == "0.75" && settings[.rate] == 0.75)
            #expect(try plugin.perform("set-elsewhere rate 3").contains("Use a number from 0.0 to 1.0."))
            #expect(try plugin.perform("set-elsewhere name \(long)") == "0.75" && settings[.name] == long)
            #expect(plugin.plugin.bundle.unload())
        }
    }

    @Test(.fault(570, 578), arguments: places) func aRefusalIsTheSameEverywhere(_ place: String) async {
        await #expect(processExitsWith: .success) { [place = place as String] in
            let plugin = try Plugin(place)
            #expect(
                try plugin.perform("set rate 3").contains(
                    "“rate” cannot have the value “3.0”. Use a number from 0.0 to 1.0."))
            #expect(try plugin.perform("set none 3").contains("does not declare the setting “none”"))
            #expect(try plugin.perform("set password x").contains("is secret"))
            #expect(try plugin.perform("set-name 20000").contains("a text of at most 16384 bytes"))
            // A megabyte as a value, and as a key; the message is short.
            for what in ["set-name 1000000", "long-key 1000000"] {
                let refusal = try plugin.perform(what)
                #expect(refusal.utf8.count < 2_000 && refusal.contains("…"), "\(what): \(refusal.prefix(200))")
            }
            #expect(!FileManager.default.fileExists(atPath: plugin.path("home")))
            // Forged writes wait, and write nothing.
            let time = try ContinuousClock().measure { _ = try plugin.perform("many 30") }
            #expect(time > .milliseconds(300))
            #expect(!FileManager.default.fileExists(atPath: plugin.path("home")))
            guard geteuid() == 0 else { return }
            try plugin.write("etc", "{ Settings = { rate = 0.3; }; Locked = ( rate ); }")
            #expect(chmod(plugin.path("etc"), 0o644) == 0)
            #expect(try plugin.perform("set rate 0.1").contains("The administrator has locked the setting “rate”"))
            #expect(try plugin.sees("all", "0.3 false 3  low"))
        }
    }

    /// In a worker, these run on the thread that acts on the host's messages, and on one without a call of the host.
    @Test(.fault(577), arguments: places) func theEntryAnObserverAndTheDeactivationMayStore(_ place: String) async {
        await #expect(processExitsWith: .success) { [place = place as String] in
            let plugin = try Plugin(place, storesSettings: true)
            let settings = try #require(try plugin.plugin.bundle.settings)
            #expect(settings[.count] == 11)
            #expect(try plugin.sees("all", "0.5 false 11  low"))
            try settings.set(.on, to: true)
            #expect(try plugin.sees("all", "0.5 true 13  low"))
            #expect(settings[.count] == 13)
            #expect(plugin.plugin.bundle.unload())
            #expect(settings[.count] == 12)
        }
    }

    /// As fast as it can, in eight calls and on eight threads of its own.
    @Test(.fault(578)) func aFloodOfForgedChangesIsAnsweredAtThePaceAndCostsTheHostLittle() async {
        await #expect(processExitsWith: .success) {
            let plugin = try Plugin("isolated")
            // In microseconds of a processor, as POSIX demands.
            let before = clock(), start = ContinuousClock.now
            let gadget = plugin.gadget
            let answered = Lock(0)
            let calls = DispatchGroup()
            for call in 0..<8 {
                DispatchQueue(label: "call \(call)").async(group: calls) {
                    do {
                        let count = try #require(Int(try gadget.perform("settings flood")))
                        answered.withLock { $0 += count }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            #expect(calls.wait(timeout: .now() + 30) == .success)
            let time = Double(clock() - before) / 1e6
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            // Those that need not wait, and 20 in each second.
            let count = answered.withLock(\.self)
            #expect(count > 20 && count <= 21 + Int(20 * seconds), "\(count) in \(seconds) s")
            #expect(time < 1, "\(time) seconds of the host")
            #expect(!FileManager.default.fileExists(atPath: plugin.path("home")))
            // Afterwards it may store again.
            #expect(try plugin.perform("set rate 0.75") == "0.75")
        }
    }

    @Test(.fault(580), arguments: places) func longTextsArriveWhole(_ place: String) async {
        await #expect(processExitsWith: .success) { [place = place as String] in
            let plugin = try Plugin(place)
            let settings = try #require(try plugin.plugin.bundle.settings)
            let text = String(repeating: "ä", count: 8 << 10)
            settings.overrides["name"] = .text(text)
            #expect(try plugin.sees("all", "0.5 false 3 \(text) low"))
        }
    }

    @Test(arguments: places) func aLoopOverChangesEndsWithTheDeactivation(_ place: String) async {
        await #expect(processExitsWith: .success) { [place = place as String] in
            let plugin = try Plugin(place)
            #expect(try plugin.perform("watch") == "watching")
            #expect(try plugin.perform("set rate 0.1") == "0.1")
            #expect(try plugin.sees("seen", "[[\"rate\"]]"))
            #expect(plugin.plugin.bundle.unload())
            #expect(try plugin.sees("seen", "[[\"rate\"], [\"over\"]]"))
        }
    }

    @Test(.fault(579)) func aWorkerThatEndsLeavesTheFileWholeAndTheNextOneHasTheValues() async {
        await #expect(processExitsWith: .success) {
            let plugin = try Plugin("isolated")
            #expect(try plugin.perform("set rate 0.1") == "0.1")
            let process = try plugin.gadget.process()
            // It is killed while it stores values.
            let gadget = plugin.gadget
            let writer = Task.detached { while (try? gadget.perform("settings set-name 3")) != nil {} }
            try await Task.sleep(for: .milliseconds(100))
            kill(process, SIGKILL)
            await writer.value
            let next = try plugin.plugin.make()
            #expect(try next.process() != process)
            #expect(try next.perform("settings all").hasPrefix("0.1 "))
            let settings = try #require(try plugin.plugin.bundle.settings)
            settings.refresh()
            #expect(settings.findings.isEmpty)
        }
    }

    /// The test kit gives each test another directory, and a process may stay from one test to the next.
    @Test(arguments: places) func thePlugInHasTheSettingsOfTheFolderInForce(_ place: String) async {
        await #expect(processExitsWith: .success) { [place = place as String] in
            let plugin = try Plugin(place)
            let usual = HostEnvironment.current
            #expect(try plugin.perform("set rate 0.1") == "0.1" && plugin.perform("set rate 0.2") == "0.2")
            for round in ["one", "two"] {
                #expect(plugin.plugin.bundle.unload())
                let folder = plugin.plugin.directory.path + "/" + round
                HostEnvironment.current.settingsFolder = SettingsFolder(folder)
                let gadget = try plugin.plugin.make()
                #expect(try gadget.perform("settings all") == "0.5 false 3  low")
                #expect(try gadget.perform("settings set rate 0.75") == "0.75")
                let file = folder + "/user/Keeper/settings/org.example.Gadget.plist"
                #expect(FileManager.default.fileExists(atPath: file))
            }
            #expect(plugin.plugin.bundle.unload())
            HostEnvironment.current = usual
            #expect(try plugin.plugin.make().perform("settings all") == "0.2 false 3  low")
        }
    }

    @Test(.fault(581)) func aCopyWithAnotherSchemaHasTheValuesThatFit() async {
        await #expect(processExitsWith: .success) {
            let plugin = try Plugin("any")
            #expect(try plugin.perform("set rate 0.1") == "0.1")
            #expect(try plugin.perform("set-name 3") == "stored")
            let tree = try TemporaryTree()
            let newer = tree("Newer.bundle")
            try FileManager.default.copyItem(atPath: plugin.plugin.bundle.bundlePath, toPath: newer)
            try tree.write(
                "Newer.bundle/Contents/Resources/Settings.bundle/Root.plist",
                SettingsSource.root("{ Type = PSTextFieldSpecifier; Key = name; DefaultValue = <*I1>; }"))
            let settings = try #require(try PluginBundle.open(path: newer).settings)
            #expect(settings.keys == ["name"] && settings.value(of: "name") == .integer(1))
            #expect(settings.findings.map(\.code) == [.settingInvalid])
            // The older one still has its own values.
            #expect(try plugin.perform("all") == "0.1 false 3 xxx low")
        }
    }

    @Test(.fault(576)) func withoutAWatchTheNextChangeReadsTheFiles() async {
        await #expect(processExitsWith: .success) {
            let logged = Lock<[String]>([])
            HostEnvironment.current.log = { record in logged.withLock { $0.append(record.message) } }
            let host = try SettingsHost()
            // No descriptor is left for the queue of the kernel.
            var taken: [CInt] = []
            while case let next = dup(STDIN_FILENO), next >= 0 { taken.append(next) }
            SettingsWatch.shared.add(host.files)
            for descriptor in taken { close(descriptor) }
            #expect(logged.withLock { $0.contains { $0.contains("are not noticed") } })
            try host.write("home", "{ Settings = { rate = 0.1; }; }")
            try host.settings.set(.count, to: 4)
            #expect(host.settings[.rate] == 0.1)
            // The next plug-in with settings asks again, and then this one notices changes too.
            let other = try SettingsHost(tree: host.tree)
            SettingsWatch.shared.add(other.files)
            try host.write("home", "{ Settings = { rate = 0.2; }; }")
            let wait = Wait(atMost: .seconds(5))
            while host.settings[.rate] != 0.2 { try #require(wait.sleep()) }
            #expect(logged.withLock { $0.count { $0.contains("are not noticed") } } == 1)
        }
    }
}
