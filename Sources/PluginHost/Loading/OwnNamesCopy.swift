import BundleReading
import ELFImages
import Glibc
import HostBasics
import Synchronization

/// A private copy of a bundle in which the bundle's libraries have names of their own, so that they are loaded beside
/// libraries of other bundles with the same names.
///
/// The names of the files stay, so that stack traces show what authors know; only the names inside of the files differ.
///
/// Why a copy: the author's files stay unchanged, whoever packed them, and so do their signatures. Why not compare the
/// contents: two equal files still have two states; to share one, use one file.
struct OwnNamesCopy {
    let copy: BundleCopy
    /// The libraries of the copy by their new names.
    let libraries: [String: String]
    /// The names that no file of the copy has any more.
    let oldNames: Set<String>
    /// Whether the dynamic linker must load the libraries together with the executable.
    ///
    /// Why: a unique symbol that several files of the bundle define becomes weak in each. They still have one definition
    /// if they are loaded together, because all look it up in the executable first.
    let isLoadedTogether: Bool
    /// Why it was made.
    let clash: LibraryClash
    private let source: String

    /// Whether this process may make copies.
    ///
    /// A confined worker may not: the host gives a bundle whose names are taken there a worker of its own.
    static let isAllowed = Atomic(true)

    /// Numbers for new names, each used once in the process.
    private static let count = Atomic(0)

    /// Copies a bundle and edits the copy.
    ///
    /// - Parameters:
    ///   - bundlePath: the bundle's directory.
    ///   - executable: the inspection of its executable.
    ///   - found: the bundle's libraries and the names by which they are needed.
    ///   - clash: why it is copied.
    /// - Throws: ``PluginError`` of code `libraryClash`.
    init(
        of bundlePath: String, _ executable: ELFInspection, with found: [LibraryOpening.Found],
        because clash: LibraryClash
    ) throws(PluginError) {
        guard Self.isAllowed.load(ordering: .relaxed) else {
            throw clash.error(.confined, bundlePath: bundlePath)
        }
        let names = try Self.names(for: found, clash, bundlePath)
        let isTogether =
            !executable.uniqueSymbols.isEmpty || found.contains { !$0.inspection.uniqueSymbols.isEmpty }
        var obstacle: LibraryClash.Obstacle?
        do throws(PluginError) {
            copy = try BundleCopy(of: bundlePath) { (draft, files) throws(OpenedDirectory.Failure) in
                let places = found.map { Self.moved($0.path, from: bundlePath, to: draft) }
                for file in files.map({ Path.join(draft, $0) }).sorted() + places where obstacle == nil {
                    obstacle = try Self.edit(file, in: draft, OwnNames(names))
                }
                if obstacle != nil { return false }
                for (library, place) in zip(found, places) {
                    // The dynamic linker finds them by the names of files.
                    let linked = library.names.filter { isTogether || library.inspection.ownName != $0 }
                    try Self.addLinks(linked.compactMap { names[$0]?.text }, to: place)
                }
                return true
            }
        } catch {
            throw clash.error(obstacle ?? .copy(error.findings), bundlePath: bundlePath)
        }
        var libraries: [String: String] = [:]
        for library in found {
            for name in library.names.compactMap({ names[$0]?.text }) where libraries[name] == nil {
                libraries[name] = Self.moved(library.path, from: bundlePath, to: copy.path)
            }
        }
        self.libraries = libraries
        oldNames = Set(names.keys)
        isLoadedTogether = isTogether
        source = bundlePath
        self.clash = clash
    }

    private static func names(
        for found: [LibraryOpening.Found], _ clash: LibraryClash, _ bundlePath: String
    ) throws(PluginError) -> [String: OwnName] {
        var names: [String: OwnName] = [:]
        for name in found.flatMap(\.names) where names[name] == nil {
            let number = count.add(1, ordering: .relaxed).newValue
            guard let own = OwnName(for: name, number: number) else {
                throw clash.error(.shortName(name), bundlePath: bundlePath)
            }
            names[name] = own
        }
        return names
    }

    /// The path in the copy for a path in the bundle.
    func path(of original: String) -> String { Self.moved(original, from: source, to: copy.path) }

    private static func moved(_ path: String, from bundle: String, to copy: String) -> String {
        Path.part(of: path, in: bundle).map { Path.join(copy, String($0)) } ?? path
    }

    /// Edits a code file of the copy.
    ///
    /// - Returns: what stands in the way.
    private static func edit(
        _ path: String, in directory: String, _ names: OwnNames
    ) throws(OpenedDirectory.Failure) -> LibraryClash.Obstacle? {
        let edits: [OwnNames.Edit]
        do throws(OwnNames.Failure) {
            guard let file = try? OpenedFile(path: path), ELFInspector.machine(of: file) == ELF.hostMachine else {
                return nil
            }
            if file.passedLinks {
                guard let real = file.resolvedPath else { return .unresolvedLinks(file: path) }
                // Another name of a file that is edited under its own name, or a file outside of the copy.
                if real != path { return nil }
            }
            edits = try names.edits(of: file, path: path, bundlePath: directory)
        } catch {
            switch error {
            // The inspection refuses the file if it is loaded; programs and data need no names.
            case .unsound: return nil
            case .shared(let name): return .sharedString(name, file: path)
            }
        }
        if edits.isEmpty { return nil }
        let parent = try OpenedDirectory(path: Path.parent(path))
        let name = OpenedDirectory.name(Path.lastComponent(path))
        let descriptor = try parent.file(name, O_WRONLY)
        defer { close(descriptor) }
        for edit in edits {
            guard write(edit, to: descriptor) else { throw parent.failure(name, to: .write) }
        }
        return nil
    }

    private static func write(_ edit: OwnNames.Edit, to descriptor: CInt) -> Bool {
        edit.bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(edit.offset) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Adds links with new names beside a library; those that exist lead to it already.
    private static func addLinks(_ names: [String], to library: String) throws(OpenedDirectory.Failure) {
        if names.isEmpty { return }
        let parent = try OpenedDirectory(path: Path.parent(library))
        let target = OpenedDirectory.name(Path.lastComponent(library))
        for name in names.map(OpenedDirectory.name) where try parent.kind(name) == nil {
            try parent.makeLink(name, to: target)
        }
    }
}
