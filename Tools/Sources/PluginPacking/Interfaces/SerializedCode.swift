import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// The code in a compiled module that other modules may compile in: functions that are `@inlinable`, that the optimiser
/// made so, and the default values of parameters.
///
/// `swift-frontend -emit-sil MODULE` writes it in the compiler's own language. Equal text is equal code, so that a digest of
/// each function is enough.
struct SerializedCode {
    /// The digests of the functions in the order of their mangled names.
    private var digests: [(name: String, digest: UInt64)] = []

    private static let sizeLimit = 256 << 20

    /// No code.
    init() {}

    /// Runs the compiler.
    ///
    /// - Throws: ``PackingError`` of code `toolFailed` if it cannot read the module.
    init(module: String, in folder: ModuleFolder) throws(PackingError) {
        let toolchain = Path.parent(try ModuleDump.digester(for: module, in: folder))
        let scratch = try TemporaryDirectory()
        let output = Path.join(scratch.path, "code.sil")
        let file = Self.file(of: module, in: folder.path)
        let command =
            [
                Path.join(toolchain, "swift-frontend"), "-emit-sil", "-module-name", module, file, "-o",
                output,
            ] + folder.arguments
        try ChildProgram.run(command, to: "read the code in the module \(module)")
        do throws(OpenedFile.Failure) {
            try read(OpenedFile(path: output).bytes(atMost: Self.sizeLimit))
        } catch {
            throw PackingError(
                .toolFailed, path: output,
                message: "The code of the module \(quoted(module)) cannot be read: \(error.reason).",
                remedy: error.remedy(else: "Divide the plug-in API into several modules."))
        }
    }

    /// The file of a module, which an installed module has for each machine in a folder of that name.
    private static func file(of module: String, in folder: String) -> String {
        let path = Path.join(folder, "\(module).swiftmodule")
        #if arch(x86_64)
        let machine = "x86_64"
        #else
        let machine = "aarch64"
        #endif
        let inside = ["\(machine)-unknown-linux-gnu", machine].map { Path.join(path, "\($0).swiftmodule") }
        return inside.first { access($0, R_OK) == 0 } ?? path
    }

    /// Reads the compiler's text.
    init(text: String) { read(Array(text.utf8)) }

    private mutating func read(_ text: [UInt8]) {
        let (begin, end) = (Array("sil ".utf8), Array("} // end sil function".utf8))
        var name: String?
        var digest = Self.basis
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
            if let current = name {
                for byte in line { digest = (digest ^ UInt64(byte)) &* Self.prime }
                guard line.starts(with: end) else { continue }
                digests.append((current, digest))
                name = nil
            } else if line.starts(with: begin), line.last == UInt8(ascii: "{"),
                // “sil shared [serialized] @$s3API3runyyF : $@convention(thin) () -> () {”
                let at = line.firstIndex(of: UInt8(ascii: "@"))
            {
                name = String(decoding: line[(at + 1)...].prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
                digest = Self.basis
                for byte in line { digest = (digest ^ UInt64(byte)) &* Self.prime }
            }
        }
        digests.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    // FNV-1a. Nobody gains from a forecast that he deceived.
    private static let basis: UInt64 = 0xcbf2_9ce4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01b3

    /// The digests of a function's code with the closures in it, and of the default values of its parameters.
    func digests(of mangled: String) -> (body: String?, defaultValues: String?) {
        var found: (body: UInt64?, values: UInt64?)
        // The names of what is inside a function begin with its own; “fA_”, “fA0_” are default values.
        // The dump has the name of an initialiser that fills an object; “C” is the one that makes it.
        let names = mangled.hasSuffix("fc") ? [mangled, mangled.dropLast() + "C"] : [mangled]
        for name in names {
            var index = lowerBound(of: name)
            while digests.indices.contains(index), digests[index].name.hasPrefix(name) {
                let (full, digest) = digests[index]
                if full.dropFirst(name.count).hasPrefix("fA") {
                    found.values = ((found.values ?? Self.basis) ^ digest) &* Self.prime
                } else {
                    found.body = ((found.body ?? Self.basis) ^ digest) &* Self.prime
                }
                index += 1
            }
        }
        return (found.body.map { String($0, radix: 16) }, found.values.map { String($0, radix: 16) })
    }

    /// The first place whose name is not before another one.
    private func lowerBound(of name: String) -> Int {
        var (low, high) = (0, digests.count)
        while low < high {
            let middle = (low + high) / 2
            if digests[middle].name.utf8.lexicographicallyPrecedes(name.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
