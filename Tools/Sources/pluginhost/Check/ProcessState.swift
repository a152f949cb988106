import CChildProcess
import HostBasics
import PluginHost

/// What code shares with the process that loads it, and with the thread that calls it, at one moment.
///
/// `pluginhost check --level strict` compares it before a load, after the load and after the use of the code. Nothing is
/// repaired: a plug-in that needs its signal handler would break without it.
struct ProcessState {
    /// What a value belongs to, in the order of `process_state_kind`.
    enum Kind: UInt32, CaseIterable {
        case locale, signal, mask, stack, folder, umask, variable, limit, timer, descriptor, personality, dumpable,
            subreaper
    }

    private struct Key: Hashable {
        let kind: Kind
        let name: String
    }

    fileprivate struct Value {
        /// What is compared.
        let text: String
        let shown: String
    }

    private var values: [Key: Value] = [:]
    private let float = FloatState.current

    /// Reads the state of the process and of the calling thread.
    ///
    /// Creates nil if `/proc` cannot be read.
    init?() {
        let isRead = withUnsafeMutablePointer(to: &values) { values in
            process_state_read(
                { values, kind, name, value, shown in
                    guard let values, let kind = Kind(rawValue: kind.rawValue), let name, let value, let shown else {
                        return
                    }
                    values.assumingMemoryBound(to: [Key: Value].self).pointee[
                        Key(kind: kind, name: String(cString: name))] =
                        Value(text: String(cString: value), shown: String(cString: shown))
                }, values)
        }
        if !isRead { return nil }
    }

    /// More findings of one kind are only counted.
    private static let most = 10

    /// The warnings about everything that differs from an earlier state, one for each value.
    ///
    /// `when`: what the code did meanwhile, such as “while it was loaded”. `file`: the plug-in's executable.
    func findings(since old: ProcessState, when: String, file: String?) -> [PluginFinding] {
        var findings: [PluginFinding] = []
        for kind in Kind.allCases {
            let names = Set(values.keys.filter { $0.kind == kind } + old.values.keys.filter { $0.kind == kind }).map(
                \.name)
            let changes = names.sorted { ($0.count, $0) < ($1.count, $1) }.compactMap { name -> PluginFinding? in
                let key = Key(kind: kind, name: name)
                guard let change = kind.change(of: name, old.values[key], values[key]) else { return nil }
                return PluginFinding(
                    .warning, .processChanged, filePath: file, subject: name,
                    message: "The code changed the process \(when): \(change).", remedy: kind.remedy)
            }
            findings += changes.prefix(Self.most)
            if changes.count > Self.most {
                findings.append(
                    PluginFinding(
                        .warning, .processChanged, filePath: file,
                        message: "\(changes.count - Self.most) more changes of this kind, \(when), are not listed.",
                        remedy: kind.remedy))
            }
        }
        if float != old.float {
            findings.append(
                PluginFinding(
                    .warning, .processChanged, filePath: file, subject: "floating point",
                    message: """
                        The code changed how its thread calculates \(when): \
                        \(float.differences(from: old.float).joined(separator: "; ")).
                        """,
                    remedy: "Save the state with fegetenv() before the change, and set it again with fesetenv()."))
        }
        return findings
    }
}

extension ProcessState.Kind {
    /// The change of a value in words; nil if there is none, or none that matters.
    ///
    /// A value that does not exist is nil.
    fileprivate func change(of name: String, _ old: ProcessState.Value?, _ new: ProcessState.Value?) -> String? {
        if old?.text == new?.text { return nil }
        switch self {
        case .signal:
            // A handler that is left out belongs to the host.
            guard let old, let new else { return nil }
            return
                "the action of \(name) was \(old.shown.escapedForTerminal) and is now \(new.shown.escapedForTerminal)"
        case .variable:
            let (before, after) = (old?.shown ?? "not set", new?.shown ?? "not set")
            return "the environment variable \(name.escapedForTerminal) was \(before.escapedForTerminal) and is now "
                + after.escapedForTerminal
        case .descriptor: return descriptorChange(name, old, new)
        case .timer: return "\(name) was \(old?.shown ?? "off") and is now \(new?.shown ?? "off")"
        case .locale, .mask, .stack, .folder, .umask, .limit, .personality, .dumpable, .subreaper:
            guard let old, let new else { return nil }
            return "the \(name) was \(old.shown.escapedForTerminal) and is now \(new.shown.escapedForTerminal)"
        }
    }

    /// Descriptors may be opened, unless programs that the application starts inherit them.
    private func descriptorChange(
        _ number: String, _ old: ProcessState.Value?, _ new: ProcessState.Value?
    ) -> String? {
        func quoted(_ value: ProcessState.Value) -> String { "“\(value.shown.escapedForTerminal)”" }
        func isInherited(_ value: ProcessState.Value) -> Bool { value.text.hasSuffix("+") }
        func file(_ value: ProcessState.Value) -> Substring {
            isInherited(value) ? value.text.dropLast() : value.text[...]
        }
        switch (old, new) {
        case (let old?, nil): return "it closed the descriptor \(number), which was \(quoted(old))"
        case (nil, let new?):
            guard isInherited(new) else { return nil }
            return "it opened the descriptor \(number), \(quoted(new)), without O_CLOEXEC, so every program that the "
                + "application starts inherits it"
        case (let old?, let new?):
            if file(old) != file(new) { return "the descriptor \(number) was \(quoted(old)) and is now \(quoted(new))" }
            return
                "the descriptor \(number), \(quoted(new)), was \(isInherited(old) ? "" : "not ")inherited by programs "
                + "that the application starts, and now it is\(isInherited(new) ? "" : " not")"
        case (nil, nil): return nil
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .locale: "Use newlocale() and the functions that take a locale_t; a locale in Swift needs neither."
        case .signal: "Leave signals to the application; in threads of the plug-in, block them."
        case .mask: "Set the mask only in threads that the plug-in starts."
        case .stack: "Set an alternate stack only in threads that the plug-in starts."
        case .folder: "Use absolute paths, or openat()."
        case .umask: "Set the mode of each file with fchmod() instead."
        case .variable:
            "Pass values as arguments, and give a program that the plug-in starts an environment of its own."
        case .limit: "Set limits only in processes that the plug-in starts."
        case .timer: "Use timerfd_create(), or a thread."
        case .descriptor: "Close only what the plug-in has opened, and open every file with O_CLOEXEC."
        case .personality, .dumpable, .subreaper:
            "Leave it to the application, or set it in a process that the plug-in starts."
        }
    }
}
