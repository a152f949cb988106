internal import HostBasics
internal import NibReading
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The lists of the classes that a bundle's nibs may name: the bundle's own list, those of the bundles that it
/// requires, and the application's lists, which the caller names.
struct NibClassLists {
    private(set) var classes = NibInspection.Classes()
    private(set) var findings: [LintFinding] = []
    /// The reasons why lists could not be read.
    ///
    /// ``findings`` has them too.
    private(set) var unread: [PluginFinding] = []

    /// - Parameters:
    ///   - bundle: the nibs' bundle; nil for a file outside of bundles.
    ///   - files: lists of the application.
    ///   - plugins: directories with required bundles, in addition to the directory that the bundle is in.
    init(of bundle: PluginBundle?, files: [String], plugins: [String]) {
        if let bundle {
            if let list = list(of: bundle) { classes.own.append(list) }
            for other in required(by: bundle, in: plugins) {
                if let list = list(of: other) { classes.required.append((list, other.bundlePath)) }
            }
        }
        for file in files {
            guard let list = read(file) else {
                findings.append(
                    LintFinding(
                        .error, .unreadable, filePath: file, message: "There is no file \(quoted(file)).",
                        remedy: "Correct the path of --classes."))
                continue
            }
            classes.application.append(list)
        }
        if let path = bundle.flatMap(Self.path) ?? files.first {
            findings += Self.findings(classes.faults, .nibClassMissing, path)
        }
    }

    private static func path(of bundle: PluginBundle) -> String? {
        bundle.path(forResource: NibClassList.fileName, ofType: nil)
    }

    private mutating func list(of bundle: PluginBundle) -> NibClassList? { Self.path(of: bundle).flatMap { read($0) } }

    private mutating func read(_ path: String) -> NibClassList? {
        do throws(PluginError) {
            guard let list = try NibClassList(contentsOf: path) else { return nil }
            findings += Self.findings(list.faults, .nibInterfaceInvalid, path)
            return list
        } catch {
            unread += error.findings
            findings += error.findings.map { LintFinding($0, in: nil) }
            return NibClassList([])
        }
    }

    private static func findings(
        _ faults: [NibClassList.Fault], _ code: PluginError.Code, _ path: String
    ) -> [LintFinding] {
        if faults.isEmpty { return [] }
        let file = LintedFile(path: path, type: .propertyList)
        return faults.map { fault in
            file.finding(
                .error, LintFinding.Code(rawValue: code.rawValue), at: [fault.key],
                subject: fault.className.map(displayed), fault.message,
                remedy:
                    "Correct \(NibClassList.fileName), or write it again with “pluginhost load --write-nib-classes”.")
        }
    }

    /// A folder with more subfolders than this is probably not a folder of sources; also the most findings about them.
    private static let mostFolders = 100

    /// The bundles that a bundle requires, beside it or in the named directories.
    ///
    /// Where one is not found, what could not be read is a finding: it may be there.
    private mutating func required(by bundle: PluginBundle, in directories: [String]) -> [PluginBundle] {
        var wanted = Set(bundle.manifest.requires.keys)
        guard !wanted.isEmpty else { return [] }
        var found: [PluginBundle] = []
        var unread: [LintFinding] = []
        for directory in [Path.parent(bundle.bundlePath)] + directories {
            let listing = DirectoryListing(path: directory)
            if let errno = listing.failure { unread.append(.unreadable(directory: directory, errno)) }
            let names = listing.names.filter { $0.value != .file }.keys.sorted()
            // A folder of sources can be opened as a bundle too.
            let bundles = names.filter { $0.hasSuffix(".bundle") }
            for name in bundles + names.filter({ !$0.hasSuffix(".bundle") }).prefix(Self.mostFolders)
            where !wanted.isEmpty {
                guard let other = try? PluginBundle.open(path: Path.join(directory, name)) else { continue }
                if let error = other.manifestError, unread.count < Self.mostFolders,
                    FileIdentity(path: other.manifestPath) != nil
                {
                    unread += error.findings.map { LintFinding($0, in: nil) }
                }
                guard let identifier = other.manifest.identifier, wanted.remove(identifier) != nil else { continue }
                found.append(other)
            }
        }
        if !wanted.isEmpty { findings += unread }
        return found
    }
}
