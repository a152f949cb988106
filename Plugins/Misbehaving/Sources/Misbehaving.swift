import DemoAPI
import Glibc
public import PluginABI

/// An analyser that misbehaves on purpose.
///
/// A line of the document selects how, such as “Misbehave: crash”.
///
/// It shows that the application survives. Info.plist has `PHExecution` = `isolated`, so that it never runs in the
/// application's own process.
final class Misbehaving: TextAnalyzer {
    /// What a document can ask for.
    private enum Harm: String, CaseIterable {
        /// Reads memory that does not exist.
        case crash
        /// Never returns.
        case hang
        /// Uses more and more memory.
        case flood
        /// Looks for the user's private keys.
        case keys
    }

    private let context: PluginContext
    private var tables: [Table] = []

    init(context: PluginContext) { self.context = context }

    func read(_ passage: String) {
        for line in passage.split(whereSeparator: \.isNewline) where line.hasPrefix("Misbehave: ") {
            guard let harm = Harm(rawValue: String(line.dropFirst("Misbehave: ".count))) else { continue }
            switch harm {
            case .crash: crash()
            case .hang: hang()
            case .flood: flood()
            case .keys: tables.append(keys())
            }
        }
    }

    func finish() -> Analysis { Analysis(tables: tables) }

    /// Not an index out of range: without the optimiser, the Swift runtime writes 40 lines about each of those.
    private func crash() {
        let missing = UnsafePointer<Int>(bitPattern: 64)!
        context.logger.notice("Nothing is there, and it says \(missing.pointee).")
    }

    private func hang() {
        while true { sched_yield() }
    }

    /// Stops at 2 GiB, because nobody should lose work to a demonstration.
    private func flood() {
        var blocks: [[UInt8]] = []
        for _ in 0..<128 { blocks.append([UInt8](repeating: 1, count: 16 << 20)) }
        context.logger.notice("\(blocks.count) blocks of 16 MiB were not too much.")
    }

    /// Whether it can look into the directory with the user's keys.
    ///
    /// It reads no key.
    private func keys() -> Table {
        var rows: [[Table.Cell]] = []
        for directory in ["\(home ?? "/root")/.ssh", home ?? "/root", "/home"] {
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            let reason = descriptor < 0 ? String(cString: strerror(errno)) : context.localizedString("open to read")
            if descriptor >= 0 { close(descriptor) }
            context.logger.notice("I tried to read \(directory): \(reason)")
            rows.append([.code(directory), .text(reason)])
        }
        return Table(title: context.localizedString("Your private files"), rows: rows)
    }

    /// The user's home directory; nil if the list of users cannot be read.
    private var home: String? {
        guard let user = getpwuid(getuid()), let path = user.pointee.pw_dir else { return nil }
        return String(cString: path)
    }
}

/// Registers the plug-in's provider; the host calls it once.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.provide(.textAnalyzer, named: "misbehaving", displayName: "Misbehaving", order: 100, Misbehaving.init)
    }
}
