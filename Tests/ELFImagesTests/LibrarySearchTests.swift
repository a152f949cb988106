import Foundation
import TestSupport
import Testing

@testable import ELFImages

@Suite("The search for libraries")
struct LibrarySearchTests {
    private func plugin(_ flags: [String] = []) throws -> ELFFile {
        try ELFFile(
            path: try ELFFixtures.c("search-\(flags.hashValue).so", ELFFixtures.entry, ["-shared"] + flags))
    }

    private func found(_ result: LibrarySearch.Result) -> String? {
        if case .found(let file) = result { return file.path }
        return nil
    }

    private func searched(_ result: LibrarySearch.Result) -> [String] {
        if case .missing(let places, _) = result { return places.map { "\($0.rule) \($0.directory)" } }
        return []
    }

    @Test func librariesOfTheSystemAreInTheCache() throws {
        let cache = LinkerCache()
        let path = try #require(cache.paths(of: "libstdc++.so.6").first)
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(cache.paths(of: "libstdc++.so") != cache.paths(of: "libstdc++.so.6"))
        #expect(cache.paths(of: "lib-nobody-has.so.9") == [])
        #expect(cache.paths(of: "") == [])
        #expect(found(LibrarySearch(environmentPath: nil).find("libstdc++.so.6", neededBy: [try plugin()])) != nil)
    }

    @Test func orderIsThatOfTheDynamicLinker() throws {
        let search = LibrarySearch(cache: LinkerCache(path: "/nothing"), environmentPath: "/env/one:/env/two")
        let new = try plugin(["-Wl,--enable-new-dtags", "-Wl,-rpath,/run/path"])
        #expect(
            Array(searched(search.find("libnone.so", neededBy: [new])).prefix(4)) == [
                "LD_LIBRARY_PATH /env/one", "LD_LIBRARY_PATH /env/two", "RUNPATH /run/path", "cache /etc/ld.so.cache",
            ])
        let old = try plugin(["-Wl,--disable-new-dtags", "-Wl,-rpath,/r/path"])
        let host = try plugin(["-Wl,--disable-new-dtags", "-Wl,-rpath,/host/path"])
        #expect(
            Array(searched(search.find("libnone.so", neededBy: [old, host])).prefix(3)) == [
                "RPATH /r/path", "RPATH /host/path", "LD_LIBRARY_PATH /env/one",
            ])
        // RUNPATH switches off all RPATHs, and applies to one image only.
        #expect(searched(search.find("libnone.so", neededBy: [new, host])).first == "LD_LIBRARY_PATH /env/one")
        #expect(!searched(search.find("libnone.so", neededBy: [try plugin(), new])).contains("RUNPATH /run/path"))
    }

    @Test func emptyElementIsTheCurrentDirectory() throws {
        let search = LibrarySearch(cache: LinkerCache(path: "/nothing"), environmentPath: ":/x")
        #expect(searched(search.find("libnone.so", neededBy: [try plugin()])).first == "LD_LIBRARY_PATH .")
    }

    @Test func tokensAreReplaced() throws {
        let file = try plugin([
            "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/a:${ORIGIN}/b:/x/$LIB/y:/p/${PLATFORM}:/$OTHER",
        ])
        let places = searched(
            LibrarySearch(cache: LinkerCache(path: "/nothing"), environmentPath: nil).find(
                "libnone.so", neededBy: [file]))
        let directory = ELFFixtures.directory
        #expect(places.contains("RUNPATH \(directory)/a") && places.contains("RUNPATH \(directory)/b"), "\(places)")
        #expect(places.contains { $0.hasPrefix("RUNPATH /x/lib") && $0.hasSuffix("/y") })
        #expect(!places.contains { $0.contains("PLATFORM") })
        #expect(places.contains("RUNPATH /$OTHER"))
    }

    @Test func damagedCachesAreEmpty() throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: LinkerCache.path)))
        for length in stride(from: 0, to: min(bytes.count, 4000), by: 7) {
            let cache = LinkerCache(path: try ELFFixtures.file("cut.cache", bytes.prefix(length)))
            _ = cache.paths(of: "libstdc++.so.6")
        }
        for offset in 0..<400 {
            var changed = bytes
            changed[offset] ^= 0xFF
            _ = LinkerCache(path: try ELFFixtures.file("changed.cache", changed)).paths(of: "libstdc++.so.6")
        }
        bytes[20] = 0xFF
        #expect(
            LinkerCache(path: try ELFFixtures.file("count.cache", bytes + [])).paths(of: "libstdc++.so.6").count <= 4)
        #expect(LinkerCache(path: "/nothing").paths(of: "libc.so.6") == [])
    }
}
