import Foundation
import Testing

@testable import ELFImages
@testable import HostBasics

@Suite("The inspection and real libraries")
struct SystemLibraryTests {
    @Test func theProgramIsTheFirstOfTheLoadedFiles() {
        #expect(LoadedLibraries.all().first?.path == Path.mainProgram)
    }

    /// The files in the C library's directory.
    private func systemLibraries() throws -> [String] {
        let loaded = LoadedLibraries.all().map(\.path)
        let libc = try #require(loaded.first { Path.lastComponent($0) == "libc.so.6" })
        let folder = Path.parent(libc)
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".so") }.sorted()
            .prefix(600).map { folder + "/" + $0 }
    }

    /// A name that another string of the file shares stays, and the bundle that carries the file is told so.
    @Test func nearlyAllLibrariesOfTheSystemCanHaveNamesOfTheirOwn() throws {
        var edited = 0
        var refused: [String] = []
        for path in try systemLibraries() {
            guard let file = try? OpenedFile(path: path), let name = (try? ELFFile(path: path))?.ownName,
                let own = OwnName(for: name, number: 1)
            else { continue }
            do throws(OwnNames.Failure) {
                let edits = try OwnNames([name: own]).edits(of: file, path: path, bundlePath: "/")
                #expect(edits.contains { $0.bytes == Array("~1~".utf8) }, "\(path)")
                edited += 1
            } catch {
                refused.append("\(path): \(error)")
            }
        }
        #expect(edited >= 10)
        #expect(refused.count * 100 <= edited + 100, "\(refused)")
    }

    /// Files from linkers of many versions: a rule that refuses one of these is wrong.
    @Test func noLibraryOfTheSystemIsRefused() throws {
        let loaded = LoadedLibraries.all().map(\.path).filter {
            $0.hasPrefix("/") && Path.lastComponent($0).contains(".so")
        }
        var inspected = 0
        var refused: [String] = []
        for path in try loaded + systemLibraries() {
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
