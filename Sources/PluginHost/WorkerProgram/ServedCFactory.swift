internal import CPluginSupport
import ELFImages
import ForeignCalls
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// A C factory of a plug-in in this worker process, whose objects the host uses.
final class ServedCFactory: Sendable {
    private let provider: CProvider
    private let code: LoadedCode
    private let known = Lock<Table?>(nil)

    /// The table as the host describes it.
    fileprivate struct Table: Sendable {
        let fields: [[String]]
        let answer: CTableAnswer
        let methods: [Method?]
    }

    fileprivate struct Method: Sendable {
        let function: ForeignFunction
        let outputs: [(argument: Int, size: Int)]
    }

    init(_ provider: CProvider, _ code: LoadedCode) {
        self.provider = provider
        self.code = code
    }

    /// Creates an object.
    func make() throws -> RemoteServant {
        do {
            return CObjectProxy.interface.servant(for: ServedCObject(try provider.make(), self))
        } catch let error as PluginError where error.code == .instantiationFailed {
            // The host says again what failed.
            let finding = error.findings[0]
            throw PluginFailure(finding.systemMessage ?? finding.message, remedy: finding.remedy)
        }
    }

    /// The table, which all objects of the factory share.
    fileprivate func table(_ fields: [[String]]) throws -> Table {
        if let table = known.withLock({ $0 }), table.fields == fields { return table }
        let table = try read(fields)
        known.withLock { $0 = table }
        return table
    }

    private func read(_ fields: [[String]]) throws -> Table {
        guard let start = provider.registration.pointer.pointee.functions else {
            return Table(fields: fields, answer: .none, methods: [])
        }
        let layout: CTableLayout
        do throws(CTableLayout.Fault) {
            layout = try CTableLayout(fields.map { CRemoteTable.Field($0[0], $0[1]) })
        } catch {
            throw RemoteFailure.violation("The field “\(error.field)” of a table \(error.reason).")
        }
        let header = start.load(as: plugin_header.self)
        var values: [ForeignValue?] = []
        for field in layout.fields {
            guard field.end <= Int(header.size) else {
                values.append(nil)
                continue
            }
            switch field.kind {
            case .constant(let type):
                do throws(ForeignFault) { values.append(try type.value(at: start + field.offset)) } catch {
                    return failed(fields, field.name, "has a value that \(error.description)")
                }
            case .function:
                let code = start.load(fromByteOffset: field.offset, as: plugin_code?.self)
                values.append(code == nil ? nil : .void)
            }
        }
        var methods: [Method?] = []
        for (field, value) in zip(layout.fields, values) {
            guard value != nil, case .function(let signature, let outputs) = field.kind,
                let address = start.load(fromByteOffset: field.offset, as: plugin_code?.self)
            else {
                methods.append(nil)
                continue
            }
            var sizes: [(argument: Int, size: Int)] = []
            for output in outputs {
                guard let size = CTableLayout.bytes(output.size, values) else {
                    return failed(fields, field.name, "writes a number of bytes that its table does not state")
                }
                sizes.append((output.argument, size))
            }
            let function = try ForeignFunction(
                name: field.name, signature: signature, code: address, bundle: provider.bundle, loaded: code,
                outlivesUnload: true)
            methods.append(Method(function: function, outputs: sizes))
        }
        let contents = CTableContents(version: header.version, fields: values.map { $0.map(SentValue.init) })
        return Table(fields: fields, answer: .table(contents), methods: methods)
    }

    private func failed(_ fields: [[String]], _ name: String, _ complaint: String) -> Table {
        let error = provider.bundle.functionError(
            .resultInvalid, name, "of the factory \(quoted(provider.name)) \(complaint)",
            remedy: "Report this to the author of the plug-in.")
        return Table(fields: fields, answer: .failed(SentError(error)), methods: [])
    }
}

/// An object of a C factory in this process.
private final class ServedCObject: CObjectDesk {
    private let instance: CInstance
    private let factory: ServedCFactory
    private let methods = Lock<[ServedCFactory.Method?]>([])

    init(_ instance: CInstance, _ factory: ServedCFactory) {
        self.instance = instance
        self.factory = factory
    }

    func describe(_ fields: [[String]]) throws -> CTableAnswer {
        guard fields.allSatisfy({ $0.count == 2 }) else {
            throw RemoteFailure.violation("The description of a table has a field without a name or type.")
        }
        let table = try factory.table(fields)
        methods.withLock { $0 = table.methods }
        return table.answer
    }

    func call(_ field: UInt32, _ arguments: [SentValue]) throws -> CMethodOutcome {
        guard let method = methods.withLock({ Int(field) < $0.count ? $0[Int(field)] : nil }) else {
            throw RemoteFailure.violation("A message refers to the function \(field) of a table, which does not exist.")
        }
        let buffers = method.outputs.map { output in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: output.size, alignment: 16)
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return buffer
        }
        defer { for buffer in buffers { buffer.deallocate() } }
        var values: [ForeignValue] = [.pointer(UInt(bitPattern: instance.pointer))]
        var sent = arguments.makeIterator()
        for index in method.function.signature.arguments.indices.dropFirst() {
            if let output = method.outputs.firstIndex(where: { $0.argument == index }) {
                values.append(.pointer(UInt(bitPattern: buffers[output].baseAddress!)))
            } else if let next = sent.next() {
                values.append(next.value)
            }
        }
        do {
            let result = try method.function.call(with: values)
            return .returned(SentValue(result), outputs: buffers.map { Array($0) })
        } catch let error as PluginError {
            return .failed(SentError(error))
        }
    }
}
