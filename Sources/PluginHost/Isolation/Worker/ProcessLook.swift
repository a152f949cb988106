import Glibc

/// What the kernel states about a worker process at a moment.
///
/// The process is not reaped, so its number belongs to nobody else.
///
/// **Cost.** Some twenty microseconds.
struct ProcessLook {
    /// The bytes of memory that belong to it alone, and of memory that it shares without a file.
    private(set) var memory = 0
    private(set) var threads = 0
    /// Whether a debugger is attached.
    private(set) var isTraced = false

    /// Nil if the process has ended.
    init?(process: Int32) {
        guard let text = Self.text(of: "/proc/\(process)/status") else { return nil }
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = Int(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber })
            switch line[..<colon] {
            case "RssAnon", "RssShmem", "VmSwap": memory += (value ?? 0) << 10
            case "Threads": threads = value ?? 0
            case "TracerPid": isTraced = value != 0
            default: break
            }
        }
    }

    /// The processor time of all threads of a process, also of one that has ended and is not reaped.
    static func processorTime(process: Int32) -> Duration? {
        // The name of the program is in parentheses and may contain any character.
        guard let text = text(of: "/proc/\(process)/stat"), let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
        return .seconds(Double(user + system) / Double(sysconf(CInt(_SC_CLK_TCK))))
    }

    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
