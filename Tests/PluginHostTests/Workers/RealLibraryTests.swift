import ELFImages
import Foundation
import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@testable import PluginWorkers

/// Plug-ins that carry two versions of a library that others made: `make real-libraries` downloads them, and sets
/// `REAL_LIBRARIES` to the folder with a folder for each.
@Suite(.enabled(if: RealLibrary.folder != nil, "REAL_LIBRARIES is not set"), .timeLimit(.minutes(3)))
struct RealLibraryTests {
    @Test(arguments: RealLibrary.allCases, [false, true])
    func eachHasItsOwnVersion(_ library: RealLibrary, newerFirst: Bool) async {
        await #expect(processExitsWith: .success) {
            [library = library as RealLibrary, newerFirst = newerFirst as Bool] in
            let versions = newerFirst ? library.versions.reversed() : library.versions
            let fixtures = try versions.map { try library.bundle($0) }
            #expect(try fixtures.map { try $0.load().number() } == versions)
            // The system's counts as a third one.
            #expect(try fixtures.map { try $0.load().hasOwnNames } == [library.isTheSystems, true])
        }
    }

    @Test(arguments: RealLibrary.allCases)
    func aloneEachHasItsOwnVersion(_ library: RealLibrary) async {
        for version in library.versions {
            await #expect(processExitsWith: .success) { [library = library as RealLibrary, version = version as Int] in
                let bundle = try library.bundle(version).load()
                #expect(try bundle.number() == version && bundle.hasOwnNames == library.isTheSystems)
            }
        }
    }

    @Test(arguments: RealLibrary.allCases)
    func inTheWorkerOfAGroupEachHasItsOwnVersion(_ library: RealLibrary) async {
        await #expect(processExitsWith: .success) { [library = library as RealLibrary] in
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            HostEnvironment.current.isolation.group = { _ in "both" }
            let fixtures = try library.versions.map { try library.bundle($0) }
            for fixture in fixtures { chmod(fixture.tree.path, 0o755) }
            let beside = fixtures[0].tree("\(fixtures[1].name).bundle")
            try FileManager.default.copyItem(atPath: fixtures[1].path, toPath: beside)
            let bundles = try [fixtures[0].path, beside].map { try PluginBundle.open(path: $0) }
            let numbers = try bundles.map { try $0.number() }
            #expect(numbers == library.versions)
            #expect(Set(PluginWorker.all.filter { !$0.hasEnded }.map(\.processIdentifier)).count == 1)
        }
    }

    @Test(arguments: RealLibrary.allCases)
    func aReloadWithOnlyTheNewerLibraryUsesIt(_ library: RealLibrary) async {
        await #expect(processExitsWith: .success) { [library = library as RealLibrary] in
            let fixture = try library.bundle(library.versions[0])
            let generations = PluginGenerations(path: fixture.path)
            let first = try generations.use { bundle in
                try bundle.loadAndReturnError()
                return try bundle.number()
            }
            #expect(first == library.versions[0])
            try fixture.install(library.path(library.versions[1]))
            guard case .replaced(let next) = generations.reload(at: fixture.path) else {
                Issue.record("it was not replaced")
                return
            }
            let second = try generations.use { try $0.number() }
            #expect(second == library.versions[1] && next.bundle.hasOwnNames)
        }
    }
}

/// A library of which two versions were downloaded, and a function of a plug-in that returns the library's own version.
enum RealLibrary: String, CaseIterable, Codable {
    case sndfile, usb

    static var folder: String? { ProcessInfo.processInfo.environment["REAL_LIBRARIES"] }

    private var soname: String {
        switch self {
        case .sndfile: "libsndfile.so.1"
        case .usb: "libusb-1.0.so.0"
        }
    }

    /// As numbers with three digits for each part; the older one first.
    var versions: [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(Self.folder ?? "")/\(rawValue)")) ?? []
        return names.compactMap(Int.init).sorted()
    }

    /// Whether the machine has a version of it installed.
    var isTheSystems: Bool { !LinkerCache().paths(of: soname).isEmpty }

    func path(_ version: Int) -> String { "\(Self.folder ?? "")/\(rawValue)/\(version)" }

    /// A bundle that carries a version.
    func bundle(_ version: Int) throws -> CarrierFixture {
        let fixture = try CarrierFixture(
            "\(rawValue)\(version)", library: soname, functions: ["part"], more: source, linkedWith: [path(version)])
        try fixture.install(path(version))
        return fixture
    }

    private var source: String {
        switch self {
        case .sndfile:
            """
            #include <stdio.h>
            #include <string.h>
            extern const char *sf_version_string(void);
            int part(void) {
                int a = 0, b = 0, c = 0;
                sscanf(strchr(sf_version_string(), '-') + 1, "%d.%d.%d", &a, &b, &c);
                return (a * 1000 + b) * 1000 + c;
            }
            """
        case .usb:
            """
            struct version { unsigned short major, minor, micro; };
            extern const struct version *libusb_get_version(void);
            int part(void) {
                const struct version *v = libusb_get_version();
                return (v->major * 1000 + v->minor) * 1000 + v->micro;
            }
            """
        }
    }
}
