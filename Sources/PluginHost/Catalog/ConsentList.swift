import HostBasics
import HostRecords
@_spi(Tools) import PluginWorkers
internal import PropertyLists

/// The content of a file with consents.
struct ConsentList: KeptContent {
    private(set) var consents: [PluginConsents.Consent] = []
    /// Keys of later versions.
    ///
    /// They are kept when the file is written.
    private var others: [String: PropertyList] = [:]

    private static let key = "Plugins"

    init() {}

    /// Reads a list.
    ///
    /// Returns nil unless this version could have written everything in it.
    init?(_ list: PropertyList) {
        guard case .dictionary(var items) = list, let rows = items[Self.key]?.array else { return nil }
        for row in rows {
            guard let consent = PluginConsents.Consent(row) else { return nil }
            consents.append(consent)
        }
        items[Self.key] = nil
        others = items
    }

    /// The list that allows nothing.
    static var safest: ConsentList { ConsentList() }

    var list: PropertyList {
        var items = others
        items[Self.key] = .array(consents.map(\.list))
        return .dictionary(items)
    }

    // MARK: Changes

    /// A change.
    ///
    /// If it cannot be written, it is applied again later.
    enum Change: Sendable, Equatable {
        case give(PluginConsents.Consent)
        case withdraw(String)
        /// A plug-in takes over the answers about an older identifier of it.
        case takeOver(String, by: String, at: String)
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .give(let new):
            consents.removeAll { $0.identifier == new.identifier && $0.bundlePath == new.bundlePath }
            consents.append(new)
        case .withdraw(let identifier): consents.removeAll { $0.identifier == identifier }
        case .takeOver(let old, let new, let path):
            let isAnswered = consents.contains { $0.identifier == new && $0.bundlePath == path }
            guard !isAnswered, let place = consents.lastIndex(where: { $0.isTakenOver(old, at: path) }) else { return }
            let consent = consents.remove(at: place)
            consents.append(
                .init(identifier: new, bundlePath: path, asked: consent.asked, allowed: consent.allowed))
        }
    }
}

extension PluginConsents.Consent {
    private enum Key {
        static let identifier = "Identifier"
        static let path = "Path"
        static let asked = "Asked"
        static let allowed = "Allowed"
    }

    /// Whether a bundle at a path takes the answer over, if it replaces an identifier: one in the same folder.
    ///
    /// Why: an answer belongs to a bundle at a path. Whoever can put another bundle into another folder does not thereby
    /// get what the user allowed this one.
    func isTakenOver(_ old: String, at path: String) -> Bool {
        identifier == old && Path.parent(bundlePath) == Path.parent(path)
    }

    fileprivate init?(_ row: PropertyList) {
        guard case .dictionary(let items) = row, let identifier = items[Key.identifier]?.string,
            let path = items[Key.path]?.string, let asked = items[Key.asked].flatMap(Self.permissions),
            let allowed = items[Key.allowed].flatMap(Self.permissions)
        else { return nil }
        self.init(identifier: identifier, bundlePath: path, asked: asked, allowed: allowed)
    }

    fileprivate var list: PropertyList {
        .dictionary([
            Key.identifier: .string(identifier), Key.path: .string(bundlePath),
            Key.asked: .array(asked.items.map(PropertyList.string)),
            Key.allowed: .array(allowed.items.map(PropertyList.string)),
        ])
    }

    private static func permissions(_ list: PropertyList) -> PluginPermissions? {
        guard let items = list.array else { return nil }
        let texts = items.compactMap(\.string)
        return texts.count == items.count ? try? PluginPermissions(items: texts) : nil
    }
}
