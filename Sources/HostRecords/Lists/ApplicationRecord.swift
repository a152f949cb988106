import BundleReading
import Glibc
import HostBasics
package import PluginABI
internal import PropertyLists

/// The facts that an application stores about itself beside the indexes of its catalogues: its version, its executable,
/// the services that it offers, the extensions that it does not get, and where its policy lets plug-ins run.
///
/// The command `pluginhost` uses them in its explanations.
///
/// The file is `NAME.application`: a property list that is replaced as a whole, and only if something in it changed. It
/// only describes the application. Without the file, the command can explain less, and the application works the same.
package struct ApplicationRecord: Sendable, Equatable {
    /// A version of an extension point.
    package struct Point: Sendable, Hashable, Comparable {
        package let name: String
        package let version: UInt32

        package init(name: String, version: UInt32) {
            self.name = name
            self.version = version
        }

        package static func < (a: Point, b: Point) -> Bool { (a.name, a.version) < (b.name, b.version) }
    }

    /// A decision of the application's policy about a plug-in that runs in a worker.
    package struct Placing: Sendable, Equatable {
        package let execution: PluginExecution
        /// The granted permissions, as ``PluginPermissions/items`` spells them.
        package let granted: [String]

        package init(execution: PluginExecution, granted: [String]) {
            self.execution = execution
            self.granted = granted
        }
    }

    /// `HostEnvironment.version`; empty if the application has none.
    package var version = ""
    /// The path of the executable, with links resolved.
    package var program = ""
    /// When the executable was last modified, in nanoseconds since 1970: another build may offer other services.
    package var programTime: Int64 = 0
    /// The services that it has provided at any time while it ran.
    package var services: Set<Point> = []
    /// The versions of extension points that it requested although a plug-in declares another version.
    package var requests: Set<Point> = []
    /// The policy's decisions by identifier, only those that demand a worker.
    package var placings: [String: Placing] = [:]

    private enum Key {
        package static let version = "Version"
        package static let program = "Program"
        package static let programTime = "ProgramTime"
        package static let services = "Services"
        package static let requests = "Requests"
        package static let point = "ExtensionPoint"
        package static let placings = "Executions"
        package static let execution = "Execution"
        package static let granted = "Granted"
    }

    /// The most bytes that a record may have, and the most points or decisions of each kind.
    private static let mostBytes = 1 << 20
    package static let mostPoints = 1_000

    /// The file of an application; nil if its name is not one path component, or there is no directory.
    package static func path(of application: String, in directory: String?) -> String? {
        guard ApplicationState.directory(of: application) != nil || application == Path.lastComponent(application),
            !application.isEmpty, application != ".", application != "..", application.utf8.count < 200
        else { return nil }
        return directory.map { Path.join($0, application + suffix) }
    }

    private static let suffix = ".application"

    /// The application whose record has a file name; nil for another file.
    package static func application(ofFile name: String) -> String? {
        name.hasSuffix(suffix) && name.count > suffix.count ? String(name.dropLast(suffix.count)) : nil
    }

    // MARK: Content

    /// Adds the facts of an earlier record of the same executable.
    package mutating func add(_ earlier: ApplicationRecord) {
        guard earlier.version == version, earlier.program == program, earlier.programTime == programTime else { return }
        services.formUnion(earlier.services)
        requests.formUnion(earlier.requests)
        placings.merge(earlier.placings) { own, _ in own }
    }

    // MARK: The file

    /// Reads a record; nil if there is none or it cannot be used.
    package init?(path: String) {
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

    package init(version: String, program: String, programTime: Int64) {
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
    package func write(to path: String) -> Bool {
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
