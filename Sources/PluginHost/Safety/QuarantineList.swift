internal import PropertyLists

/// The content of a quarantine file.
struct QuarantineList: Sendable, Equatable {
    private(set) var entries: [Quarantine.Entry] = []
    /// Keys of later versions, which are kept when the file is written.
    private var others: [String: PropertyList] = [:]

    private static let key = "Plugins"

    init() {}

    /// Reads a list.
    ///
    /// `entry`: reads one of its entries. Returns nil if something in it is not as this version writes it.
    init?(_ list: PropertyList, entry: (PropertyList) -> Quarantine.Entry?) {
        guard case .dictionary(var items) = list, let rows = items[Self.key]?.array else { return nil }
        for row in rows {
            guard let entry = entry(row) else { return nil }
            entries.append(entry)
        }
        items[Self.key] = nil
        others = items
    }

    var list: PropertyList {
        var items = others
        items[Self.key] = .array(entries.map(\.list))
        return .dictionary(items)
    }

    // MARK: Changes

    /// How many deaths put a plug-in into quarantine.
    struct Limit: Sendable, Equatable {
        let deaths: Int
        let within: Duration

        /// For deaths of the application.
        static let ofApplication = Limit(deaths: 2, within: .seconds(7 * 24 * 3600))
    }

    /// A change that could not be written is made again later.
    enum Change: Sendable, Equatable {
        /// The plug-in ended a process. The entry has its files; it need not be in the list.
        case death(Quarantine.Entry, Quarantine.Death, Limit)
        /// The same, unless it was counted already.
        case missedDeath(Quarantine.Entry, Quarantine.Death, Limit)
        case add(Quarantine.Entry)
        case clear(String)
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .add(let new):
            var entry = take(new)
            entry.origin = new.origin
            entry.givenReason = new.givenReason
            entries.append(entry)
        case .clear(let identifier): entries.removeAll { $0.identifier == identifier }
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

    /// Takes the entry of a bundle out of the list; if there is none, or it was about other files, it is the new one.
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
    /// **Cost.** One system call for each file of each entry, and reading those that were written since.
    mutating func removeExpired() -> Bool {
        let old = entries
        entries = entries.compactMap { $0.renewed }
        return entries != old
    }
}

extension Quarantine.Entry {
    /// Whether it ended the application lately, certainly, and also works from another process.
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
        // The distance to the new one, whichever was first: the clock may have been set back.
        let span = limit.within / .nanoseconds(1)
        let recent = deaths.filter {
            $0.isOfWorker == death.isOfWorker && abs(Double($0.time) - Double(death.time)) <= span
        }
        let certain = recent.count(where: \.isCertain)
        // What was only seen on the stack counts half, and never alone.
        let weight = certain == 0 ? 0 : 2 * certain + (recent.count - certain)
        if origin == nil, weight >= 2 * limit.deaths { origin = .deaths }
    }

    /// The entry with the present identities of its files; nil if it has expired.
    ///
    /// An entry of a bundle that is not there is kept: nothing of it can run.
    fileprivate var renewed: Quarantine.Entry? {
        guard let bundlePath, FileIdentity(path: bundlePath) != nil else { return self }
        // An earlier version of the library could take the application for a plug-in.
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
