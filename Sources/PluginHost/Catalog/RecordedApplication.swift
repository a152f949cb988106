import BundleReading
import CatalogIndexing
import Glibc
import HostRecords

/// The facts that an application stored about itself when it last ran.
///
/// For tools.
@_spi(Tools) public struct RecordedApplication: Sendable {
    private let record: ApplicationRecord

    /// The record of an application of this user; nil if it never ran or keeps its indexes in another directory.
    public init?(_ application: String) {
        guard let path = ApplicationRecord.path(of: application, in: IndexFile.userDirectory),
            let record = ApplicationRecord(path: path)
        else { return nil }
        self.record = record
    }

    /// The application's version; nil if it stated none.
    public var version: String? { record.version.isEmpty ? nil : record.version }
    /// The absolute path of its executable, if that still exists.
    public var program: String? {
        record.program.hasPrefix("/") && access(record.program, X_OK) == 0 ? record.program : nil
    }
    /// The application's main bundle; nil if its executable no longer exists.
    public var mainBundle: PluginBundle? {
        program.flatMap { try? PluginBundle.open(path: BundleLayout.mainDirectory(ofProgram: $0)) }
    }
    /// The services that it offered, as extension point and version, in order.
    public var services: [(point: String, version: UInt32)] { record.services.sorted().map { ($0.name, $0.version) } }

    /// Whether the application offered a service.
    public func offers(_ point: String, _ version: UInt32) -> Bool {
        record.services.contains(.init(name: point, version: version))
    }

    /// The versions of an extension point that the application requested and a plug-in did not declare.
    public func requestedVersions(of point: String) -> [UInt32] {
        record.requests.filter { $0.name == point }.map(\.version).sorted()
    }
}

extension ApplicationRecorder {
    static let shared = ApplicationRecorder { HostEnvironment.current.version }
}
