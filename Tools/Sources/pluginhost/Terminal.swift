import FoundationEssentials
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// Standard output: how wide it is, and whether it shows colour.
struct Terminal {
    /// Columns to write prose in.
    let width: Int
    /// Columns to write tables in; nil without a terminal.
    let tableWidth: Int?
    let showsColor: Bool

    private static let usualWidth = 80
    /// Longer lines of prose are hard to read; shorter ones are unreadable.
    private static let widths = 40...120

    /// Standard output.
    ///
    /// Its width is COLUMNS if that is set, else the terminal's width.
    ///
    /// It shows colour only on a terminal, and not with NO_COLOR or TERM=dumb.
    static let standardOutput: Terminal = {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let columns = environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        let known = columns ?? (isTerminal ? ownWidth : nil)
        let isPlain = !(environment("NO_COLOR") ?? "").isEmpty || environment("TERM") == "dumb"
        return Terminal(
            width: min(max(known ?? usualWidth, widths.lowerBound), widths.upperBound),
            tableWidth: known.map { max($0, widths.lowerBound) } ?? (isTerminal ? usualWidth : nil),
            showsColor: isTerminal && !isPlain)
    }()

    /// Whether the locale uses UTF-8, according to the variables for character encoding.
    ///
    /// Without any of them the locale is “C”, which has ASCII.
    static let isUTF8: Bool = {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let encoding = locale.split(separator: "@").first?.split(separator: ".").last ?? ""
        return ["utf8", "utf-8"].contains(encoding.lowercased())
    }()

    /// Replaces the part of a text that was cut.
    static let ellipsis = isUTF8 ? "…" : "..."

    private static var ownWidth: Int? {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// Writes the complete text, even to a pipe whose reader is slow.
    ///
    /// If that fails, the process ends with 2, because the report was not delivered.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Writes all bytes to standard output unchanged.
    static func write(bytes: some ContiguousBytes) { bytes.withUnsafeBytes { write($0, to: STDOUT_FILENO) } }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { fail(descriptor, errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private static func fail(_ descriptor: Int32, _ error: Int32) -> Never {
        if descriptor != STDERR_FILENO {
            let advice = ErrorNumber.advice(error, to: .write)
            write("pluginhost: the output cannot be written: \(advice)\n", to: STDERR_FILENO)
        }
        exit(ExitStatus.unable.rawValue)
    }
}
