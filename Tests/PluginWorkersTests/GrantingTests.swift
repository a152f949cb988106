import BundleReading
import TestSupport
import Testing

@testable import HostBasics
@_spi(Tools) @testable import PluginWorkers

/// What is granted of what was asked, and where the paths lead.
@Suite struct GrantingTests {
    private static let places = PermissionPlaces(
        identifier: "org.example.a", application: "App", host: ["fonts": "/srv/fonts", "bad": "fonts"],
        user: UserDirectories { $0 == "HOME" ? "/home/u" : nil })

    private func files(_ asked: [PluginPermissions.File], _ allowed: [PluginPermissions.File]) -> [PluginPermissions
        .File]
    {
        var (a, b) = (PluginPermissions(), PluginPermissions())
        (a.files, b.files) = (asked, allowed)
        return a.granted(by: b, at: Self.places).files
    }

    @Test func pathsLeadToTheUsersDirectories() throws {
        func path(_ text: String) throws -> String? { Self.places.path(try PermissionPath(text)) }
        #expect(try path("$HOME/Music") == "/home/u/Music" && path("$DOCUMENTS") == "/home/u/Documents")
        #expect(try path("$CONFIG/x") == "/home/u/.config/x" && path("/") == "/" && path("/etc/") == "/etc")
        #expect(try path("$STATE/x") == "/home/u/.local/state/App/plugins/org.example.a/x")
        #expect(try path("$HOST/fonts/a") == "/srv/fonts/a")
        #expect(try path("$HOST/bad") == nil && path("$HOST/other") == nil)
    }

    @Test(arguments: ["../../x", "a/b", "..", "", "."]) func anIdentifierThatIsAPathHasNoDirectory(_ identifier: String)
    {
        let user = UserDirectories { $0 == "HOME" ? "/home/u" : nil }
        #expect(PermissionPlaces(identifier: identifier, application: "App", user: user).state == nil)
        #expect(PermissionPlaces(identifier: "a", application: identifier, user: user).state == nil)
    }

    @Test func theDirectoryForDocumentsIsTheOneThatTheUserNamed() throws {
        func documents(_ list: String) throws -> String? {
            let tree = try TemporaryTree(["config/user-dirs.dirs": list])
            let config = tree("config")
            let user = UserDirectories { ["HOME": "/home/u", "XDG_CONFIG_HOME": config][$0] }
            return PermissionPlaces(identifier: "a", application: "b", user: user).documents
        }
        #expect(try documents("# a comment\nXDG_DOCUMENTS_DIR=\"$HOME/Papiere\"\n") == "/home/u/Papiere")
        #expect(try documents("XDG_DOCUMENTS_DIR=\"/data/Papiere\"") == "/data/Papiere")
        #expect(try documents("XDG_DOCUMENTS_DIR=\"$HOME/\"") == "/home/u")
        #expect(try documents("XDG_DOCUMENTS_DIR=\"Papiere\"") == "/home/u/Documents")
        #expect(try documents("XDG_MUSIC_DIR=\"$HOME/Musik\"") == "/home/u/Documents")
    }

    @Test func ofADirectoryAndSomethingInItTheInnerOneIsGranted() {
        #expect(files([.init("$HOME/Music", .write)], [.init("$HOME", .write)]) == [.init("$HOME/Music", .write)])
        #expect(files([.init("$HOME", .write)], [.init("$HOME/Music", .write)]) == [.init("$HOME/Music", .write)])
        #expect(files([.init("$HOME/Music", .read)], [.init("/home/u", .read)]) == [.init("$HOME/Music", .read)])
        #expect(files([.init("$DOCUMENTS", .read)], [.init("/", .write)]) == [.init("$DOCUMENTS", .read)])
    }

    @Test func namesThatOnlyBeginAlikeAreDifferentDirectories() {
        #expect(files([.init("/data/ab", .read)], [.init("/data/a", .read)]).isEmpty)
        #expect(files([.init("$HOME2", .read)], [.init("$HOME", .read)]).isEmpty)
    }

    @Test func theLesserAccessIsGranted() {
        #expect(files([.init("/a", .write)], [.init("/a", .read)]) == [.init("/a", .read)])
        #expect(files([.init("/a", .read)], [.init("/a", .write)]) == [.init("/a", .read)])
    }

    @Test func whatAnotherGrantIncludesIsLeftOut() {
        let asked: [PluginPermissions.File] = [.init("/a", .read), .init("/a/b", .read), .init("/a", .read)]
        #expect(files(asked, asked) == [.init("/a", .read)])
        let more: [PluginPermissions.File] = [.init("/a", .read), .init("/a/b", .write)]
        #expect(files(more, more) == more)
    }

    @Test func aPlaceThatDoesNotExistIsGrantedOnlyByItsName() {
        #expect(files([.init("$HOST/no/x", .read)], [.init("$HOST/no", .read)]) == [.init("$HOST/no/x", .read)])
        #expect(files([.init("$HOST/no", .read)], [.init("$HOST/other", .read)]).isEmpty)
        #expect(files([.init("$HOST/no", .read)], [.init("../x", .read)]).isEmpty)
    }

    @Test func theNetworkIsTheCommonPart() {
        func common(_ a: PluginPermissions.Network, _ b: PluginPermissions.Network) -> PluginPermissions.Network {
            var (x, y) = (PluginPermissions(), PluginPermissions())
            (x.network, y.network) = (a, b)
            return x.granted(by: y, at: Self.places).network
        }
        let ports = PluginPermissions.Network.ports(connect: [80, 443], listen: [8080])
        #expect(common(ports, .any) == ports && common(.any, ports) == ports && common(ports, .none) == .none)
        #expect(common(ports, .ports(connect: [443], listen: [1])) == .ports(connect: [443], listen: []))
        #expect(common(ports, .ports(connect: [1], listen: [1])) == .none)
    }

    @Test func nothingIsGrantedThatWasNotAskedFor() {
        var all = PluginPermissions()
        (all.network, all.processes) = (.any, true)
        (all.devices, all.environment) = (["/dev/null"], ["HOME"])
        all.files = [.init("/", .write)]
        #expect(PluginPermissions().granted(by: all, at: Self.places) == PluginPermissions())
        #expect(all.granted(by: PluginPermissions(), at: Self.places) == PluginPermissions())
        #expect(all.granted(by: all, at: Self.places) == all)
    }

    // MARK: Permissions in one line

    @Test func permissionsAreReadFromOneLine() throws {
        let read = try PluginPermissions(
            parsing: "files=$HOME/A, B:write,files=/x:read,network=connect:443,network=listen:80,processes,"
                + "devices=/dev/null,environment=EDITOR")
        #expect(read.files == [.init("$HOME/A, B", .write), .init("/x", .read)])
        #expect(read.network == .ports(connect: [443], listen: [80]) && read.processes)
        #expect(read.devices == ["/dev/null"] && read.environment == ["EDITOR"])
        #expect(try PluginPermissions(parsing: "network=connect:1,network=any").network == .any)
    }

    @Test(
        .fault(431),
        arguments: [
            ("camera=yes", "“camera” is no permission"), ("files=../x", "begins with none of"),
            ("files=", "needs a value"),
            ("files=/a/..", "has a part “..”"), ("network=443", "“connect:PORT”"),
            ("network=connect:0", "“connect:PORT”"),
            ("network=connect:70000", "“connect:PORT”"), ("processes=yes", "has no value"), ("", "is no permission"),
            ("files", "needs a value"),
        ])
    func aGrantOfSomethingElseIsRefusedByName(_ text: String, _ reason: String) {
        let fault = #expect(throws: PluginPermissions.Fault.self) { try PluginPermissions(parsing: text) }
        #expect(fault?.reason.contains(reason) == true, "\(fault?.reason ?? "")")
    }
}
