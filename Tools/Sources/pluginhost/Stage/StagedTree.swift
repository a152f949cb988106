import ELFImages
import Foundation
import HostBasics
@_spi(Tools) import PluginHost
import PluginPacking

/// The directory that `pluginhost stage` makes.
///
/// It has `bin`, `lib` and `lib/APPLICATION/plugins`, in which an application of that name looks for plug-ins
/// (docs/administrators.md, “Search paths”).
struct StagedTree {
    let path: String
    private let program: String
    private let application: String
    var findings: [PluginFinding] = []
    /// The files that were put into it, as paths relative to it.
    ///
    /// A bundle counts as one file.
    private(set) var files: [String] = []
    /// The libraries that the system must have.
    private(set) var systemLibraries: [String] = []
    /// Whether the library PluginHost in it was compiled with the optimiser.
    private(set) var isOptimised = true

    private var plugInDirectory: String { "lib/\(application)/plugins" }
    private var programName: String { program.split(separator: "/").last.map(String.init) ?? "" }
    private let manager = FileManager.default

    init(path: String, program: String, application: String) {
        self.path = URL(filePath: path).standardizedFileURL.path.trimmingSuffix("/")
        self.program = program
        self.application = application
    }

    /// Makes the directory beside its place, checks it there, and renames it.
    ///
    /// So an incomplete directory is never visible, and an error leaves the old one unchanged.
    mutating func make(of plan: StagePlan, replaces: Bool) {
        findings += plan.findings
        systemLibraries = plan.systemLibraries.keys.sorted()
        isOptimised = plan.isOptimised
        guard !hasErrors else { return }
        if manager.fileExists(atPath: path), !replaces {
            findings.append(
                Self.failure(
                    path, "The directory “\(path.escapedForTerminal)” exists.", "Remove it, or give --replace."))
            return
        }
        let temporary = "\(path).stage-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? manager.removeItem(atPath: temporary) }
        do {
            try copy(plan, to: temporary)
            check(temporary)
            guard !hasErrors else { return }
            if manager.fileExists(atPath: path) { try manager.removeItem(atPath: path) }
            try manager.moveItem(atPath: temporary, toPath: path)
        } catch let finding as PluginFinding {
            findings.append(finding)
        } catch {
            findings.append(
                Self.failure(
                    path, "The directory “\(path.escapedForTerminal)” cannot be made: \(error.localizedDescription)",
                    "Check who may write there, and how much room there is."))
        }
    }

    private var hasErrors: Bool { findings.contains { $0.severity == .error } }

    private static func failure(_ path: String, _ message: String, _ remedy: String) -> PluginFinding {
        PluginFinding(.notStaged, filePath: path, message: message, remedy: remedy)
    }

    // MARK: - Copying

    private mutating func copy(_ plan: StagePlan, to root: String) throws {
        for directory in ["bin", "lib", plugInDirectory] {
            try manager.createDirectory(atPath: "\(root)/\(directory)", withIntermediateDirectories: true)
        }
        try copyProgram(to: root)
        for library in plan.libraries { try copy(library, to: "lib", in: root) }
        for plugIn in plan.plugIns { try copy(plugIn, to: root) }
        files.sort()
    }

    private mutating func copyProgram(to root: String) throws {
        let target = "bin/\(programName)"
        try copyItem(program, to: target, in: root)
        try SearchPath(["$ORIGIN/../lib"]).set(in: "\(root)/\(target)")
        // The package manager puts the resources of targets beside the executable, and the generated code looks for
        // them there.
        let directory = URL(filePath: program).deletingLastPathComponent().path
        for (name, kind) in DirectoryListing(path: directory).names.sorted(by: { $0.key < $1.key })
        where name.hasSuffix(".resources") && kind != .file {
            try copyItem("\(directory.trimmingSuffix("/"))/\(name)", to: "bin/\(name)", in: root)
        }
    }

    /// Copies a library under the name by which it is needed.
    ///
    /// A link of that name may lead to a file with another name.
    private mutating func copy(_ library: StagePlan.Library, to directory: String, in root: String) throws {
        try copyItem(library.file.path, to: "\(directory)/\(library.name)", in: root)
        try Self.makeRelative(library, at: "\(root)/\(directory)/\(library.name)")
        record(library, at: "\(root)/\(directory)/\(library.name)")
    }

    /// Writes the interfaces of a library into its copy, unless it has a record or no modules are beside it.
    ///
    /// The copy is useful without it, so a failure is a warning.
    private mutating func record(_ library: StagePlan.Library, at path: String) {
        // The interfaces of the toolchain grow only with library evolution.
        guard !InterfaceRecorder.isForeign(library.name), LibraryInterfaces(of: library.file).record == nil else {
            return
        }
        do throws(PackingError) {
            try InterfaceRecorder.write(InterfaceRecorder.record(ofLibrary: library.file.path), into: path)
        } catch {
            findings.append(
                PluginFinding(
                    .warning, .interfaceUnrecorded, filePath: library.file.path, subject: library.name,
                    message: error.message, remedy: error.remedy))
        }
    }

    /// Makes the search path of a library relative, if the library has one.
    ///
    /// A library without a search path does not need one.
    private static func makeRelative(_ library: StagePlan.Library, at path: String) throws {
        if library.file.searchPath != nil { try SearchPath(["$ORIGIN"]).set(in: path) }
    }

    private mutating func copy(_ plugIn: StagePlan.PlugIn, to root: String) throws {
        let source = plugIn.bundle.bundlePath
        let target = "\(plugInDirectory)/\(source.split(separator: "/").last ?? "")"
        guard !files.contains(target) else {
            throw Self.failure(
                source, "Two plug-ins have the name “\(source.split(separator: "/").last ?? "")”.",
                "Rename one of the bundles.")
        }
        try copyItem(source, to: target, in: root)
        for file in plugIn.files {
            let path = "\(root)/\(target)/\(file)"
            // A host refuses a plug-in whose search path leads out of its bundle to a directory that others may change.
            // The application's libraries are found without a search path.
            try SearchPath(of: try LinkedFile(path: path).searchPath, within: file).set(in: path)
            for name in plugIn.surplusNames[file] ?? [] { try Patchelf.run(["--remove-needed", name, path]) }
        }
        guard !plugIn.libraries.isEmpty else { return }
        let inner = manager.fileExists(atPath: source + "/Contents") ? "Contents/Frameworks" : "Frameworks"
        let frameworks = plugIn.bundle.privateFrameworksPath?.relative(to: source) ?? inner
        try manager.createDirectory(
            atPath: "\(root)/\(target)/\(frameworks)", withIntermediateDirectories: true)
        for library in plugIn.libraries {
            let path = "\(target)/\(frameworks)/\(library.name)"
            try copyItem(library.file.path, to: path, in: root, isListed: false)
            try Self.makeRelative(library, at: "\(root)/\(path)")
            // The host opens the libraries in a bundle first. The dynamic linker then recognises them only by their
            // SONAME.
            if library.file.ownName != library.name {
                try Patchelf.run(["--set-soname", library.name, "\(root)/\(path)"])
            }
        }
    }

    private mutating func copyItem(
        _ source: String, to target: String, in root: String, isListed: Bool = true
    ) throws {
        let real = URL(filePath: source).resolvingSymlinksInPath().path
        try manager.copyItem(atPath: real, toPath: "\(root)/\(target)")
        if isListed { files.append(target) }
    }

    // MARK: - Checking

    /// Reads the copies as another machine would.
    ///
    /// Everything that they need must be in the tree or belong to the system, and the staged program must be able to
    /// load each bundle.
    private mutating func check(_ root: String) {
        let host = "\(root)/bin/\(programName)"
        let names = files.filter { $0.hasPrefix(plugInDirectory + "/") }
        let bundles = names.compactMap { PluginBundle(path: "\(root)/\($0)") }
        let plan = StagePlan(program: host, bundles: bundles, copiedLibraries: [], obeysEnvironment: false)
        var found = plan.findings
        for library in plan.libraries + plan.plugIns.flatMap(\.libraries)
        where Path.part(of: library.file.path, in: root) == nil {
            found.append(
                Self.failure(
                    library.file.path,
                    "The staged files find “\(library.name)” at “\(library.file.path.escapedForTerminal)”, outside of the tree.",
                    "Link the library that names this directory with -rpath '$ORIGIN'."))
        }
        let program = InspectedProgram(path: host)
        for bundle in bundles { found += bundle.findings(loadedBy: program) }
        findings += found.map { finding in
            var finding = finding
            finding.filePath = finding.filePath.map { $0.replacing(root, with: path) }
            finding.message = finding.message.replacing(root, with: path)
            finding.remedy = finding.remedy.replacing(root, with: path)
            return finding
        }
    }
}

extension PluginError.Code {
    /// The directory of a staged application cannot be made.
    static let notStaged = Self(rawValue: "notStaged")
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        count > suffix.count && hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
