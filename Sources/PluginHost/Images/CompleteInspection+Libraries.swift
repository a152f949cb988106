import Glibc

extension CompleteInspection {
    /// All libraries that are missing, each with the places where it was looked for (fault 67).
    mutating func checkMissingLibraries() {
        for missing in closure.missing {
            var message =
                "\(quoted(missing.neededBy)) needs the library \(quoted(missing.name)), which is not found. "
                + "Searched: \(Self.list(missing.searched))."
            for rejected in missing.rejected {
                message += " The file \(quoted(rejected.path)) \(rejected.reason)."
            }
            add(
                .dependencyMissing, path: missing.neededBy, subject: missing.name, message,
                Self.remedy(forLibrary: missing.name))
        }
    }

    private static func list(_ places: [LibrarySearch.Place]) -> String {
        places.map { place in
            switch place.rule {
            case "": quoted(place.directory)
            case "cache": "the cache \(quoted(place.directory))"
            default: "\(quoted(place.directory)) (\(place.rule))"
            }
        }.joined(separator: ", ")
    }

    private static func remedy(forLibrary name: String) -> String {
        if name.hasPrefix("libswift") || name.hasPrefix("libFoundation") || name.hasPrefix("lib_Foundation") {
            return
                "Install the Swift runtime that the host was built with, or put its libraries beside the host and "
                + "link the host with -rpath '$ORIGIN/../lib'."
        }
        return
            "Install the package that holds \(name) (Debian, Ubuntu: apt-file search \(shellWord(name)); Fedora: dnf "
            + "provides \(shellWord("*/" + name))), or put the library into Contents/Frameworks of the bundle "
            + "and link the plug-in with -rpath '$ORIGIN/../Frameworks'."
    }

    // MARK: - Versions

    /// Versions that a library must have and has not, most often a glibc that is too old.
    mutating func checkVersions() {
        for file in closure.newFiles {
            var seen: Set<SymbolVersions.Needed> = []
            let needed = file.versions.needed.values.filter { !$0.isWeak && seen.insert($0).inserted }
            for version in needed.sorted(by: { ($0.library, $0.name) < ($1.library, $1.name) }) {
                guard let provider = closure.providers[version.library], provider.versions.isDefiner,
                    !provider.versions.defined.values.contains(version.name)
                else { continue }
                addVersion(version, neededBy: file, provider: provider)
            }
        }
    }

    private mutating func addVersion(_ version: SymbolVersions.Needed, neededBy: ImageFile, provider: ImageFile) {
        let family = String(version.name.prefix { $0 != "_" })
        let highest = provider.versions.defined.values.filter {
            $0.hasPrefix(family + "_") && $0.last?.isNumber == true
        }
        .max { Self.numbers($0).lexicographicallyPrecedes(Self.numbers($1)) }
        let has = highest.map { "which goes up to \(quoted($0))" } ?? "which has no version of that family"
        let isGlibc = family == "GLIBC"
        add(
            .dependencyMissing, path: neededBy.path, subject: version.name,
            "\(quoted(neededBy.path)) needs version \(quoted(version.name)) of \(quoted(version.library)); found was "
                + "\(quoted(provider.path)), \(has).",
            isGlibc
                ? "Build the plug-in on a system whose glibc is "
                    + "\(highest.map { String($0.dropFirst(6)) } ?? "no newer than this one") or older, for instance "
                    + "in a container of the oldest distribution it shall run on, or run the host on a newer "
                    + "system."
                : "Install a newer version of the package that holds \(quoted(provider.path)), or build the plug-in "
                    + "against the one that is installed."
        )
    }

    /// The numbers in a version's name: GLIBC_2.4 comes before GLIBC_2.36.
    private static func numbers(_ name: String) -> [Int] {
        name.split { !$0.isNumber }.map { Int($0) ?? 0 }
    }

    // MARK: - Search paths

    /// Absolute directories of RUNPATH or RPATH that others may put libraries into (fault 69). Those that exist now
    /// are looked at, and of a path that does not exist, the directory in which it could be made.
    mutating func checkWritableSearchPaths() {
        for file in closure.newFiles {
            guard let list = file.runPath ?? file.rPath else { continue }
            let tag = file.runPath != nil ? "RUNPATH" : "RPATH"
            for element in Set(list.split(separator: ":").map(String.init)).sorted() where element.hasPrefix("/") {
                guard let writable = Self.writableDirectory(of: element) else { continue }
                warn(
                    .unsafeSearchPath, path: file.path, subject: element,
                    "\(quoted(file.path)) has \(quoted(element)) in its \(tag), and everybody may write to "
                        + "\(quoted(writable)): whoever puts a library there has it loaded into the host.",
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
            directory = Path.directory(of: directory)
        }
        return nil
    }
}
