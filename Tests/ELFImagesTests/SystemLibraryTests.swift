import Foundation
import Testing

@testable import ELFImages
@testable import HostBasics

@Suite("The inspection and real libraries")
struct SystemLibraryTests {
    @Test func theProgramIsTheFirstOfTheLoadedFiles() {
        #expect(LoadedLibraries.all().first?.path == Path.mainProgram)
    }

    /// Files from linkers of many versions: a rule that refuses one of these is wrong.
    @Test func noLibraryOfTheSystemIsRefused() throws {
        let loaded = LoadedLibraries.all().map(\.path).filter {
            $0.hasPrefix("/") && Path.lastComponent($0).contains(".so")
        }
        let libc = try #require(loaded.first { Path.lastComponent($0) == "libc.so.6" })
        let folder = Path.parent(libc)
        let others = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".so") }
        var inspected = 0
        var refused: [String] = []
        for path in loaded + others.sorted().prefix(600).map({ folder + "/" + $0 }) {
            guard let file = try? OpenedFile(path: path), ELFInspector.machine(of: file) == ELF.hostMachine else {
                continue
            }
            inspected += 1
            let found = ELFInspector.inspectQuickly(file, path: path, bundlePath: "/", as: .library).findings
            // Some libraries refuse to be loaded into running programs, and say so themselves.
            refused += found.map(\.message).filter { !$0.contains("forbids being opened") }
        }
        #expect(inspected >= 10)
        #expect(refused == [])
    }
}
