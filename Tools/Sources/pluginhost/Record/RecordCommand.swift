import ArgumentParser
import Glibc
import InterfaceRecords
import PluginHost
import PluginPacking

/// `pluginhost record`: writes the interfaces of an API library into the library.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Writes the interfaces of a library into a section of it, for comparison with plug-ins.",
        discussion: """
            For each module of a LIBRARY, reads MODULE.swiftmodule in the folder Modules beside it (a build folder has one), \
            and writes the public protocols and types as text into the section .pluginhost.interfaces. The section is not \
            loaded into memory, and strip and patchelf keep it. The library is replaced by a changed copy. “stage” does \
            the same with its copies. It needs swift-api-digester, which belongs to the toolchain. No code runs.
            """)

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(
        help: ArgumentHelp("Libraries with an application's plug-in API, as they were built.", valueName: "library"),
        completion: .file())
    var libraries: [String]

    mutating func run() throws {
        let results = libraries.map(RecordResult.init)
        if json {
            let document = JSONValue.document(command: "record", ["libraries": .array(results.map(\.json))])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            for result in results { result.write(to: &page) }
            Terminal.write(page.text)
        }
        try (results.map(\.status).max() ?? .fine).finish()
    }
}

/// The outcome for one library.
private struct RecordResult {
    let path: String
    private let outcome: Result<InterfaceRecord, PackingError>

    init(_ path: String) {
        self.path = path
        do throws(PackingError) {
            outcome = .success(try Self.record(path))
        } catch {
            outcome = .failure(error)
        }
    }

    private static func record(_ path: String) throws(PackingError) -> InterfaceRecord {
        let record = try InterfaceRecorder.record(ofLibrary: path, isNew: true)
        try InterfaceRecorder.write(record, into: path)
        return record
    }

    private var record: InterfaceRecord? { try? outcome.get() }

    var status: ExitStatus {
        switch outcome {
        case .success(let record): record.isEmpty ? .problems : .fine
        case .failure(let error): error.status
        }
    }

    var json: JSONValue {
        let modules = (record?.modules ?? [:]).sorted { $0.key < $1.key }.map { name, module in
            JSONValue.object([
                "name": .string(name), "evolution": .bool(module.hasEvolution),
                "protocols": .integer(module.interfaces.count), "types": .integer(module.types.count),
            ])
        }
        return .object([
            "path": .string(path), "recorded": .bool(status == .fine), "modules": .array(modules),
            "error": outcome.failure?.json ?? .null,
        ])
    }

    func write(to page: inout Page) {
        switch outcome {
        case .failure(let error):
            page.line((path + ":", .bold), ("not recorded", .red))
            error.write(to: &page)
        case .success(let record) where record.isEmpty:
            page.line((path + ":", .bold), ("not recorded", .red))
            page.paragraph(
                "There is no compiled module of this library in the folder Modules beside it, or in its own folder.",
                indent: 2)
            page.paragraph("To do: give the path of the library in its build folder.", indent: 2)
        case .success(let record):
            page.line((path + ":", .bold), ("recorded", .green))
            for (name, module) in record.modules.sorted(by: { $0.key < $1.key }) {
                let evolution = module.hasEvolution ? ", with library evolution" : ""
                page.field(name, "\(module.interfaces.count) protocols, \(module.types.count) types\(evolution)")
            }
        }
    }
}
