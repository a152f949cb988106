import BundleReading
internal import CPluginSupport
import ELFImages
import ForeignCalls
import HostBasics
internal import PluginABI
import PluginWorkers

/// An object of a C factory whose code runs in a worker process.
///
/// The application's pointer to the object refers to this.
final class RemoteCObject: Sendable {
    let table: RemoteCTable?
    private let desk: any CObjectDesk
    private let connection: IsolatedConnection
    /// Keeps the process in use, as every object does.
    private let hold: WorkerHold
    private let bundle: PluginBundle
    private let factory: String
    private let failures = Lock(Failures())
    /// The memory of the last result.
    ///
    /// A borrowed text is valid until the next call.
    private let lastResult = Lock<KeptLoans?>(nil)

    private struct Failures {
        var latest = LatestByThread<PluginError>()
        /// Whether one was logged that its function could not report.
        var isLogged = false
    }

    /// The memory that a result borrows.
    private final class KeptLoans: @unchecked Sendable {
        // @unchecked because only the call that made it changes it.
        var loans = ForeignLoans()
    }

    init(
        _ desk: any CObjectDesk, _ table: RemoteCTable?, over connection: IsolatedConnection, _ hold: WorkerHold,
        of factory: String, _ bundle: PluginBundle
    ) {
        self.desk = desk
        self.table = table
        self.connection = connection
        self.hold = hold
        self.factory = factory
        self.bundle = bundle
    }

    /// The address that represents the object.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Removes and returns the error of the latest call on this thread that failed.
    func takeFailure() -> PluginError? { failures.withLock { $0.latest.take() } }

    /// Performs a call of a table function.
    ///
    /// - Parameters:
    ///   - field: its number.
    ///   - method: its description.
    ///   - arguments: all arguments, with the object as the first; or why they do not match the signature.
    ///   - result: the address for the result; nil if there is none.
    /// - Returns: false for a failure, which ``takeFailure()`` returns.
    static func call(
        _ field: Int, _ method: RemoteCTable.Method, _ arguments: Result<[ForeignValue], ForeignFault>,
        _ result: UnsafeMutableRawPointer?
    ) -> Bool {
        guard case .success(let values) = arguments, case .pointer(let address) = values[0],
            let pointer = UnsafeRawPointer(bitPattern: address)
        else {
            var reason = "its first argument is no object"
            if case .failure(let fault) = arguments { reason = fault.description }
            HostEnvironment.log(
                .error, bundleIdentifier: method.plugin,
                "The function \(quoted(method.name)) of a C table was not called: \(reason).")
            return false
        }
        let object = Unmanaged<RemoteCObject>.fromOpaque(pointer).takeUnretainedValue()
        do {
            try object.call(field, method, values, result)
            return true
        } catch {
            object.note(error, in: method)
            return false
        }
    }

    private func call(
        _ field: Int, _ method: RemoteCTable.Method, _ values: [ForeignValue], _ result: UnsafeMutableRawPointer?
    ) throws {
        HeldLocks.preconditionNone(before: "a function of a C table in another process")
        let isOutput = { index in method.outputs.contains { $0.argument == index } }
        let sent = values.enumerated().filter { $0.offset > 0 && !isOutput($0.offset) }.map { SentValue($0.element) }
        let outcome: CMethodOutcome
        do { outcome = try desk.call(UInt32(field), sent) } catch {
            throw connection.error(
                error, from: method.name, during: .call(provider: factory, method: method.name))
        }
        let value: ForeignValue
        let outputs: [[UInt8]]
        switch outcome {
        case .returned(let sent, let written): (value, outputs) = (sent.value, written)
        case .failed(let error): throw error.error(of: bundle)
        }
        // The process may return anything.
        guard outputs.map(\.count) == method.outputs.map(\.size) else {
            throw invalid(method.name, "are \(outputs.map(\.count)) bytes, and not \(method.outputs.map(\.size))")
        }
        let kept = KeptLoans()
        do throws(ForeignFault) {
            if let result {
                try kept.loans.write(value, as: method.result, to: result)
            } else if value != .void {
                throw ForeignFault("is not of type void")
            }
        } catch { throw invalid(method.name, error.description) }
        for (output, bytes) in zip(method.outputs, outputs) {
            guard case .pointer(let address) = values[output.argument] else { continue }
            UnsafeMutableRawPointer(bitPattern: address)?.copyMemory(from: bytes, byteCount: bytes.count)
        }
        let old = lastResult.withLock { last in
            defer { last = kept }
            return last
        }
        withExtendedLifetime(old) {}
    }

    private func invalid(_ name: String, _ complaint: String) -> PluginError {
        bundle.functionError(
            .resultInvalid, name, "gave results that \(complaint)",
            remedy: "Compare the application's CRemoteTable with the header that the plug-in was compiled with.")
    }

    private func note(_ error: any Error, in method: RemoteCTable.Method) {
        let error = bundle.workerError(error)
        let isToLog = failures.withLock { failures in
            failures.latest.set(error)
            // The caller of a function with a status knows that it failed.
            if method.hasStatus || failures.isLogged { return false }
            failures.isLogged = true
            return true
        }
        guard isToLog else { return }
        HostEnvironment.log(
            .error, bundleIdentifier: bundle.displayIdentifier,
            "The function \(quoted(method.name)) of \(quoted(factory)) failed. \(error.findings[0].message)")
    }
}

/// The table of functions of a C factory in a worker process.
///
/// Its functions forward each call.
final class RemoteCTable: @unchecked Sendable {
    // @unchecked because of the memory, which does not change after init.

    /// The data that the handler of a function needs.
    struct Method: Sendable {
        let name: String
        let plugin: String
        let result: ForeignType
        /// Whether it returns a `plugin_status`, which tells of a failure.
        let hasStatus: Bool
        let outputs: [(argument: Int, size: Int)]
    }

    let description: CRemoteTable
    private let memory: UnsafeMutableRawBufferPointer
    private var loans = ForeignLoans()
    private var functions: [ForeignTrampoline] = []

    /// - Parameters:
    ///   - description: the application's description.
    ///   - layout: the layout of that description.
    ///   - contents: the contents that the worker states.
    ///   - bundle: used for messages.
    /// - Throws: ``ForeignFault`` for contents that do not match the description.
    init(
        _ description: CRemoteTable, _ layout: CTableLayout, _ contents: CTableContents, of bundle: PluginBundle
    ) throws(ForeignFault) {
        self.description = description
        memory = .allocate(byteCount: layout.size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        guard contents.fields.count == layout.fields.count else {
            throw ForeignFault("has \(counted(contents.fields.count, "field")), and not \(layout.fields.count)")
        }
        let values = contents.fields.map { $0?.value }
        let base = memory.baseAddress!
        var size = MemoryLayout<plugin_header>.size
        for (index, (field, value)) in zip(layout.fields, values).enumerated() {
            // An older plug-in has a shorter table.
            guard let value else { continue }
            switch field.kind {
            case .constant(let type):
                do throws(ForeignFault) { try loans.write(value, as: type, to: base + field.offset) } catch {
                    throw ForeignFault("has the field \(quoted(field.name)), which \(error.description)")
                }
            case .function(let signature, let outputs):
                let method = Method(
                    name: field.name, plugin: bundle.displayIdentifier, result: signature.result,
                    hasStatus: signature.isThrowing,
                    outputs: try outputs.map { (output) throws(ForeignFault) in
                        guard let size = CTableLayout.bytes(output.size, values) else {
                            throw ForeignFault("does not state how many bytes \(quoted(field.name)) writes")
                        }
                        return (output.argument, size)
                    })
                guard let prepared = PreparedSignature(signature) else {
                    throw ForeignFault("has \(quoted(field.name)), whose signature libffi refuses")
                }
                let function = try ForeignTrampoline(prepared) { arguments, result, _ in
                    RemoteCObject.call(index, method, arguments, result)
                }
                functions.append(function)
                base.storeBytes(of: function.code, toByteOffset: field.offset, as: UnsafeMutableRawPointer.self)
            }
            size = field.end
        }
        base.storeBytes(
            of: plugin_header(size: UInt32(size), version: contents.version), as: plugin_header.self)
    }

    deinit { memory.deallocate() }

    var address: UnsafeRawPointer { UnsafeRawPointer(memory.baseAddress!) }
}
