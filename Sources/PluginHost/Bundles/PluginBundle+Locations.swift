import BundleReading
import Glibc
import HostBasics

#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

extension PluginBundle {
    /// The bundle at a directory, or nil if there is none or the URL is not a file URL.
    public convenience init?(url: URL) {
        guard url.isFileURL else { return nil }
        self.init(path: url.path(percentEncoded: false))
    }

    /// Always nil: there is no App Store on Linux.
    ///
    /// It exists because Foundation's `Bundle` has it.
    public var appStoreReceiptURL: URL? { nil }

    /// The bundle's directory, with links resolved.
    public var bundleURL: URL { URL(filePath: bundlePath, directoryHint: .isDirectory) }

    /// The file with the bundle's code, or nil if there is none.
    public var executableURL: URL? { executablePath.map { URL(filePath: $0, directoryHint: .notDirectory) } }

    /// The directory of the resources, or nil if it does not exist.
    public var resourcePath: String? { existingDirectory(layout.resources) }
    /// The directory of the resources, or nil if it does not exist.
    public var resourceURL: URL? { resourcePath.map(Self.directoryURL) }

    /// The directory `Frameworks`, or nil if it does not exist.
    public var privateFrameworksPath: String? { supportDirectory("Frameworks") }
    /// The directory `Frameworks`, or nil if it does not exist.
    public var privateFrameworksURL: URL? { privateFrameworksPath.map(Self.directoryURL) }

    /// The directory `SharedFrameworks`, or nil if it does not exist.
    public var sharedFrameworksPath: String? { supportDirectory("SharedFrameworks") }
    /// The directory `SharedFrameworks`, or nil if it does not exist.
    public var sharedFrameworksURL: URL? { sharedFrameworksPath.map(Self.directoryURL) }

    /// The directory `SharedSupport`, or nil if it does not exist.
    public var sharedSupportPath: String? { supportDirectory("SharedSupport") }
    /// The directory `SharedSupport`, or nil if it does not exist.
    public var sharedSupportURL: URL? { sharedSupportPath.map(Self.directoryURL) }

    /// The directory `PlugIns` or, if it does not exist, `Plugins`; nil if neither exists.
    public var builtInPlugInsPath: String? { supportDirectory("PlugIns") ?? supportDirectory("Plugins") }
    /// The directory `PlugIns` or, if it does not exist, `Plugins`; nil if neither exists.
    public var builtInPlugInsURL: URL? { builtInPlugInsPath.map(Self.directoryURL) }

    /// An executable next to the bundle's own, such as a helper program; nil if there is none with that name.
    ///
    /// The file has exactly this name, or this name with `.so` after it, or with `lib` before and `.so` after it. For
    /// installed resources, `share/X.resources`, the first place is `libexec/X.executables`.
    public func path(forAuxiliaryExecutable executableName: String) -> String? {
        guard !executableName.isEmpty, !executableName.contains("/"), executableName != ".", executableName != ".."
        else { return nil }
        let directories = layout.auxiliaryDirectories + layout.executableDirectories
        return directories.firstNonNil { directory in
            ExecutablePlaces.affixes.lazy
                .map { Path.join(Path.join(self.bundlePath, directory), "", file: $0.0, executableName, $0.1) }
                .first { FileIdentity(path: $0)?.isRegularFile ?? false }
        }
    }

    /// An executable next to the bundle's own, such as a helper program; nil if there is none with that name.
    public func url(forAuxiliaryExecutable executableName: String) -> URL? {
        path(forAuxiliaryExecutable: executableName).map { URL(filePath: $0, directoryHint: .notDirectory) }
    }

    private func supportDirectory(_ name: String) -> String? { contents.existingSupportDirectory(name) }

    private func existingDirectory(_ relative: String) -> String? {
        let path = Path.join(bundlePath, relative)
        if let identity = FileIdentity(path: path) { return identity.isDirectory ? path : nil }
        // A directory that cannot be examined is not missing: reading it reports the reason.
        return ErrorNumber.leadsNowhere(errno) ? nil : path
    }

    private static func directoryURL(_ path: String) -> URL { URL(filePath: path, directoryHint: .isDirectory) }
}
