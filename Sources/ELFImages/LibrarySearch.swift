import Glibc
import HostBasics

/// Finds the file of a needed library in the same way as the dynamic linker (ld.so(8), "DESCRIPTION").
///
/// In this order: RPATH of the file that needs the library and of the files that caused its load, unless the file has a
/// RUNPATH; `LD_LIBRARY_PATH`; RUNPATH of the file that needs the library; the linker's cache; the system's
/// directories. A file for another machine is skipped, as the dynamic linker does.
package struct LibrarySearch {
    /// A directory that was searched, and the rule for it.
    package struct Place: Hashable {
        package var directory: String
        /// “RUNPATH”; empty for the system's directories.
        package var rule: String
    }

    /// The result of a search.
    package enum Result {
        case found(ELFFile)
        /// All places that were searched, and files with the right name that could not be used.
        case missing(searched: [Place], rejected: [(path: String, reason: String)])
    }

    private let cache: LinkerCache
    private let environmentPath: String?
    private let systemDirectories: [String]
    /// The replacements for `$LIB` and `$PLATFORM`.
    private let libraryToken: String
    private let platformToken: String
    private let unread: UnreadFiles

    /// `unread`: collects files that the system does not let us read.
    package init(
        cache: LinkerCache = LinkerCache(), environmentPath: String? = Self.environmentPath,
        unread: UnreadFiles = UnreadFiles()
    ) {
        self.cache = cache
        self.unread = unread
        self.environmentPath = environmentPath
        let system = Self.systemPlaces()
        systemDirectories = system.directories
        libraryToken = system.token
        platformToken = Self.platform
    }

    /// `loaders`: the file that needs the library, then the file that needs that file, and so on.
    package func find(_ library: String, neededBy loaders: [ELFFile]) -> Result {
        guard let loader = loaders.first else { return .missing(searched: [], rejected: []) }
        var searched: [Place] = []
        var rejected: [(path: String, reason: String)] = []
        func look(_ directories: [String], _ rule: String) -> ELFFile? {
            for directory in directories {
                let place = Place(directory: directory, rule: rule)
                guard !searched.contains(where: { $0.directory == directory }) else { continue }
                searched.append(place)
                for path in Self.variants(of: library, in: directory).reversed() {
                    if let file = take(path, &rejected) { return file }
                }
            }
            return nil
        }
        if loader.runPath == nil {
            for image in loaders {
                guard let rPath = image.rPath else { continue }
                if let file = look(directories(rPath, of: image), "RPATH") { return .found(file) }
            }
        }
        if let environmentPath, let file = look(split(environmentPath, ":;", of: loader), "LD_LIBRARY_PATH") {
            return .found(file)
        }
        if let runPath = loader.runPath, let file = look(directories(runPath, of: loader), "RUNPATH") {
            return .found(file)
        }
        guard loader.dynamic.flags1 & DynamicTable.flag1NoDefaultLibraries == 0 else {
            return .missing(searched: searched, rejected: rejected)
        }
        for path in cache.paths(of: library) {
            if let file = take(path, &rejected) { return .found(file) }
        }
        searched.append(Place(directory: LinkerCache.path, rule: "cache"))
        if let file = look(systemDirectories, "") { return .found(file) }
        return .missing(searched: searched, rejected: rejected)
    }

    /// Whether a program without a search path finds the file by a library's name.
    func isOfSystem(_ path: String, name: String) -> Bool {
        systemDirectories.contains(Path.parent(path)) || cache.paths(of: name).contains(path)
    }

    /// Opens a file if it exists and is usable.
    private func take(_ path: String, _ rejected: inout [(path: String, reason: String)]) -> ELFFile? {
        do throws(ELFFile.Unusable) {
            return try ELFFile(path: path, unread: unread)
        } catch {
            if case .unopenable(.missing) = error { return nil }
            if !rejected.contains(where: { $0.path == path }) { rejected.append((path, error.reason)) }
            return nil
        }
    }

    /// The possible places of a library in a directory.
    ///
    /// These are its variants for newer processors, which the dynamic linker prefers, and the plain library. The order
    /// does not matter, because all define the same symbols.
    package static func variants(of library: String, in directory: String) -> [String] {
        let base = directory.hasSuffix("/") ? directory : directory + "/"
        #if arch(x86_64)
        return ["x86-64-v4", "x86-64-v3", "x86-64-v2"].map { "\(base)glibc-hwcaps/\($0)/\(library)" }
            + [base + library]
        #else
        return [base + library]
        #endif
    }

    // MARK: - Paths

    private func directories(_ list: String, of image: ELFFile) -> [String] { split(list, ":", of: image) }

    /// The elements of a search path, with `$ORIGIN`, `$LIB` and `$PLATFORM` replaced.
    ///
    /// An empty element means the current directory; an empty list has no element.
    private func split(_ list: String, _ separators: String, of image: ELFFile) -> [String] {
        if list.isEmpty { return [] }
        return list.split(omittingEmptySubsequences: false) { separators.contains($0) }.map { element in
            element.isEmpty ? "." : expanded(String(element), of: image)
        }
    }

    private func expanded(_ element: String, of image: ELFFile) -> String {
        guard element.utf8.contains(UInt8(ascii: "$")) else { return element }
        var text = ""
        var rest = element[...]
        while let dollar = rest.firstIndex(of: "$") {
            text += rest[..<dollar]
            rest = rest[dollar...]
            let tokens = [
                ("ORIGIN", Path.parent(image.file.resolvedPath ?? image.path)), ("LIB", libraryToken),
                ("PLATFORM", platformToken),
            ]
            let match = tokens.firstNonNil { name, value -> (String, Int)? in
                if rest.hasPrefix("${\(name)}") { return (value, name.count + 3) }
                return rest.hasPrefix("$\(name)") ? (value, name.count + 1) : nil
            }
            text += match?.0 ?? "$"
            rest = rest.dropFirst(match?.1 ?? 1)
        }
        return text + rest
    }

    // MARK: - The system

    /// The value that the dynamic linker read when the process began.
    private static var environmentPath: String? {
        guard let value = getenv("LD_LIBRARY_PATH").map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }

    /// The machine's name, which the kernel also passes to the dynamic linker as AT_PLATFORM.
    private static var platform: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "" }
        return withUnsafeBytes(of: &names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The directories that are built into the dynamic linker, and their `$LIB`.
    ///
    /// The directories differ between distributions; the directory of the C library shows which ones apply.
    private static func systemPlaces() -> (directories: [String], token: String) {
        let library = LoadedLibraries.all().first { Path.lastComponent($0.path) == "libc.so.6" }
        let home = library.map { Path.parent($0.path) } ?? "/lib64"
        let relative = home.hasPrefix("/usr/") ? String(home.dropFirst(5)) : String(home.dropFirst(1))
        var directories = ["/\(relative)", "/usr/\(relative)"]
        // Debian's directories are searched in addition to the plain ones; elsewhere there are only these two.
        if relative != "lib64", relative != "lib" { directories += ["/lib", "/usr/lib"] }
        return (directories, relative)
    }
}
