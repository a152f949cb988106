import Foundation
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// The outcome of a call, which the separate process reports.
struct CallOutcome: Codable {
    /// The outcome of loading the bundle.
    ///
    /// It also has the findings about the call.
    var load: LoadOutcome!
    private var signature: String?
    private var result: CallValue?
    private var milliseconds: Double?
    private var functions: [ListedFunction] = []
    /// What was wrong with the command line; nil if it was correct.
    ///
    /// If it was wrong, the bundle is not the cause of the failure.
    private(set) var usage: String?

    init(_ load: LoadOutcome?) { self.load = load }

    // MARK: In the separate process

    /// Calls the function, and keeps its result or its error.
    mutating func call(_ name: String, _ texts: [String], of bundle: PluginBundle, _ report: ChildReport) {
        do {
            let function: ForeignFunction
            do {
                function = try bundle.function(name)
            } catch let error as PluginError where error.code == .functionUnavailable {
                return usage = error.findings[0].message
            }
            signature = function.signature.description
            let types = function.signature.arguments
            guard texts.count == types.count else {
                return usage =
                    "“\(name)” was given \(counted(texts.count, "argument")), and its signature is “\(function.signature)”."
            }
            var values: [ForeignValue] = []
            for (text, type) in zip(texts, types) {
                do throws(CallArgument.Fault) {
                    values.append(try CallArgument.value(text, as: type))
                } catch {
                    return usage = "The argument \(quoted(text)) for \(type) \(error.reason)."
                }
            }
            report.send(.step(bundlePath: bundle.bundlePath, step: LoadPlace.call))
            let clock = ContinuousClock()
            let start = clock.now
            let value = try function.call(with: values)
            milliseconds = LoadOutcome.milliseconds(clock.now - start)
            report.send(.step(bundlePath: bundle.bundlePath, step: LoadPlace.end))
            result = CallValue(value, function.signature.result)
        } catch let error as PluginError where error.code == .argumentInvalid {
            usage = error.findings[0].message
        } catch {
            load.add((error as? PluginError)?.findings ?? [])
        }
    }

    /// Finds all functions that the bundle registers or declares.
    mutating func list(_ bundle: PluginBundle) {
        let registered = Set(bundle.registrations.lazy.filter { $0.kind == .function }.map(\.name))
        for name in registered.union(bundle.manifest.functions.keys).sorted() {
            let function = try? bundle.function(name)
            functions.append(
                ListedFunction(
                    name: name, signature: function?.signature.description ?? bundle.manifest.functions[name] ?? "",
                    isRegistered: registered.contains(name), isDeclared: bundle.manifest.functions[name] != nil,
                    isCallable: function != nil))
        }
    }

    // MARK: Showing it

    func json(function: String?) -> JSONValue {
        .object([
            "path": .string(load.path), "identifier": JSONValue(load.identifier), "function": JSONValue(function),
            "signature": JSONValue(signature), "execution": JSONValue(load.execution), "returned": .bool(result != nil),
            "result": result?.json ?? .null,
            "milliseconds": milliseconds.map(JSONValue.number) ?? .null,
            "functions": .array(functions.map(\.json)), "findings": load.report.json,
        ])
    }

    func writeFindings(to page: inout Page) {
        let report = load.report
        guard !report.findings.isEmpty || load.state != .loaded else { return }
        let verdict =
            load.state == .noCode ? "has no code, only resources" : report.errors > 0 ? "failed" : report.count ?? ""
        page.line((load.path.relativeToCurrentDirectory + ":", .bold), (verdict, .red))
        report.write(to: &page)
        HostArguments.writeAdvice(on: report.findings, to: &page)
    }

    func writeResult() {
        if !functions.isEmpty {
            var page = Page()
            page.table(functions.map(\.row), indent: 0)
            Terminal.write(page.text)
        }
        result?.write()
    }
}

/// A function of a bundle for `--list`.
private struct ListedFunction: Codable {
    let name: String
    let signature: String
    let isRegistered: Bool
    let isDeclared: Bool
    let isCallable: Bool

    var json: JSONValue {
        .object([
            "name": .string(name), "signature": .string(signature), "registered": .bool(isRegistered),
            "declared": .bool(isDeclared), "callable": .bool(isCallable),
        ])
    }

    var row: [String] { [name, signature, isCallable ? "" : "declared only"] }
}

/// A result in the form in which the separate process reports it.
private indirect enum CallValue: Codable {
    struct Field: Codable {
        let name: String?
        let value: CallValue
    }

    case void
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    /// A real number, stored as text because JSON has no infinity.
    case real(String)
    case string(String)
    case bytes(Data)
    case pointer(UInt)
    case fields([Field])

    init(_ value: ForeignValue, _ type: ForeignType) {
        switch (value, type) {
        case (.void, _), (.callback, _): self = .void
        case (.null, _): self = .null
        case (.bool(let value), _): self = .bool(value)
        case (.int(let value), _): self = .int(value)
        case (.uint(let value), _): self = .uint(value)
        case (.float(let value), _): self = .real("\(value)")
        case (.double(let value), _): self = .real("\(value)")
        case (.string(let value), _): self = .string(value)
        case (.bytes(let value), _): self = .bytes(Data(value))
        case (.pointer(let value), _): self = .pointer(value)
        case (.structure(let values), .structure(let fields)):
            self = .fields(zip(fields, values).map { Field(name: $0.name, value: CallValue($1, $0.type)) })
        case (.structure, _): self = .void
        }
    }

    var json: JSONValue {
        switch self {
        case .void, .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .integer(Int(value))
        case .uint(let value): .unsigned(value)
        case .real(let text): Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .string(text)
        case .string(let text): .string(text)
        case .bytes(let data): .string(data.base64EncodedString())
        case .pointer(let address): .string("0x" + String(address, radix: 16))
        case .fields(let fields):
            fields.contains { $0.name == nil }
                ? .array(fields.map(\.value.json))
                : .object(Dictionary(fields.map { ($0.name ?? "", $0.value.json) }) { $1 })
        }
    }

    /// Writes the value to standard output.
    ///
    /// Bytes and text are written unchanged, but escaped on a terminal, because control characters would disturb it.
    func write() {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        switch self {
        case .void: break
        case .null: Terminal.write("null\n")
        case .bool(let value): Terminal.write("\(value)\n")
        case .int(let value): Terminal.write("\(value)\n")
        case .uint(let value): Terminal.write("\(value)\n")
        case .real(let text): Terminal.write("\(text)\n")
        case .string(let text): Terminal.write((isTerminal ? text.escapedForTerminal : text) + "\n")
        case .bytes(let data):
            if isTerminal {
                Terminal.write(
                    data.map { ReportHeader.hexadecimal(UInt64($0), digits: 2) }.joined(separator: " ") + "\n")
            } else {
                Terminal.write(bytes: data)
            }
        case .pointer(let address): Terminal.write("0x\(String(address, radix: 16))\n")
        case .fields: Terminal.write((try? json.text()) ?? "")
        }
    }
}
