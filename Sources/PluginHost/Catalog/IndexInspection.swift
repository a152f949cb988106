import CatalogIndexing
import Glibc
import HostBasics

/// A user's index files and their faults.
@_spi(Tools) public struct IndexInspection: Sendable {
    /// Where they are kept; nil for a user without a home directory.
    public let directory: String?
    /// The valid files, each with its search paths.
    public private(set) var files: [(path: String, searchPaths: [String])] = []
    /// How many files have the format of another version of the library.
    ///
    /// The next start of their application replaces them.
    public private(set) var countOfOtherFormats = 0
    /// Warnings of code `indexUnusable` and about permissions.
    ///
    /// A catalogue works without a file that cannot be used.
    public private(set) var findings: [PluginFinding] = []

    init(directory: String?) {
        self.directory = directory
        guard let directory else {
            findings = [
                Self.finding(
                    nil, "There is no place for index files: neither XDG_CACHE_HOME nor a home directory is known.",
                    "Set HOME, or XDG_CACHE_HOME to an absolute path.")
            ]
            return
        }
        guard FileIdentity(path: directory) != nil else {
            // It is created when it is first needed, if possible.
            if errno != ENOENT {
                let number = errno
                findings = [
                    Self.unusable(
                        directory, "cannot be opened (\(describe(errno: number)))", ErrorNumber.remedy(number))
                ]
            }
            return
        }
        findings = Permissions.findings(of: [directory])
        if access(directory, W_OK) != 0 {
            let number = errno
            findings.append(
                Self.unusable(
                    directory, "cannot be written to (\(describe(errno: number)))",
                    ErrorNumber.remedy(number, to: .make)))
        }
        let names: BundleNames
        do throws(PluginFinding) {
            names = try BundleNames(directory: directory, extensions: [IndexFile.pathExtension])
        } catch {
            findings.append(Self.unusable(directory, "cannot be listed", error.remedy))
            return
        }
        for name in names.names where name.isReadable {
            let path = Path.join(directory, name.text)
            do throws(IndexFile.Failure) {
                if let index = try IndexFile(path: path).read() { files.append((path, index.folders.map(\.path))) }
            } catch {
                if error.isOfOtherFormat {
                    countOfOtherFormats += 1
                } else {
                    findings.append(Self.unusable(path, error.reason, error.remedy))
                }
            }
        }
    }

    private static func unusable(_ path: String, _ reason: String, _ remedy: String? = nil) -> PluginFinding {
        finding(
            path, "The index of plug-ins \(quoted(path)) \(reason).",
            remedy ?? "Remove it, or make the user of the application its owner; it is created again.")
    }

    private static func finding(_ path: String?, _ message: String, _ remedy: String) -> PluginFinding {
        PluginFinding(.warning, .indexUnusable, filePath: path, message: message, remedy: remedy)
    }
}

extension PluginCatalog {
    /// Examines all index files in a place, of all applications, and changes none.
    ///
    /// - Returns: nil for ``IndexStorage/none``.
    ///
    /// **Cost.** Reads every index file.
    @_spi(Tools) public static func inspectIndex(_ storage: IndexStorage = .user) -> IndexInspection? {
        switch storage {
        case .none: nil
        case .user: IndexInspection(directory: IndexFile.userDirectory)
        case .directory(let path): IndexInspection(directory: Path.normalized(path) ?? path)
        }
    }
}
