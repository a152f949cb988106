import Glibc
package import HostBasics

/// The process or program into which a plug-in would be loaded.
package enum ELFSurroundings {
    /// This process, with everything that is loaded into it.
    ///
    /// - Parameter pluginLibraries: the files of the plug-ins in the process. Other plug-ins do not use them as libraries,
    ///   and they may contain modules with the same names.
    /// - Parameter carriedLibraries: the libraries that bundles brought. No other bundle finds them by their names.
    case currentProcess(pluginLibraries: Set<String>, carriedLibraries: Set<String> = [])
    /// A process that runs the program and has not loaded anything else yet.
    case program(InspectedProgram)
}

/// The program and the libraries around a plug-in, as files.
///
/// Files are read even for this process: they define the same symbols as in memory, unless a file was replaced after it
/// was loaded.
package final class HostLibraries {
    package struct Library {
        package let path: String
        /// Nil if the file does not exist any more or cannot be read.
        package let file: ELFFile?
        /// The DT_NEEDED names that find it.
        package var names: Set<String>
        /// The Swift modules it defines.
        package let modules: Set<String>
    }

    package private(set) var libraries: [Library] = []
    /// The files whose symbols every plug-in sees: the program and the libraries that it needs, directly or indirectly.
    private(set) var globalScope: [Library] = []
    /// The program.
    package private(set) var program: ELFFile?
    /// The libraries that were not found although the program or one of its libraries needs them.
    package private(set) var missing: [LibraryClosure.Missing] = []
    /// Whether a program other than this process was named.
    let isNamedProgram: Bool
    package let search: LibrarySearch
    /// The files that could not be read.
    package let unread: UnreadFiles
    /// The findings about the program.
    package private(set) var findings: [PluginFinding] = []

    /// The maximum number of files; no process has as many.
    private static let limit = 4096

    /// `excluded`: the inspected plug-in, which may already be loaded.
    package init(_ surroundings: ELFSurroundings, excluding excluded: ELFFile?, unread: UnreadFiles = UnreadFiles()) {
        self.unread = unread
        search = LibrarySearch(unread: unread)
        isNamedProgram = if case .currentProcess = surroundings { false } else { true }
        switch surroundings {
        case .currentProcess(let pluginLibraries, let carriedLibraries):
            takeProcess(pluginLibraries, excluded)
            for index in libraries.indices where carriedLibraries.contains(libraries[index].path) {
                libraries[index].names = []
            }
        case .program(let program): takeProgram(program.path)
        }
    }

    /// Lets the next inspection read as much of each file as the first.
    func renewReadLimits() { for library in libraries { library.file?.renewReadLimit() } }

    /// The file for a needed name.
    package func library(named name: String) -> Library? { libraries.first { $0.names.contains(name) } }

    /// Whether all code of this process sees a symbol, because its library was opened with RTLD_GLOBAL.
    ///
    /// Always false for a program that does not run.
    func isVisibleToAll(_ symbol: String) -> Bool {
        !isNamedProgram && LoadedLibrary.program?.address(of: symbol) != nil
    }

    package func library(of file: ELFFile) -> Library? { libraries.first { $0.file?.isSameFile(as: file) == true } }

    // MARK: - This process

    private func takeProcess(_ pluginLibraries: Set<String>, _ excluded: ELFFile?) {
        let modules = LoadedLibraries.modules()
        var neededNames: Set<String> = []
        for library in LoadedLibraries.all().prefix(Self.limit) {
            if !library.isMainProgram, pluginLibraries.contains(library.path) { continue }
            let file =
                library.path.utf8.contains(UInt8(ascii: "/")) ? try? ELFFile(path: library.path, unread: unread) : nil
            if let file, let excluded, file.isSameFile(as: excluded) { continue }
            var names: Set<String> = [library.path]
            // The kernel's library (vDSO) has no file; its path is its SONAME.
            if let ownName = file?.ownName { names.insert(ownName) }
            neededNames.formUnion(file?.needed ?? [])
            if library.isMainProgram { program = file }
            libraries.append(
                Library(path: library.path, file: file, names: names, modules: modules[library.header] ?? []))
        }
        // A library without a SONAME, or whose file cannot be read, is found by the name under which another file
        // needed it.
        for index in libraries.indices {
            let name = Path.lastComponent(libraries[index].path)
            if neededNames.contains(name) { libraries[index].names.insert(name) }
        }
        takeGlobalScope()
    }

    private func takeGlobalScope() {
        guard let first = libraries.first else { return }
        var seen: Set<String> = [first.path]
        globalScope = [first]
        // Preloaded libraries come after the program and before its libraries; the order does not matter here.
        let preload = getenv("LD_PRELOAD").map { String(cString: $0) } ?? ""
        for name in preload.split(whereSeparator: { $0 == ":" || $0 == " " }) {
            let library = libraries.first { $0.path == name || Path.lastComponent($0.path) == name }
            if let library, seen.insert(library.path).inserted { globalScope.append(library) }
        }
        var next = 0
        while next < globalScope.count {
            for name in globalScope[next].file?.needed ?? [] {
                guard let library = library(named: name), seen.insert(library.path).inserted else { continue }
                globalScope.append(library)
            }
            next += 1
        }
    }

    // MARK: - A program

    private func takeProgram(_ path: String) {
        let main: ELFFile
        do throws(ELFFile.Unusable) {
            main = try ELFFile(path: path, unread: unread)
        } catch {
            findings.append(
                PluginFinding(
                    .notLoadable, filePath: path, message: "The program \(quoted(path)) \(error.reason).",
                    remedy: "Give the path of the application's executable for this machine."))
            return
        }
        program = main
        libraries.append(Library(path: path, file: main, names: [path], modules: main.modules))
        var loaders: [[ELFFile]] = [[main]]
        var seenMissing: Set<String> = []
        var next = 0
        while next < loaders.count, libraries.count < Self.limit {
            let chain = loaders[next]
            next += 1
            for name in chain[0].needed where library(named: name) == nil {
                let file: ELFFile
                switch search.find(name, neededBy: chain) {
                case .found(let found): file = found
                case .missing(let searched, let rejected):
                    if missing.count < Self.limit, seenMissing.insert(name).inserted {
                        missing.append(
                            LibraryClosure.Missing(
                                name: name, neededBy: chain[0].path, searched: searched, rejected: rejected))
                    }
                    continue
                }
                if let index = libraries.firstIndex(where: { $0.file?.isSameFile(as: file) == true }) {
                    libraries[index].names.insert(name)
                    continue
                }
                let names = Set([name, file.path] + (file.ownName.map { [$0] } ?? []))
                libraries.append(Library(path: file.path, file: file, names: names, modules: file.modules))
                loaders.append([file] + chain)
            }
        }
        globalScope = libraries
    }
}
