import CPluginSupport.Shims
import Glibc
import HostBasics

/// The names of symbols in readable form.
public enum SymbolNames {
    // Demanglers are recursive: a hostile name must not exhaust the stack.
    private static let demanglingLimit = 1024
    private static let shownLimit = 4096

    /// The readable form of a mangled Swift or C++ name; nil if the name is neither, or its readable form may be too
    /// long.
    ///
    /// Why the estimate: the demanglers of Swift and C++ have no limit, and a name that refers back to its parts
    /// doubles with each reference: 250 bytes can expand to gigabytes.
    package static func demangled(_ symbol: String) -> String? {
        ManglingEstimate.isSmall(symbol) ? demangledUnestimated(symbol) : nil
    }

    /// The readable form of a name in a file that the user of a tool built, such as the code that is packed.
    ///
    /// Why there is no estimate: it takes letters of identifiers for references, so it refuses names such as
    /// `AssociatedTypes`, and a name without a readable form could not be recorded.
    static func demangledUnestimated(_ symbol: String) -> String? {
        guard symbol.utf8.count <= demanglingLimit, let text = phs_demangle(symbol) else { return nil }
        defer { free(text) }
        let plain = String(
            decoding: UnsafeRawBufferPointer(start: text, count: strnlen(text, shownLimit)), as: UTF8.self)
        return plain == symbol ? nil : plain
    }

    /// A symbol for a message: the readable form first, then the linker's form.
    package static func described(_ symbol: String) -> String {
        guard symbol.utf8.count <= shownLimit else {
            return "\(quoted(String(decoding: symbol.utf8.prefix(200), as: UTF8.self)))… (\(symbol.utf8.count) bytes)"
        }
        guard let plain = demangled(symbol) else { return quoted(symbol) }
        return "\(quoted(plain)) (\(quoted(symbol)))"
    }
}
