import Glibc
@_spi(Tools) package import HostBasics
internal import PropertyLists

extension Quarantine {
    /// A plug-in that ended a process of the application, or that somebody put into quarantine.
    public struct Entry: Sendable, Hashable {
        /// Who put the plug-in into quarantine.
        public enum Origin: String, Sendable, Hashable, CaseIterable {
            /// The library, because the plug-in's code ended processes.
            case deaths
            /// A user or the application.
            case user
            /// The administrator; such an entry does not expire, and only the administrator removes it.
            case administrator
        }

        /// The plug-in's identifier; `*` for every plug-in.
        public let identifier: String
        /// The bundle's directory; nil in an entry of the administrator, which applies to every bundle with the
        /// identifier, and in an entry for every plug-in.
        public let bundlePath: String?
        /// Who put the plug-in into quarantine; nil if it is not in quarantine, because it did not end processes often
        /// enough.
        public internal(set) var origin: Origin?
        /// The reason that a user, the application or the administrator gave; empty if none.
        public internal(set) var givenReason = ""
        /// The file with the administrator's entry; nil for every other entry.
        @_spi(Tools) public internal(set) var listPath: String?
        /// How often its code has ended a process since it was installed.
        public internal(set) var count = 0
        /// The latest of these deaths, at most 16, the most recent one last.
        public internal(set) var deaths: [Death] = []
        /// The files of its code, and the libraries that they use.
        ///
        /// If one of them has other content, the entry has expired.
        var files: [CodeFile] = []
        /// Whether all its extensions also work from a worker process; nil if its load never got far enough to tell.
        var isRemote: Bool?

        /// The paths of the files of its code, and of the libraries that they use.
        ///
        /// If one of them has other content than when the entry was made, the entry has expired.
        public var codeFiles: [String] { files.map(\.path) }

        package init(_ identifier: String, bundlePath: String?, files: [CodeFile] = []) {
            self.identifier = identifier
            self.bundlePath = bundlePath
            self.files = files
        }
    }

    /// The end of a process that a plug-in caused.
    public struct Death: Sendable, Hashable {
        /// Nanoseconds since 1970, by the system's clock.
        public var time: Int64
        /// What ended the process, as in `the signal SIGSEGV`.
        public var end: String
        /// What was running: a step of a load (``LoadStep``), `call`, `code`, or a phase of a worker.
        public var phase: String
        /// The method that was called, or nil.
        public var method: String?
        /// Whether it is certain that the plug-in's code was the cause.
        ///
        /// If false, its code was only seen on the stack.
        public var isCertain: Bool
        /// Whether the process was a worker, and not the application.
        public var isOfWorker: Bool

        package init(
            time: Int64, end: String, phase: String, method: String? = nil, isCertain: Bool = true,
            isOfWorker: Bool = false
        ) {
            self.time = time
            self.end = end
            self.phase = phase
            self.method = method
            self.isCertain = isCertain
            self.isOfWorker = isOfWorker
        }
    }
}

// MARK: - As sentences

extension Quarantine.Entry {
    /// Why the plug-in is in quarantine, or what it has done so far.
    public var reason: String {
        let parts = [givenReason.isEmpty ? nil : givenReason.escapedForDisplay.asSentence, deathSentence]
        let text = parts.compactMap(\.self).joined(separator: " ")
        return text.isEmpty ? "No reason was given." : text
    }

    /// Why a catalogue refuses the plug-in, and what to do.
    ///
    /// `path`: the bundle's directory.
    package func finding(at path: String, application: String?) -> PluginFinding {
        let who = origin == .administrator ? "The administrator has put" : origin == .user ? "The user has put" : nil
        let list = listPath.map(quoted) ?? "the list"
        let isOfEveryPlugin = identifier == QuarantineList.everyPlugin
        let beginning =
            isOfEveryPlugin
            ? "Every plug-in is in quarantine."
            : who.map { "\($0) \(quoted(identifier)) into quarantine\(listPath == nil ? "" : ", in \(list)")." }
                ?? "\(quoted(identifier)) is in quarantine."
        let name = isOfEveryPlugin ? "'\(identifier)'" : identifier
        let clearing = "pluginhost quarantine clear \(name) --application \(application ?? "NAME")"
        return PluginFinding(
            .quarantined, filePath: path, subject: identifier, message: "\(beginning) \(reason)",
            remedy: origin == .administrator
                ? "Ask the administrator of this machine to \(isOfEveryPlugin ? "mend" : "take it out of") \(list)."
                : isOfEveryPlugin
                    ? "To use the plug-ins again: \(clearing)"
                    : "Install another version of it: a changed file ends the quarantine. To use this one again: \(clearing)"
        )
    }

    private var deathSentence: String? {
        guard let last = deaths.last else { return nil }
        let ofWorkers = deaths.count { $0.isOfWorker }
        let others = deaths.count - ofWorkers
        let what =
            if ofWorkers > 0, others > 0 {
                "the application \(Self.times(others)) and its own process \(Self.times(ofWorkers))"
            } else {
                "\(last.isOfWorker ? "its process" : "the application") \(Self.times(count))"
            }
        return "Its code ended \(what), last on \(last.timeText): \(last.description)."
    }

    private static func times(_ count: Int) -> String {
        count == 1 ? "once" : count == 2 ? "twice" : "\(count) times"
    }
}

extension Quarantine.Death: CustomStringConvertible {
    /// As in `the signal SIGSEGV, in its entry`.
    public var description: String {
        let place =
            switch phase {
            case LoadStep.opening.rawValue: "while its files were opened and their constructors ran"
            case LoadStep.entry.rawValue: "in its entry"
            case LoadStep.activation.rawValue: "while it was activated"
            case "call": method.map { "in a call of \($0.escapedForDisplay)" } ?? "in a call"
            case "make": "while \(quoted(method ?? "")) was made"
            case "deactivation": "while it was deactivated"
            case "code": "while its code ran"
            default: "in the phase \(quoted(phase))"
            }
        return "\(end.escapedForDisplay), \(place)"
    }

    /// As in `2026-11-22 18:10 UTC`.
    var timeText: String {
        var seconds = time_t(time / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            let count = strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%d %H:%M UTC", &parts)
            return count == 0 ? "an unknown day" : String(cString: buffer.baseAddress!)
        }
    }
}

// MARK: - As property lists

extension Quarantine.Entry {
    private enum Key {
        static let identifier = "Identifier", path = "Path", origin = "Origin", reason = "Reason", count = "Count"
        static let deaths = "Deaths", files = "Files", isRemote = "Remote", digest = "Digest", identity = "Identity"
        static let time = "Time", end = "End", phase = "Phase", method = "Method", isCertain = "Certain"
        static let isOfWorker = "InWorker"
    }

    var list: PropertyList {
        var items: [String: PropertyList] = [
            Key.identifier: .string(identifier), Key.count: .integer(Int64(count)),
            Key.deaths: .array(deaths.map(Self.list)), Key.files: .array(files.map(Self.list)),
        ]
        items[Key.path] = bundlePath.map(PropertyList.string)
        items[Key.origin] = (origin?.rawValue).map(PropertyList.string)
        items[Key.reason] = givenReason.isEmpty ? nil : .string(givenReason)
        items[Key.isRemote] = isRemote.map(PropertyList.boolean)
        return .dictionary(items)
    }

    private static func list(_ file: CodeFile) -> PropertyList {
        .dictionary([
            Key.path: .string(file.path), Key.digest: .string(file.digest), Key.identity: .string(file.identity),
        ])
    }

    private static func list(_ death: Quarantine.Death) -> PropertyList {
        var items: [String: PropertyList] = [
            Key.time: .integer(death.time), Key.end: .string(death.end), Key.phase: .string(death.phase),
            Key.isCertain: .boolean(death.isCertain), Key.isOfWorker: .boolean(death.isOfWorker),
        ]
        items[Key.method] = death.method.map(PropertyList.string)
        return .dictionary(items)
    }

    /// Reads an entry; nil if the list is not one.
    init?(list: PropertyList) {
        guard let identifier = list[Key.identifier]?.string else { return nil }
        let path = list[Key.path]?.string
        // Only an entry for every plug-in needs no bundle.
        guard path != nil || identifier == QuarantineList.everyPlugin else { return nil }
        self.init(identifier, bundlePath: path)
        if let text = list[Key.origin] {
            guard let origin = text.string.flatMap(Origin.init(rawValue:)), origin != .administrator else { return nil }
            self.origin = origin
        }
        guard let files = list[Key.files]?.array, let deaths = list[Key.deaths]?.array else { return nil }
        for file in files {
            guard let path = file[Key.path]?.string, let digest = file[Key.digest]?.string,
                let identity = file[Key.identity]?.string
            else { return nil }
            self.files.append(CodeFile(path: path, digest: digest, identity: identity))
        }
        for death in deaths.suffix(Self.mostDeaths) {
            guard let time = death[Key.time]?.integer, let end = death[Key.end]?.string,
                let phase = death[Key.phase]?.string
            else { return nil }
            self.deaths.append(
                Quarantine.Death(
                    time: time, end: end, phase: phase, method: death[Key.method]?.string,
                    isCertain: death[Key.isCertain]?.boolean ?? true,
                    isOfWorker: death[Key.isOfWorker]?.boolean ?? false))
        }
        givenReason = list[Key.reason]?.string ?? ""
        isRemote = list[Key.isRemote]?.boolean
        count = Int(clamping: list[Key.count]?.integer ?? Int64(deaths.count))
    }

    /// An entry of the administrator's list: `Identifier`, and perhaps `Reason`.
    init?(administrators list: PropertyList) {
        guard let identifier = list[Key.identifier]?.string else { return nil }
        self.init(identifier, bundlePath: nil)
        origin = .administrator
        givenReason = list[Key.reason]?.string ?? ""
    }

    /// How many deaths an entry keeps.
    static let mostDeaths = 16
}
