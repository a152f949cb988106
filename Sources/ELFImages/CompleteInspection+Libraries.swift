internal import CPluginSupport.Shims
import Glibc
import HostBasics
import PropertyLists

extension CompleteInspection {
    /// Reports all missing libraries, each with the places that were searched (fault 67).
    ///
    /// If a file outside of the bundle needs the library, no change to the bundle can help.
    mutating func checkMissingLibraries() {
        let lost = LostLinks(closure.missing)
        for missing in closure.missing {
            var message = missing.sentence
            let isOfBundle = isOfBundle(missing.neededBy)
            if !isOfBundle { message += " \(quoted(missing.neededBy)) is not part of the bundle." }
            if let link = lost[missing.name] {
                add(
                    .dependencyMissing, path: missing.neededBy, subject: missing.name, message + " \(link.sentence)",
                    isOfBundle || !host.search.isOfSystem(link.file, name: missing.name)
                        ? link.remedy : "Run, as root: ldconfig")
                continue
            }
            let other = host.libraries.first {
                Self.isOtherVersion(Path.lastComponent($0.path), of: missing.name)
            }?.path
            let module = other == nil ? module(of: missing) : nil
            if let other { message += " The application has \(quoted(other)), another version of it." }
            if let module { message += " \(module.sentence)" }
            add(
                .dependencyMissing, path: missing.neededBy, subject: missing.name, message,
                other.map { Self.remedy(forVersion: $0, neededBy: missing.neededBy) } ?? module?.remedy
                    ?? missing.carried.map { Self.remedy(forCarried: $0, as: missing.name) }
                    ?? (isOfBundle ? Self.remedy(forLibrary: missing.name) : Self.remedy(forForeign: missing)))
        }
        checkProgramLibraries()
    }

    /// Reports libraries that the application does not find.
    ///
    /// Only a warning: the application may be started with another environment.
    private mutating func checkProgramLibraries() {
        let reported = Set(closure.missing.map(\.name))
        for missing in host.missing.filter({ !reported.contains($0.name) }).prefix(Self.mostMissing) {
            warn(
                .dependencyMissing, path: missing.neededBy, subject: missing.name,
                missing.sentence + " The application itself does not start in this environment.",
                Self.remedy(forForeign: missing))
        }
    }

    /// How many missing libraries of the application are reported; nobody would read more.
    private static let mostMissing = 20

    func isOfBundle(_ path: String) -> Bool {
        path == file.path || Path.isInside(Path.resolved(path) ?? path, directory: bundlePath)
    }

    /// Whether both are different names of libPluginHost, which has a number after “.so” only if it was installed from
    /// a package.
    private static func isOtherVersion(_ name: String, of wanted: String) -> Bool {
        name != wanted && wanted.hasPrefix("libPluginHost.so") && name.hasPrefix("libPluginHost.so")
    }

    private static func remedy(forVersion other: String, neededBy path: String) -> String {
        "Build \(quoted(path)) again with the library that the application uses, \(quoted(other)), and not with "
            + "another checkout or installation of it."
    }

    private static func remedy(forForeign missing: LibraryClosure.Missing) -> String {
        "Install the library where \(quoted(missing.neededBy)) looks for it, build that file again with an -rpath to the "
            + "library's directory, or start the application with that directory in LD_LIBRARY_PATH."
    }

    // MARK: Places

    /// Reports files that cannot be loaded because of where they are: their file system is mounted noexec.
    mutating func checkFileSystems() {
        var seen: Set<String> = []
        for file in closure.newFiles {
            let directory = Path.parent(file.file.resolvedPath ?? file.path)
            guard seen.insert(directory).inserted, phs_refuses_code(file.path) == 1 else { continue }
            add(
                .notLoadable, path: file.path, subject: "noexec",
                "\(quoted(file.path)) is on a file system that is mounted noexec, from which no code can be loaded.",
                "Move it to another file system, or mount that one without noexec (as root: mount -o remount,exec "
                    + "MOUNTPOINT; “findmnt -T \(shellWord(directory))” names it).")
        }
    }

    // MARK: The application's own libraries

    /// A missing library that contains a Swift module: nearly always the application's API, which no distribution
    /// packages.
    private struct MissingModule {
        let name: String
        /// The path of the program or library that contains the module; nil if none does.
        let image: String?
        /// Whether the application was named and does not contain the library.
        let isApplicationKnown: Bool

        var sentence: String {
            if let image {
                return "The Swift module \(name), from which that library is built, is contained in \(quoted(image))."
            }
            return
                "The symbols that it uses belong to the Swift module \(name), which is most likely part of the "
                + "application"
                + (isApplicationKnown ? "; it is not among the libraries that the application needs." : ".")
        }

        var remedy: String {
            let package =
                "make \(name) a product .library(type: .dynamic) in a separate package, and let the application and the "
                + "plug-in depend on it with .product; a target in the application's package is linked into the application, "
                + "and no plug-in can share it (the page abi.md, “One copy of each module”)."
            if image != nil { return package.prefix(1).uppercased() + package.dropFirst() }
            if isApplicationKnown { return "In the application, " + package }
            return
                "If the application contains it, name the application: pluginhost check --host PROGRAM. If it does not, "
                + package
        }
    }

    private func module(of missing: LibraryClosure.Missing) -> MissingModule? {
        let name = missing.name
        guard missing.carried == nil, name.hasPrefix("lib"), name.hasSuffix(".so"), !Self.isSwiftLibrary(name) else {
            return nil
        }
        let module = String(name.dropFirst(3).dropLast(3))
        let image = host.libraries.first { $0.modules.contains(module) }?.path
        // Swift's mangled names begin with the module's name, after its length.
        let symbols = "$s\(module.utf8.count)\(module)"
        guard image != nil || closure.newFiles.contains(where: { $0.uses(symbolBeginningWith: symbols) }) else {
            return nil
        }
        return MissingModule(name: module, image: image, isApplicationKnown: host.isNamedProgram)
    }

    /// Whether a library with this name belongs to the Swift runtime.
    static func isSwiftLibrary(_ name: String) -> Bool {
        name.hasPrefix("libswift") || name.hasPrefix("libFoundation") || name.hasPrefix("lib_Foundation")
    }

    private static func remedy(forCarried path: String, as name: String) -> String {
        "Link \(quoted(path)) with its name: -Wl,-soname,\(shellWord(name)) (swiftc: -Xlinker -soname -Xlinker "
            + "\(shellWord(name))), or link the plug-in with -rpath '$ORIGIN/../Frameworks'."
    }

    private static func remedy(forLibrary name: String) -> String {
        if isSwiftLibrary(name) {
            return
                "Install the Swift runtime that the host was built with, or put its libraries next to the host and "
                + "link the host with -rpath '$ORIGIN/../lib'."
        }
        return
            "Install the package that contains \(name) (Debian, Ubuntu: apt-file search \(shellWord(name)); Fedora: dnf "
            + "provides \(shellWord("*/" + name))), or put the library into Contents/Frameworks of the bundle "
            + "and link the plug-in with -rpath '$ORIGIN/../Frameworks'."
    }

    // MARK: - Thread-local memory

    /// Reports libraries that may not fit into the memory reserved for thread-local variables.
    ///
    /// The dynamic linker reserves little of it for libraries that are opened late and address their variables directly
    /// (DF_STATIC_TLS). Libraries that were opened before have used a part of the reserve. A library that needs more
    /// than the whole reserve may not load.
    mutating func checkThreadLocalMemory() {
        for file in closure.newFiles where file.dynamic.flags & DynamicTable.flagStaticThreadLocals != 0 {
            guard let segment = file.segments.first(where: { $0.type == ELF.threadLocal }),
                segment.memorySize > Self.keptThreadLocals
            else { continue }
            warn(
                .loadFailed, path: file.path, subject: "PT_TLS",
                "\(quoted(file.path)) has \(segment.memorySize) bytes of thread-local variables of the model initial-exec, but "
                    + "the dynamic linker reserves only \(Self.keptThreadLocals) bytes for all libraries opened late.",
                "Compile it without -ftls-model=initial-exec, or start the application with "
                    + "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=\(segment.memorySize + Self.keptThreadLocals).")
        }
    }

    /// glibc's default of `glibc.rtld.optional_static_tls`.
    private static let keptThreadLocals: UInt64 = 512

    // MARK: - Versions

    /// Reports versions that a library must have but does not; the usual cause is an old glibc.
    mutating func checkVersions() {
        for file in closure.newFiles {
            var seen: Set<SymbolVersions.Needed> = []
            let needed = file.versions.needed.values.filter { !$0.isWeak && seen.insert($0).inserted }
            for version in needed.sorted(by: { ($0.library, $0.name) < ($1.library, $1.name) }) {
                guard let provider = closure.providers[version.library] else { continue }
                if provider.dynamic.symbolVersions == 0 {
                    addVersionless(version, neededBy: file, provider: provider)
                    continue
                }
                guard provider.versions.isDefiner, !provider.versions.defined.values.contains(version.name) else {
                    continue
                }
                addVersion(version, neededBy: file, provider: provider)
            }
        }
    }

    /// Reports a library that has no versions although a file needs one of them.
    ///
    /// When a symbol of that version is looked up in the library, the dynamic linker ends the process with an assertion
    /// (check_match()). A library that defines no version but needs some works, because it has a table of versions.
    private mutating func addVersionless(_ version: SymbolVersions.Needed, neededBy: ELFFile, provider: ELFFile) {
        guard let symbol = Self.symbol(of: version, in: neededBy, definedBy: provider) else { return }
        add(
            .dependencyMissing, path: neededBy.path, subject: version.name,
            "\(quoted(neededBy.path)) needs version \(quoted(version.name)) of \(quoted(version.library)), but "
                + "\(quoted(provider.path)) was found, which has no versions at all: at the symbol \(quoted(symbol)) the "
                + "dynamic linker ends the process.",
            "Install the library as it was when the plug-in was linked, built with its version script, or build the plug-in "
                + "against the one that is installed.")
    }

    /// The first symbol of a version that a file uses and a library defines.
    private static func symbol(
        of version: SymbolVersions.Needed, in file: ELFFile, definedBy library: ELFFile
    ) -> String? {
        guard let symbols = file.symbols, let definitions = library.symbols else { return nil }
        var budget = ReadingBudget(inputSize: Int(clamping: file.file.identity.size))
        for index in symbols.numbers(atMost: examinedLimit) where !symbols[index].isDefined {
            guard file.versions.needed[file.versions.index(ofSymbol: index).index] == version else { continue }
            let name = symbols.name(of: symbols[index])
            guard budget.take(bytes: name.utf8.count) else { return nil }
            if !definitions.definitions(of: SymbolName(name)).isEmpty { return name }
        }
        return nil
    }

    private mutating func addVersion(_ version: SymbolVersions.Needed, neededBy: ELFFile, provider: ELFFile) {
        let family = String(version.name.prefix { $0 != "_" })
        let highest = provider.versions.defined.values.filter {
            $0.hasPrefix(family + "_") && $0.last?.isNumber == true
        }
        .max { Self.numbers($0).lexicographicallyPrecedes(Self.numbers($1)) }
        let has = highest.map { "which goes up to \(quoted($0))" } ?? "which has no version of that family"
        let isGlibc = family == "GLIBC"
        add(
            .dependencyMissing, path: neededBy.path, subject: version.name,
            "\(quoted(neededBy.path)) needs version \(quoted(version.name)) of \(quoted(version.library)), but "
                + "\(quoted(provider.path)) was found, \(has).",
            isGlibc
                ? "Build the plug-in on a system whose glibc is "
                    + "\(highest.map { String($0.dropFirst(6)) } ?? "no newer than this one") or older, for instance "
                    + "in a container of the oldest distribution on which it must run, or run the host on a newer "
                    + "system."
                : "Install a newer version of the package that holds \(quoted(provider.path)), or build the plug-in "
                    + "against the one that is installed."
        )
    }

    /// The numbers in a version's name, so that GLIBC_2.4 comes before GLIBC_2.36.
    private static func numbers(_ name: String) -> [Int] {
        name.split { !$0.isNumber }.map { Int($0) ?? 0 }
    }

    // MARK: - Search paths

    /// Reports absolute directories of RUNPATH or RPATH to which every user may write (fault 69).
    ///
    /// For a path that does not exist, it checks the directory in which it could be created.
    mutating func checkWritableSearchPaths() {
        for file in closure.newFiles {
            guard let list = file.runPath ?? file.rPath else { continue }
            let tag = file.runPath != nil ? "RUNPATH" : "RPATH"
            for element in Set(list.split(separator: ":").map(String.init)).sorted() where element.hasPrefix("/") {
                guard let writable = Self.writableDirectory(of: element) else { continue }
                warn(
                    .unsafeSearchPath, path: file.path, subject: element,
                    "\(quoted(file.path)) has \(quoted(element)) in its \(tag), but everybody may write to "
                        + "\(quoted(writable)): the host would load a library that anybody puts there.",
                    writable == Path.lexicallyNormalized(element)
                        ? "Run: chmod o-w \(shellWord(writable))"
                        : "Link without that -rpath: the directory does not exist.")
            }
        }
    }

    private static func writableDirectory(of path: String) -> String? {
        var directory = Path.lexicallyNormalized(path)
        while directory != "/" {
            if let identity = FileIdentity(path: directory) {
                return identity.isDirectory && identity.mode & S_IWOTH != 0 ? directory : nil
            }
            directory = Path.parent(directory)
        }
        return nil
    }
}
