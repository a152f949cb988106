import BundleReading
internal import CPluginSupport
import ForeignCalls
import HostBasics

extension ForeignFunction {
    /// A function of code in a worker process.
    ///
    /// - Throws: `functionUnavailable` if its signature has a type that cannot cross to another process.
    convenience init(
        elsewhere name: String, _ signature: ForeignSignature, bundle: PluginBundle, loaded: LoadedCode
    ) throws(PluginError) {
        if let what = signature.types.lazy.compactMap(\.bound).first {
            throw bundle.functionError(
                .functionUnavailable, name,
                """
                has the signature \(quoted(signature.description)) and runs in a process of its own, and \(what) means \
                nothing in another process
                """,
                remedy: "Pass the memory itself as “bytes”, or let the plug-in run in the application's process.")
        }
        try self.init(
            name: name, signature: signature, code: IsolatedLoad.codeElsewhere, bundle: bundle, loaded: loaded,
            isElsewhere: true)
    }

    /// Calls the function in the worker process, which checks everything that the values alone do not show.
    func callElsewhere(_ arguments: [ForeignValue]) throws -> ForeignValue {
        HeldLocks.preconditionNone(before: "a C function of a plug-in")
        for (index, (argument, type)) in zip(arguments, signature.arguments).enumerated() {
            do throws(ForeignFault) { try type.require(argument) } catch {
                throw invalidArgument(argument, index, error)
            }
        }
        guard let isolated = bundle.currentCode?.isolated else { throw unloaded }
        let (code, hold) = try isolated.held()
        defer { withExtendedLifetime(hold) {} }
        let result = try code.call(name, arguments.map(SentValue.init))
        // The process may return anything.
        do throws(ForeignFault) { try signature.result.require(result) } catch { throw invalidResult(error) }
        return result
    }
}

extension ForeignSignature {
    /// All types of the arguments and the result.
    fileprivate var types: [ForeignType] { arguments + [result] }
}

extension ForeignType {
    /// The part of this type that is bound to one process; nil if its values can cross to another process.
    var bound: String? {
        switch self {
        case .pointer: "an address"
        case .kept: "a function that the plug-in keeps"
        case .optional(let type), .owned(let type): type.bound
        case .structure(let fields): fields.lazy.compactMap(\.type.bound).first
        case .callback(let signature): signature.types.lazy.compactMap(\.bound).first
        default: nil
        }
    }

    /// Compares a value with the type.
    ///
    /// - Throws: the reason if the value does not have the type.
    fileprivate func require(_ value: ForeignValue) throws(ForeignFault) {
        switch (plain, value) {
        case (.string, .string), (.bytes, .bytes): return
        case (.callback(let signature), .callback(let callback)): try callback.requireFit(signature)
        case (.structure(let fields), .structure(let values)) where fields.count == values.count:
            for (field, value) in zip(fields, values) { try field.type.require(value) }
        default:
            var loans = ForeignLoans()
            // Enough for every type except a struct. A value that is not a struct is refused before it is written.
            var room = (UInt64(0), UInt64(0))
            try withUnsafeMutableBytes(of: &room) { (room) throws(ForeignFault) in
                try loans.write(value, as: self, to: room.baseAddress!)
            }
        }
    }
}
