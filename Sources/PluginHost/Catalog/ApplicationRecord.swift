import Glibc
import HostBasics
internal import PropertyLists
import Synchronization

/// The facts that an application stores about itself beside the indexes of its catalogues: its version, its executable,
/// the services that it offers, and the extensions that it does not get.
///
/// The command `pluginhost` uses them in its explanations.
///
/// The file is `NAME.application`: a property list that is replaced as a whole, and only if something in it changed. It
/// only describes the application. Without the file, the command can explain less, and the application works the same.
struct ApplicationRecord: Sendable, Equatable {
    /// A version of an extension point.
    struct Point: Sendable, Hashable, Comparable {
        let name: String
        let version: UInt32

        static func < (a: Point, b: Point) -> Bool { (a.name, a.version) < (b.name, b.version) }
    }

    /// `HostEnvironment.version`; empty if the application has none.
    var version = ""
    /// The path of the executable, with links resolved.
    var program = ""
    /// When the executable was last modified, in nanoseconds since 1970: another build may offer other services.
    var programTime: Int64 = 0
    /// The services that it has provided at any time while it ran.
    var services: Set<Point> = []
    /// The versions of extension points that it requested although a plug-in declares another version.
    var requests: Set<Point> = []

    private enum Key {
        static let version = "Version"
        static let program = "Program"
        static let programTime = "ProgramTime"
        static let services = "Services"
        static let requests = "Requests"
        static let point = "ExtensionPoint"
    }

    /// The most bytes that a record may have, and the most points of each kind.
    private static let mostBytes = 1 << 20
    private static let mostPoints = 1_000

    /// The file of an application; nil if its name is not one path component, or there is no directory.
    static func path(of application: String, in directory: String?) -> String? {
        guard ApplicationState.directory(of: application) != nil || application == Path.lastComponent(application),
            !application.isEmpty, application != ".", application != "..", application.utf8.count < 200
        else { return nil }
        return directory.map { Path.join($0, application + ".application") }
    }

    // MARK: Content

    /// Adds the facts of an earlier record of the same executable.
    mutating func add(_ earlier: ApplicationRecord) {
        guard earlier.version == version, earlier.program == program, earlier.programTime == programTime else { return }
        services.formUnion(earlier.services)
        requests.formUnion(earlier.requests)
    }

    // MARK: The file

    /// Reads a record; nil if there is none or it cannot be used.
    init?(path: String) {
        guard let bytes = try? OwnFile.bytes(path: path, atMost: Self.mostBytes),
            let items = try? PropertyListReader.read(bytes).value.dictionary
        else { return nil }
        version = items[Key.version]?.string ?? ""
        program = items[Key.program]?.string ?? ""
        programTime = items[Key.programTime]?.string.flatMap { Int64($0) } ?? 0
        services = Self.points(items[Key.services])
        requests = Self.points(items[Key.requests])
    }

    init(version: String, program: String, programTime: Int64) {
        (self.version, self.program, self.programTime) = (version, program, programTime)
    }

    private static func points(_ list: PropertyList?) -> Set<Point> {
        Set(
            (list?.array ?? []).prefix(mostPoints).compactMap { item in
                guard let items = item.dictionary, let name = items[Key.point]?.string,
                    let version = items[Key.version]?.string.flatMap({ UInt32($0) })
                else { return nil }
                return Point(name: name, version: version)
            })
    }

    private static func list(_ points: Set<Point>) -> PropertyList {
        .array(
            points.sorted().prefix(mostPoints).map {
                .dictionary([Key.point: .string($0.name), Key.version: .string("\($0.version)")])
            })
    }

    /// Replaces the file.
    ///
    /// A missing directory is not created, because the index creates it. A failure is not reported, because writing the
    /// index fails for the same reason and reports it.
    func write(to path: String) {
        let items: [String: PropertyList] = [
            Key.version: .string(version), Key.program: .string(program), Key.programTime: .string("\(programTime)"),
            Key.services: Self.list(services), Key.requests: Self.list(requests),
        ]
        guard let text = try? PropertyListWriter.xml(.dictionary(items)), text.utf8.count <= Self.mostBytes
        else { return }
        guard let directory = FileIdentity(path: Path.parent(path)), directory.owner == geteuid() else { return }
        guard (try? FileReplacement().replace(path, with: Array(text.utf8))) != nil else { return }
        FileReplacement.removeLeftovers(of: path)
    }
}

/// Keeps the record of this process's application up to date.
///
/// The file is read once, and written when a new fact becomes known, while no lock is held. If two processes write at
/// the same time, the later one wins, and the other adds its facts again after its next start.
///
/// **Threads.** Any.
final class ApplicationRecorder: Sendable {
    static let shared = ApplicationRecorder()

    private struct State {
        /// The file; nil until a catalogue is created with the application's name.
        var path: String?
        /// The content of the file.
        var written: ApplicationRecord?
        var services: Set<ApplicationRecord.Point> = []
        var requests: Set<ApplicationRecord.Point> = []
    }

    private let state = Lock(State())
    /// Whether the application has requested a version of an extension point where a plug-in declares another version.
    ///
    /// Requested versions are recorded only then.
    private let notesRequests = Atomic(false)

    /// Starts to keep the record of an application, in a directory of indexes.
    func begin(_ application: String, in directory: String?) {
        guard let path = ApplicationRecord.path(of: application, in: directory) else { return }
        let written = ApplicationRecord(path: path)
        state.withLock { ($0.path, $0.written) = (path, written) }
        if !(written?.requests.isEmpty ?? true) { notesRequests.store(true, ordering: .relaxed) }
        write()
    }

    /// Records a service that the application provides.
    func noteService(_ point: String, _ version: UInt32) {
        if state.withLock({ $0.services.insert(.init(name: point, version: version)).inserted }) { write() }
    }

    /// Records that the application requested a version of an extension point.
    ///
    /// `skipsOthers`: whether plug-ins declare another version.
    ///
    /// - Returns: whether they do, and this request was not known before.
    ///
    /// **Cost.** Reading one number, until a request has skipped another version.
    func noteRequest(_ point: String, _ version: UInt32, skipsOthers: Bool) -> Bool {
        guard skipsOthers || notesRequests.load(ordering: .relaxed) else { return false }
        if skipsOthers { notesRequests.store(true, ordering: .relaxed) }
        let isNew = state.withLock { $0.requests.insert(.init(name: point, version: version)).inserted }
        guard isNew else { return false }
        write()
        return skipsOthers
    }

    private func write() {
        // Read outside the lock, because the environment contains closures of the application.
        let version = HostEnvironment.current.version
        let program = Path.mainProgram
        let time = FileIdentity(path: program)?.modified ?? 0
        let changed: (ApplicationRecord, String)? = state.withLock { state in
            guard let path = state.path else { return nil }
            var record = ApplicationRecord(version: version, program: program, programTime: time)
            (record.services, record.requests) = (state.services, state.requests)
            if let written = state.written { record.add(written) }
            guard record != state.written else { return nil }
            state.written = record
            return (record, path)
        }
        if let (record, path) = changed { record.write(to: path) }
    }
}

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
