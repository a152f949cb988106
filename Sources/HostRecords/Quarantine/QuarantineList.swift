import HostBasics
package import PropertyLists

/// The content of a quarantine file.
package struct QuarantineList: KeptContent {
    private(set) var entries: [Quarantine.Entry] = []
    /// Keys of later versions, which are kept when the file is written.
    private var others: [String: PropertyList] = [:]

    private static let key = "Plugins"

    package init() {}

    package init?(_ list: PropertyList) { self.init(list, entry: Quarantine.Entry.init(list:)) }

    /// Reads a list.
    ///
    /// `entry`: reads one entry of the list. Returns nil if a part of the list does not have the form in which this
    /// version writes it.
    init?(_ list: PropertyList, entry: (PropertyList) -> Quarantine.Entry?) {
        guard case .dictionary(var items) = list, let rows = items[Self.key]?.array else { return nil }
        for row in rows {
            guard let entry = entry(row) else { return nil }
            entries.append(entry)
        }
        items[Self.key] = nil
        others = items
    }

    /// Every plug-in is in quarantine.
    package static var safest: QuarantineList {
        var list = QuarantineList()
        list.entries = [
            .ofEveryPlugin(
                .user,
                because: "The list of the plug-ins in quarantine was damaged, and nobody knows which ones they were.")
        ]
        return list
    }

    package var list: PropertyList {
        var items = others
        items[Self.key] = .array(entries.map(\.list))
        return .dictionary(items)
    }

    // MARK: Changes

    /// How many deaths put a plug-in into quarantine.
    package struct Limit: Sendable, Equatable {
        let deaths: Int
        let within: Duration

        package init(deaths: Int, within: Duration) {
            self.deaths = deaths
            self.within = within
        }

        /// For deaths of the application.
        package static let ofApplication = Limit(deaths: 2, within: .seconds(7 * 24 * 3600))
    }

    /// A change of the list.
    ///
    /// One that could not be written is repeated later.
    package enum Change: Sendable, Equatable {
        /// The plug-in ended a process. The entry states the plug-in's files, and need not be in the list.
        case death(Quarantine.Entry, Quarantine.Death, Limit)
        /// The same, unless it was counted already.
        case missedDeath(Quarantine.Entry, Quarantine.Death, Limit)
        case add(Quarantine.Entry)
        case clear(String)
        /// Removes the entries that have expired.
        case expire
    }

    package mutating func apply(_ change: Change) {
        switch change {
        case .add(let new):
            var entry = take(new)
            entry.origin = new.origin
            entry.givenReason = new.givenReason
            entries.append(entry)
        case .clear(let identifier): entries.removeAll { $0.identifier == identifier }
        case .expire: removeExpired()
        case .death(let evidence, let death, let limit), .missedDeath(let evidence, let death, let limit):
            var entry = take(evidence)
            entry.isRemote = evidence.isRemote ?? entry.isRemote
            if case .missedDeath = change, entry.deaths.contains(where: { $0.isOfWorker && $0.time == death.time }) {
                entries.append(entry)
                return
            }
            entry.note(death, limit)
            entries.append(entry)
        }
    }

    /// Takes the entry of a bundle out of the list.
    ///
    /// Returns the new entry if there is none, or if the old one was about other files.
    private mutating func take(_ new: Quarantine.Entry) -> Quarantine.Entry {
        guard
            let index = entries.firstIndex(where: {
                $0.identifier == new.identifier && $0.bundlePath == new.bundlePath
            })
        else { return new }
        var old = entries.remove(at: index)
        func digests(_ entry: Quarantine.Entry) -> [String: String] {
            Dictionary(entry.files.map { ($0.path, $0.digest) }, uniquingKeysWith: { first, _ in first })
        }
        guard digests(old) == digests(new) else { return new }
        old.files = new.files
        return old
    }

    /// Removes the entries that have expired, and notes the new identities of files that were only copied.
    ///
    /// - Returns: whether something changed.
    ///
    /// **Cost.** One system call for each file of each entry, and reading the files that were written since.
    @discardableResult
    mutating func removeExpired() -> Bool {
        let old = entries
        entries = entries.compactMap { $0.renewed }
        return entries != old
    }
}

/// The administrator's list of plug-ins in quarantine.
struct AdministratorsQuarantine: KeptContent {
    private(set) var entries: [Quarantine.Entry] = []

    init() {}

    init?(_ list: PropertyList) {
        guard let content = QuarantineList(list, entry: Quarantine.Entry.init(administrators:)) else { return nil }
        entries = content.entries
    }

    var list: PropertyList { .dictionary([:]) }

    /// Only the administrator changes the list, with an editor.
    mutating func apply(_ change: Never) {}

    /// Every plug-in is in quarantine.
    static var safest: AdministratorsQuarantine {
        var list = AdministratorsQuarantine()
        list.entries = [
            .ofEveryPlugin(
                .administrator,
                because: "The administrator's list cannot be used, and nobody knows which plug-ins are on it.")
        ]
        return list
    }
}

extension Quarantine.Entry {
    /// The entry of a list that cannot be used.
    fileprivate static func ofEveryPlugin(_ origin: Origin, because reason: String) -> Quarantine.Entry {
        var entry = Quarantine.Entry(QuarantineList.everyPlugin, bundlePath: nil)
        entry.origin = origin
        entry.givenReason = reason
        return entry
    }

    /// Whether the entry applies to a bundle.
    ///
    /// An entry of the administrator applies to every bundle with its identifier. Any other entry applies to the bundle
    /// at its path, and to every other bundle with the identifier and the same code: a copy is no safer than the
    /// original.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of the bundle.
    ///   - path: the path of the bundle's directory, with links resolved.
    /// - Returns: whether the bundle is in quarantine.
    ///
    /// **Cost.** For another bundle of the same identifier: reading its code files that this process has not read yet.
    package func holds(for identifier: String, at path: String) -> Bool {
        if self.identifier == QuarantineList.everyPlugin { return true }
        guard self.identifier == identifier else { return false }
        guard let bundlePath, bundlePath != path else { return true }
        let own = files.compactMap { file in
            Path.part(of: file.path, in: bundlePath).map { (part: String($0), digest: file.digest) }
        }
        return !own.isEmpty && own.allSatisfy { CodeFile(path: Path.join(path, $0.part))?.digest == $0.digest }
    }

    /// Whether the content of files decides if the entry applies to a bundle.
    package func depends(onFilesOf identifier: String, at path: String) -> Bool {
        self.identifier == identifier && bundlePath != nil && bundlePath != path
    }

    /// Whether the plug-in certainly ended the application lately, and also works from another process.
    ///
    /// `now`: nanoseconds since 1970.
    func mustRunElsewhere(at now: Int64) -> Bool {
        let span = QuarantineList.Limit.ofApplication.within / .nanoseconds(1)
        return isRemote ?? false
            && deaths.contains {
                !$0.isOfWorker && $0.isCertain && abs(Double($0.time) - Double(now)) <= span
            }
    }

    fileprivate mutating func note(_ death: Quarantine.Death, _ limit: QuarantineList.Limit) {
        count += 1
        deaths = (deaths + [death]).suffix(Self.mostDeaths)
        // Compare the distance to the new death in both directions: the clock may have been set back.
        let span = limit.within / .nanoseconds(1)
        let recent = deaths.filter {
            $0.isOfWorker == death.isOfWorker && abs(Double($0.time) - Double(death.time)) <= span
        }
        let certain = recent.count(where: \.isCertain)
        // A death for which the code was only seen on the stack counts half, and never alone.
        let weight = certain == 0 ? 0 : 2 * certain + (recent.count - certain)
        if origin == nil, weight >= 2 * limit.deaths { origin = .deaths }
    }

    /// The entry with the current identities of its files; nil if it has expired.
    ///
    /// The entry of a missing bundle is kept, because no code of that bundle can run.
    fileprivate var renewed: Quarantine.Entry? {
        guard let bundlePath, FileIdentity(path: bundlePath) != nil else { return self }
        // An earlier version of the library could mistake the application for a plug-in.
        if origin != .user, Path.isInside(Path.mainProgram, directory: bundlePath) { return nil }
        var entry = self
        for index in files.indices {
            switch files[index].comparison {
            case .same: break
            case .copied(let now): entry.files[index] = now
            case .other: return nil
            }
        }
        return entry
    }
}
