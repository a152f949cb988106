import Glibc

/// What the kernel currently states about a worker process.
///
/// The process is not reaped, so no other process can have its number.
///
/// **Cost.** About twenty microseconds.
struct ProcessLook {
    /// The bytes of its anonymous memory, of its shared memory, and of what was moved to swap.
    private(set) var memory = 0
    private(set) var threads = 0
    /// The number of the process that started it, or adopted it.
    private(set) var parent: Int32 = 0
    /// Whether a debugger is attached.
    private(set) var isTraced = false

    /// Nil if the process has ended.
    init?(process: Int32) {
        guard let fields = Self.fields(of: "/proc/\(process)/status") else { return nil }
        for (name, value) in fields {
            switch name {
            case "RssAnon", "RssShmem", "VmSwap": memory += value << 10
            case "Threads": threads = value
            case "PPid": parent = Int32(clamping: value)
            case "TracerPid": isTraced = value != 0
            default: break
            }
        }
    }

    /// The bytes of memory that only this process has, and its share of memory that other processes also have; nil if
    /// the kernel does not report them.
    ///
    /// **Cost.** In proportion to the memory of the process.
    static func shareOfMemory(process: Int32) -> Int? {
        guard let fields = fields(of: "/proc/\(process)/smaps_rollup") else { return nil }
        let counted: Set<Substring> = ["Pss_Anon", "Pss_Shmem", "SwapPss"]
        return fields.filter { counted.contains($0.name) }.reduce(0) { $0 + $1.value << 10 }
    }

    /// The processor time of all threads of a process, also of one that has ended and is not reaped.
    static func processorTime(process: Int32) -> Duration? {
        // The name of the program is in parentheses and may contain any character.
        guard let text = text(of: "/proc/\(process)/stat"), let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
        return .seconds(Double(user + system) / Double(sysconf(CInt(_SC_CLK_TCK))))
    }

    /// The numbers in the lines of a file such as `Threads:  4`, or `VmSwap:  8 kB`.
    private static func fields(of path: String) -> [(name: Substring, value: Int)]? {
        text(of: path)?.split(separator: "\n").compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let text = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (line[..<colon], Int(text.prefix { $0.isNumber }) ?? 0)
        }
    }

    /// The first 8 KiB of a file: the files that are read here are smaller.
    static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
