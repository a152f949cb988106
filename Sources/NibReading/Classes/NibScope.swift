package import HostBasics
@_spi(PluginHost) package import PluginABI

/// Classes of equal rank: those of a bundle, of the bundles that it requires, or of the application.
package struct NibClassLevel: Sendable {
    /// A class and its owner.
    package final class Member: Sendable {
        package let aClass: NibClass
        /// The context for making its objects; nil for a class that only a list declares, which makes none.
        package let context: PluginContext?
        /// Counts its objects; nil for classes of the application.
        package let count: (any NibObjectCounter)?
        /// For messages: the bundle's path; nil for the application.
        package let bundlePath: String?
        /// The XML elements that represent the class.
        package let elements: [String]

        package init(
            aClass: NibClass, context: PluginContext?, count: (any NibObjectCounter)?, bundlePath: String?,
            elements: [String]
        ) {
            self.aClass = aClass
            self.context = context
            self.count = count
            self.bundlePath = bundlePath
            self.elements = elements
        }
    }

    /// Whether these are the classes of the nib's own bundle.
    let isOwn: Bool
    let members: [Member]

    package init(isOwn: Bool, members: [Member]) {
        self.isOwn = isOwn
        self.members = members
    }
}

/// Counts the objects of a class that instances of nibs keep.
package protocol NibObjectCounter: AnyObject, Sendable {
    /// Counts objects that are kept until ``release(_:survivors:)``.
    func keep(_ count: Int)
    /// Ends ``keep(_:)``.
    ///
    /// The survivors, objects that still exist, count until they are destroyed.
    func release(_ count: Int, survivors: [(ObjectIdentifier, WeakReference<AnyObject>)])
}

/// The classes that a nib may name.
package struct NibScope: Sendable {
    let levels: [NibClassLevel]
    /// The XML elements whose objects are ignored.
    let elementsLeftOut: Set<String>
    /// For each name, the answer of the first level that has it.
    private let named: [String: Answer]
    /// The members of each level by name; used only for names with a module.
    private let membersByName: [[String: [NibClassLevel.Member]]]
    /// The bundles of the nib's own classes; nil represents the application, and lists.
    private let ownPaths: Set<String?>
    private let byElement: [String: Answer]

    package init(_ levels: [NibClassLevel], leavingOut elementsLeftOut: Set<String>) {
        self.levels = levels
        self.elementsLeftOut = elementsLeftOut
        var named: [String: Answer] = [:]
        var byElement: [String: Answer] = [:]
        membersByName = levels.map { level in Self.members(level.members) { [$0.aClass.name] } }
        // Merged in reverse order, so that the first level takes precedence.
        for (level, members) in zip(levels, membersByName).reversed() {
            named.merge(members.mapValues(Answer.init)) { $1 }
            byElement.merge(Self.members(level.members, \.elements).mapValues(Answer.init)) { $1 }
        }
        ownPaths = levels.reduce(into: []) { paths, level in
            if level.isOwn { for member in level.members { paths.insert(member.bundlePath) } }
        }
        self.named = named
        self.byElement = byElement
    }

    /// The members of one level, by name.
    private static func members(
        _ members: [NibClassLevel.Member], _ names: (NibClassLevel.Member) -> [String]
    ) -> [String: [NibClassLevel.Member]] {
        var found: [String: [NibClassLevel.Member]] = [:]
        for member in members {
            for name in names(member) { found[name, default: []].append(member) }
        }
        return found
    }

    package enum Answer {
        case found(NibClassLevel.Member)
        case missing
        /// Several of equal rank.
        case ambiguous([NibClassLevel.Member])

        /// `members`: the members with the same name and rank.
        init(_ members: [NibClassLevel.Member]) {
            self = members.count > 1 ? .ambiguous(members) : members.first.map(Self.found) ?? .missing
        }
    }

    package func aClass(named name: String) -> Answer {
        if let found = named[name] { return found }
        // “Module.Card” finds a class that was registered as “Card”.
        guard let dot = name.lastIndex(of: ".") else { return .missing }
        let (module, plain) = (name[..<dot], name[name.index(after: dot)...])
        for members in membersByName {
            let fitting = members[String(plain), default: []].filter { $0.aClass.module.map { $0 == module } ?? true }
            if !fitting.isEmpty { return Answer(fitting) }
        }
        return .missing
    }

    /// Whether a class belongs to the nib's own bundle.
    func isOwn(_ member: NibClassLevel.Member) -> Bool { ownPaths.contains(member.bundlePath) }

    func aClass(ofElement element: String) -> Answer { byElement[element] ?? .missing }

    func isRegistered(element: String) -> Bool { byElement[element] != nil }

    var names: some Collection<String> { named.keys }

    /// The XML elements that represent objects of classes.
    var elements: some Collection<String> { byElement.keys }
}
