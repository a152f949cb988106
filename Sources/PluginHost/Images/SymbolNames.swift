import CPluginSupport.Shims
import Glibc

/// The names of symbols as people read them.
enum SymbolNames {
    // Demanglers work recursively: a hostile name must not be as deep as the stack.
    private static let demanglingLimit = 1024
    private static let shownLimit = 4096

    /// The human form of a mangled Swift or C++ name, or nil if the name is neither, or its human form may be too long.
    ///
    /// Why the estimate: the demanglers of Swift and C++ have no limit of their own, and a name that refers back to its
    /// own parts doubles with each reference: 250 bytes can stand for gigabytes.
    static func demangled(_ symbol: String) -> String? {
        guard symbol.utf8.count <= demanglingLimit, ManglingEstimate.isSmall(symbol), let text = phs_demangle(symbol)
        else { return nil }
        defer { free(text) }
        let plain = String(
            decoding: UnsafeRawBufferPointer(start: text, count: strnlen(text, shownLimit)), as: UTF8.self)
        return plain == symbol ? nil : plain
    }

    /// A symbol as it stands in a message: the human form first, then the form that a linker knows.
    static func described(_ symbol: String) -> String {
        guard symbol.utf8.count <= shownLimit else {
            return "\(quoted(String(decoding: symbol.utf8.prefix(200), as: UTF8.self)))… (\(symbol.utf8.count) bytes)"
        }
        guard let plain = demangled(symbol) else { return quoted(symbol) }
        return "\(quoted(plain)) (\(quoted(symbol)))"
    }
}
