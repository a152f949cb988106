import CPluginSupport.Shims
import Glibc

/// The names of symbols as people read them.
enum SymbolNames {
    // Demanglers work recursively: a hostile name must not be as deep as the stack.
    private static let demanglingLimit = 1024
    private static let shownLimit = 4096

    /// The human form of a mangled Swift or C++ name, or nil if the name is neither.
    static func demangled(_ symbol: String) -> String? {
        guard symbol.utf8.count <= demanglingLimit, let text = phs_demangle(symbol) else { return nil }
        defer { free(text) }
        let plain = String(cString: text)
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
