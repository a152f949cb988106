internal import CPluginSupport.Shims
import ELFImages
import Glibc
import HostBasics

/// The program of this process and the libraries that it needs to start, which a second process of the program also
/// has.
///
/// Libraries that were opened later, such as those of plug-ins, are not included.
struct StartUpLibraries: Sendable {
    /// The program itself; it can be opened even if the file was deleted.
    static let program = Path.ownExecutable

    /// The program and the libraries of this process, read once.
    ///
    /// - Throws: ``WorkerFailure`` if one of the files cannot be read at the moment; the next call reads them again.
    static func current() throws(WorkerFailure) -> StartUpLibraries {
        if let known = known.withLock({ $0 }) { return known }
        let unread = UnreadFiles()
        let images = StartUpLibraries(unread)
        if let first = unread.first { throw WorkerFailure(step: "open", errno: first.errno, path: first.path) }
        known.withLock { $0 = images }
        return images
    }

    private static let known = Lock<StartUpLibraries?>(nil)

    /// The files of the libraries, in the order in which they are found.
    let libraries: [String]
    /// Whether this library is one of them, or part of the program.
    let containThisLibrary: Bool

    private init(_ unread: UnreadFiles) {
        let images = LoadedLibraries.all().filter { $0.path.utf8.contains(UInt8(ascii: "/")) }
        let own = LoadedLibraries.base(containing: phs_own_address())
        let files = images.dropFirst().map { (path: $0.path, names: Self.names(of: $0.path, unread)) }
        var found: [String] = []
        var needed = (try? ELFFile(path: Self.program, unread: unread))?.needed ?? []
        // Each name only once, so that a cycle ends.
        var seen = Set(needed)
        while let name = needed.popLast() {
            guard let file = files.first(where: { $0.names.contains(name) }) else { continue }
            found.append(file.path)
            needed += ((try? ELFFile(path: file.path, unread: unread))?.needed ?? []).filter {
                seen.insert($0).inserted
            }
        }
        libraries = found
        containThisLibrary = images.contains { image in
            image.base == own && (image.isMainProgram || found.contains(image.path))
        }
    }

    /// The directories of the libraries, without those that every program searches.
    var directories: [String] {
        var seen: Set<String> = []
        return libraries.compactMap { Path.resolved(Path.parent($0)) }
            .filter { !Self.searchedByEveryProgram.contains($0) && seen.insert($0).inserted }
    }

    private static let searchedByEveryProgram: Set<String> = [
        "/lib", "/usr/lib", "/lib64", "/usr/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
        "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
    ]

    private static func names(of path: String, _ unread: UnreadFiles) -> Set<String> {
        Set([Path.lastComponent(path), (try? ELFFile(path: path, unread: unread))?.ownName].compactMap(\.self))
    }

    /// The file of the dynamic linker, which the kernel executes with the program.
    static let dynamicLinker = LoadedLibraries.all().first { Path.lastComponent($0.path).hasPrefix("ld-") }
        .flatMap { Path.resolved($0.path) }
}
