import CDemoAPI
import PluginHost

/// A computation over a document's bytes.
protocol Checksum: AnyObject {
    var title: String { get }
    /// The way of computing it, for the report.
    var means: String { get }
    func update(_ bytes: [UInt8]) throws
    /// The digest in hexadecimal digits.
    ///
    /// It is requested once.
    func finish() -> String
}

/// The reason why a declared checksum cannot be computed.
struct UnusableChecksum: Error, CustomStringConvertible {
    var description: String
}

/// A checksum from a plug-in's C factory: an object, and the table of functions of `demo_checksum.h`.
final class ChecksumObject: Checksum {
    private let instance: CInstance
    private let functions: demo_checksum_functions

    init(named name: String, in bundle: PluginBundle) throws {
        let factories = try bundle.cProviders(at: DEMO_CHECKSUM_POINT, version: UInt32(DEMO_CHECKSUM_VERSION))
        guard let instance = try factories.first(where: { $0.name == name })?.make(),
            let functions = instance.functions(as: demo_checksum_functions.self)?.pointee,
            functions.header.size >= MemoryLayout<demo_checksum_functions>.size,
            1...Int(DEMO_CHECKSUM_MAX_DIGEST) ~= functions.digest_length
        else {
            throw UnusableChecksum(
                description: localized("The bundle {0} declares {1} but does not provide it.", bundle.bundlePath, name))
        }
        self.instance = instance
        self.functions = functions
    }

    var title: String {
        let bytes = UnsafeRawBufferPointer(start: functions.title.ptr, count: functions.title.len)
        return String(decoding: bytes, as: UTF8.self)
    }

    var means: String { localized("object of a factory in C") }

    func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { functions.update(instance.pointer, $0.baseAddress, $0.count) }
    }

    func finish() -> String {
        var digest = [UInt8](repeating: 0, count: functions.digest_length)
        functions.finish(instance.pointer, &digest)
        return digest.map { hexadecimal(UInt64($0), digits: 2) }.joined()
    }
}

/// A checksum from a plain C function.
///
/// PHFactories declares its name and PHFunctions its signature.
final class ChecksumFunction: Checksum {
    /// The C function, of the signature DEMO_CHECKSUM_SIGNATURE.
    ///
    /// It takes the value for the bytes so far and some more bytes. Without bytes, it returns the initial value.
    private let function: TypedForeignFunction<UInt32, UInt32, [UInt8]>
    private var value: UInt32

    init(named name: String, in bundle: PluginBundle) throws {
        function = try bundle.function(name, as: ((UInt32, [UInt8]) -> UInt32).self)
        value = try function(0, [])
    }

    var title: String { function.untyped.name }

    var means: String { localized("function called by its signature {0}", function.untyped.signature.description) }

    func update(_ bytes: [UInt8]) throws { value = try function(value, bytes) }

    func finish() -> String { hexadecimal(UInt64(value), digits: 8) }
}

/// A number in hexadecimal digits, with zeros before it.
func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
