import Glibc
import HostBasics
import HostRecords
internal import PropertyLists
import Synchronization

/// The facts that an application stores about itself beside the indexes of its catalogues: its version, its executable,
/// the services that it offers, the extensions that it does not get, and where its policy lets plug-ins run.
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

    /// A decision of the application's policy about a plug-in that runs in a worker.
    struct Placing: Sendable, Equatable {
        let execution: PluginExecution
        /// The granted permissions, as ``PluginPermissions/items`` spells them.
        let granted: [String]
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
    /// The policy's decisions by identifier, only those that demand a worker.
    var placings: [String: Placing] = [:]

    private enum Key {
        static let version = "Version"
        static let program = "Program"
        static let programTime = "ProgramTime"
        static let services = "Services"
        static let requests = "Requests"
        static let point = "ExtensionPoint"
        static let placings = "Executions"
        static let execution = "Execution"
        static let granted = "Granted"
    }

    /// The most bytes that a record may have, and the most points or decisions of each kind.
    private static let mostBytes = 1 << 20
    static let mostPoints = 1_000

    /// The file of an application; nil if its name is not one path component, or there is no directory.
    static func path(of application: String, in directory: String?) -> String? {
        guard ApplicationState.directory(of: application) != nil || application == Path.lastComponent(application),
            !application.isEmpty, application != ".", application != "..", application.utf8.count < 200
        else { return nil }
        return directory.map { Path.join($0, application + suffix) }
    }

    private static let suffix = ".application"

    /// The application whose record has a file name; nil for another file.
    static func application(ofFile name: String) -> String? {
        name.hasSuffix(suffix) && name.count > suffix.count ? String(name.dropLast(suffix.count)) : nil
    }

    // MARK: Content

    /// Adds the facts of an earlier record of the same executable.
    mutating func add(_ earlier: ApplicationRecord) {
        guard earlier.version == version, earlier.program == program, earlier.programTime == programTime else { return }
        services.formUnion(earlier.services)
        requests.formUnion(earlier.requests)
        placings.merge(earlier.placings) { own, _ in own }
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
        for (identifier, item) in (items[Key.placings]?.dictionary ?? [:]).prefix(Self.mostPoints) {
            guard let execution = item[Key.execution]?.string.flatMap(PluginExecution.init(_:)) else { continue }
            let granted = (item[Key.granted]?.array ?? []).compactMap(\.string)
            placings[identifier] = Placing(execution: execution, granted: granted)
        }
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
    /// A missing directory is not created, because the index creates it. The reason of a failure is not reported,
    /// because writing the index fails for the same reason and reports it.
    ///
    /// The file is not flushed to the disk: after a loss of power the next start writes it again.
    ///
    /// - Returns: whether the file has the record.
    func write(to path: String) -> Bool {
        var items: [String: PropertyList] = [
            Key.version: .string(version), Key.program: .string(program), Key.programTime: .string("\(programTime)"),
            Key.services: Self.list(services), Key.requests: Self.list(requests),
        ]
        if !placings.isEmpty { items[Key.placings] = .dictionary(placings.mapValues(Self.list)) }
        guard let text = try? PropertyListWriter.xml(.dictionary(items)), text.utf8.count <= Self.mostBytes
        else { return false }
        guard let directory = FileIdentity(path: Path.parent(path)), directory.owner == geteuid() else { return false }
        var replacement = FileReplacement()
        replacement.flush = { _ in 0 }
        guard (try? replacement.replace(path, with: Array(text.utf8))) != nil else { return false }
        FileReplacement.removeLeftovers(of: path)
        return true
    }

    private static func list(_ placing: Placing) -> PropertyList {
        .dictionary([
            Key.execution: .string(placing.execution.description),
            Key.granted: .array(placing.granted.map(PropertyList.string)),
        ])
    }
}

/// Keeps the record of this process's application up to date.
///
/// The file is read once, and written when a new fact becomes known, while no lock is held. If a write fails, the next
/// fact or the next refresh of a catalogue tries again. If two processes write at the same time, the later one wins, and
/// the other adds its facts again after its next start.
///
/// **Threads.** Any.
final class ApplicationRecorder: Sendable {
    static let shared = ApplicationRecorder()

    private struct State {
        /// The file; nil until a catalogue is created with the application's name.
        var path: String?
        /// The content of the file, as far as this process has read or written it.
        var written: ApplicationRecord?
        var services: Set<ApplicationRecord.Point> = []
        var requests: Set<ApplicationRecord.Point> = []
        /// Nil for a plug-in that no longer runs in a worker.
        var placings: [String: ApplicationRecord.Placing?] = [:]
        /// Whether a thread is writing; it also writes what becomes known meanwhile.
        var isWriting = false
    }

    private let state = Lock(State())
    /// Whether the application has requested a version of an extension point where a plug-in declares another version.
    ///
    /// Requested versions are recorded only then.
    private let notesRequests = Atomic(false)
    /// Whether the last write failed.
    private let hasFailed = Atomic(false)

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

    /// Records what the application's policy decided about a plug-in; nil if it runs in the application's process.
    func note(_ placing: ApplicationRecord.Placing?, of identifier: String) {
        let isNew = state.withLock { state in
            let known = state.placings[identifier] ?? state.written?.placings[identifier]
            guard known != placing, state.placings.count < ApplicationRecord.mostPoints else { return false }
            state.placings[identifier] = .some(placing)
            return true
        }
        if isNew { write() }
    }

    /// Tries again if the last write failed.
    ///
    /// **Cost.** Reading one number if it did not.
    func retry() {
        if hasFailed.exchange(false, ordering: .relaxed) { write() }
    }

    private func write() {
        let isFree = state.withLock { state in
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard isFree else { return }
        while let (record, path) = next() {
            guard record.write(to: path) else {
                hasFailed.store(true, ordering: .relaxed)
                return state.withLock { $0.isWriting = false }
            }
            state.withLock { if $0.path == path { $0.written = record } }
        }
    }

    /// What the file lacks; nil ends the writing.
    private func next() -> (ApplicationRecord, String)? {
        // Read outside the lock, because the environment contains closures of the application.
        let version = HostEnvironment.current.version
        let program = Path.mainProgram
        let time = FileIdentity(path: program)?.modified ?? 0
        return state.withLock { state in
            var record = ApplicationRecord(version: version, program: program, programTime: time)
            (record.services, record.requests) = (state.services, state.requests)
            if let written = state.written { record.add(written) }
            for (identifier, placing) in state.placings { record.placings[identifier] = placing }
            guard let path = state.path, record != state.written else {
                state.isWriting = false
                return nil
            }
            return (record, path)
        }
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
