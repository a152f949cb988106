import FoundationEssentials
import Glibc
import PropertyLists
import Synchronization

/// The folder with Info.plist and Resources from which the bundle under test is assembled.
struct BundleSourceFolder: Hashable {
    /// Its absolute path.
    let path: String
    /// The bundle's name.
    let name: String
    /// The content of Info.plist.
    let info: [String: PropertyList]

    init(name: String?, folder: String?, testFile: String) throws(TestKitError) {
        let package = try Self.package(of: testFile)
        // Search these in order. The first folder with an Info.plist is the source.
        let folders = folder.map { [$0] } ?? [".", name ?? "."]
        let paths = folders.map { $0 == "." ? package : "\(package)/\($0)" }
        guard let path = paths.first(where: { FileManager.default.fileExists(atPath: "\($0)/Info.plist") }) else {
            let wanted = name.map { "“\($0)”, source: “Plugins/\($0)”" } ?? "source: “Plugins/Loud”"
            let searched = Set(paths).sorted().joined(separator: "” or “")
            throw TestKitError(
                code: .sourceMissing, path: "\(paths[0])/Info.plist",
                message: "There is no Info.plist of the bundle under test in “\(searched)”.",
                remedy: "Name its folder, from the directory of Package.swift: underTest(\(wanted)).")
        }
        self.path = path
        info = try Self.info("\(path)/Info.plist")
        let executable = (info["NSExecutable"] ?? info["CFBundleExecutable"])?.string
        self.name = name ?? executable ?? path.split(separator: "/").last.map(String.init) ?? "Bundle"
    }

    /// The package of a test: the nearest directory above its file that has a Package.swift.
    static func package(of testFile: String) throws(TestKitError) -> String {
        var directory = Substring(testFile)
        while let end = directory.lastIndex(of: "/"), end > directory.startIndex {
            directory = directory[..<end]
            if FileManager.default.fileExists(atPath: "\(directory)/Package.swift") { return String(directory) }
        }
        throw TestKitError(
            code: .sourceMissing, path: testFile, message: "No directory above “\(testFile)” has a Package.swift.",
            remedy: "Run the tests where they were compiled, or pass the path of a file in the package as filePath.")
    }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }

    private static func info(_ path: String) throws(TestKitError) -> [String: PropertyList] {
        let remedy = "“pluginhost lint \(path)” shows every fault with its line."
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw TestKitError(
                code: .unreadable, path: path, message: "“\(path)” cannot be read.", remedy: "Check its permissions.")
        }
        do throws(PropertyListFault) {
            if let dictionary = try PropertyListReader.read(Array(bytes)).value.dictionary { return dictionary }
        } catch {
            throw TestKitError(
                code: .manifestInvalid, path: path, message: "“\(path)” cannot be read: \(error)", remedy: remedy)
        }
        throw TestKitError(
            code: .manifestInvalid, path: path, message: "“\(path)” is not a dictionary.", remedy: remedy)
    }
}

/// The bundles under test of this process, each assembled once.
final class AssembledBundles: Sendable {
    static let shared = AssembledBundles()

    private let paths = Mutex<[BundleSourceFolder: String]>([:])
    /// Removed at the end of the process, because the bundles are shared by all tests.
    private static let folder: Result<TemporaryFolder, TestKitError> = {
        atexit { if case .success(let folder) = AssembledBundles.folder { folder.remove() } }
        return Result { () throws(TestKitError) in try TemporaryFolder() }
    }()

    /// The path of the bundle for a source.
    ///
    /// The first call assembles the bundle.
    func path(of source: BundleSourceFolder) throws(TestKitError) -> String {
        try paths.withLock { (paths) throws(TestKitError) in
            if let path = paths[source] { return path }
            let path = try Self.assemble(source, in: Self.folder.get(), as: "\(paths.count)/\(source.name).bundle")
            paths[source] = path
            return path
        }
    }

    private static func assemble(
        _ source: BundleSourceFolder, in folder: TemporaryFolder, as bundle: String
    ) throws(TestKitError) -> String {
        var info = source.info
        let executable = (info["NSExecutable"] ?? info["CFBundleExecutable"])?.string
        if executable != nil || BundleSourceFolder.isDirectory("\(source.path)/Sources") {
            let file = executable ?? source.name
            info["NSExecutable"] = info["NSExecutable"] ?? .string(file)
            try folder.copy(builtLibrary(named: source.name), to: "\(bundle)/Contents/Linux/\(file)")
        }
        info["CFBundleName"] = info["CFBundleName"] ?? .string(source.name)
        info["CFBundlePackageType"] = info["CFBundlePackageType"] ?? "BNDL"
        try folder.write("\(bundle)/Contents/Info.plist", TemporaryBundle.list(info, of: source.path))
        if BundleSourceFolder.isDirectory("\(source.path)/Resources") {
            try folder.copy("\(source.path)/Resources", to: "\(bundle)/Contents/Resources")
        }
        return "\(folder.path)/\(bundle)"
    }
}

/// The library of a product that was built for this test run: `libNAME.so` beside the test program.
///
/// - Parameter name: the name of a dynamic library product.
/// - Returns: its absolute path.
/// - Throws: ``TestKitError`` of code `notBuilt`.
public func builtLibrary(named name: String) throws(TestKitError) -> String {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let directory = program.deletingLastPathComponent().path
    let path = "\(directory)/lib\(name).so"
    guard FileManager.default.fileExists(atPath: path) else {
        throw TestKitError(
            code: .notBuilt, path: path,
            message: "The library of “\(name)” is not built: there is no “\(path)”.",
            remedy: "“swift test” builds it if Package.swift has the product "
                + ".library(name: \"\(name)\", type: .dynamic, targets: [\"\(name)\"]).")
    }
    return path
}
