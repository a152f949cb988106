import ELFImages
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// The files of a staged application, found by reading the original files.
///
/// The rule: a library that a file finds through its own search path belongs to the application and is copied. A
/// library that the dynamic linker finds for every program belongs to the system.
struct StagePlan {
    /// A library to copy.
    ///
    /// `name` is the name under which other files need it, and also the name of its copy.
    struct Library {
        let name: String
        let file: LinkedFile
    }

    /// A bundle, with the libraries that it needs and that the application does not have.
    struct PlugIn {
        let bundle: PluginBundle
        /// The bundle's own ELF files, as paths relative to the bundle.
        var files: [String] = []
        var libraries: [Library] = []
        /// For each file of the bundle, other names of the library PluginHost that it needs.
        ///
        /// The application has that library already.
        var surplusNames: [String: [String]] = [:]
    }

    let program: String
    /// The libraries of the application; those that its executable needs directly come first.
    private(set) var libraries: [Library] = []
    private(set) var plugIns: [PlugIn] = []
    /// The names of the libraries that the system must have, each with one file that needs it.
    private(set) var systemLibraries: [String: String] = [:]
    private(set) var findings: [PluginFinding] = []
    /// Whether the library PluginHost was compiled with the optimiser.
    var isOptimised: Bool { !libraries.contains { Self.isThisLibrary($0.name) && $0.file.isUnoptimisedPluginHost } }

    private let finder: LibraryFinder
    private let copiedLibraries: Set<String>

    /// - Parameters:
    ///   - program: the application's executable.
    ///   - bundles: its plug-ins.
    ///   - copiedLibraries: libraries to copy although the system has them.
    ///   - obeysEnvironment: whether to search `LD_LIBRARY_PATH`, as is right on the machine that built the
    ///     application.
    init(program: String, bundles: [PluginBundle], copiedLibraries: [String], obeysEnvironment: Bool = true) {
        self.program = program
        self.copiedLibraries = Set(copiedLibraries)
        finder = LibraryFinder(obeysEnvironment: obeysEnvironment)
        guard let host = read(program) else { return }
        follow([host]) { library, plan in plan.libraries.append(library) }
        for name in copiedLibraries where !libraries.contains(where: { $0.name == name }) {
            findings.append(
                PluginFinding(
                    .warning, .dependencyMissing, subject: name,
                    message: "The application does not need the library “\(name.escapedForTerminal)” of --with.",
                    remedy: "Check the name: it is the one that “readelf -d” shows, such as libffi.so.8."))
        }
        for bundle in bundles { add(bundle, host) }
    }

    private mutating func read(_ path: String) -> LinkedFile? {
        do throws(PluginFinding) {
            return try LinkedFile(path: path)
        } catch {
            findings.append(error)
            return nil
        }
    }

    /// Whether the library is already known, as one to copy or as one of the system.
    private func has(_ name: String) -> Bool {
        systemLibraries[name] != nil || libraries.contains { $0.name == name }
    }

    private func isCopied(_ name: String) -> Bool {
        // The library PluginHost is copied even if it is installed, because other machines do not have it.
        Self.isThisLibrary(name) || copiedLibraries.contains(name)
    }

    /// Whether a name is one of the library PluginHost's names.
    ///
    /// In a package the name has no version, elsewhere it has one.
    private static func isThisLibrary(_ name: String) -> Bool { name.hasPrefix("libPluginHost.so") }

    /// Finds every library that a file needs, directly or not.
    ///
    /// Passes those that must be copied to `take`.
    ///
    /// `chain`: the file, then the files that need it. `own`: names that are not searched for.
    private mutating func follow(
        _ chain: [LinkedFile], own: Set<String> = [], take: (Library, inout StagePlan) -> Void
    ) {
        var chains = [chain]
        var taken = own
        var next = 0
        while next < chains.count {
            let chain = chains[next]
            next += 1
            for name in chain[0].needed where !has(name) && !taken.contains(name) {
                taken.insert(name)
                guard !name.contains("/") else {
                    findings.append(Self.pathFinding(name, chain[0].path))
                    continue
                }
                switch finder.find(name, neededBy: chain) {
                case .missing(let finding): findings.append(finding)
                case .found(let file, let isOfSystem):
                    if isOfSystem, !isCopied(name) {
                        systemLibraries[name] = chain[0].path
                    } else {
                        take(Library(name: name, file: file), &self)
                        chains.append([file] + chain)
                    }
                }
            }
        }
    }

    private static func pathFinding(_ name: String, _ path: String) -> PluginFinding {
        PluginFinding(
            .dependencyMissing, filePath: path, subject: name,
            message: """
                “\(path.escapedForTerminal)” needs the library “\(name.escapedForTerminal)” by a path, which another machine \
                does not have.
                """,
            remedy: "Give the library a SONAME without a slash (-Wl,-soname,NAME), and link the file again.")
    }

    // MARK: - Plug-ins

    private mutating func add(_ bundle: PluginBundle, _ host: LinkedFile) {
        var plugIn = PlugIn(bundle: bundle)
        var own: Set<String> = []
        var files: [LinkedFile] = []
        if let path = bundle.executablePath, let file = read(path) { files.append(file) }
        // The libraries in the bundle. A file that is not an ELF file is a resource.
        if let directory = bundle.privateFrameworksPath {
            for (name, kind) in DirectoryListing(path: directory).names.sorted(by: { $0.key < $1.key })
            where kind == .file {
                guard let file = try? LinkedFile(path: "\(directory)/\(name)") else { continue }
                files.append(file)
                own.formUnion([name, file.ownName].compactMap(\.self))
            }
        }
        plugIn.files = files.map { $0.path.relative(to: bundle.bundlePath) }
        var added: [Library] = []
        // A second copy of PluginHost would bring a second PluginABI. The plug-in uses the application's copy instead.
        let hasLibrary = libraries.contains { Self.isThisLibrary($0.name) }
        for file in files where hasLibrary {
            let surplus = file.needed.filter { Self.isThisLibrary($0) && !has($0) }
            if !surplus.isEmpty { plugIn.surplusNames[file.path.relative(to: bundle.bundlePath)] = surplus }
            own.formUnion(surplus)
        }
        for file in files {
            follow([file, host], own: own) { library, _ in added.append(library) }
            own.formUnion(added.map(\.name))
        }
        plugIn.libraries = added
        plugIns.append(plugIn)
    }
}
