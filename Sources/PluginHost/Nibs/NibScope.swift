@_spi(PluginHost) internal import PluginABI

/// The source of a nib's classes.
///
/// This is everything that the planner knows about loading code.
protocol NibClassSource: Sendable {
    /// The classes that a nib may name; earlier levels take precedence. Loads code if necessary.
    ///
    /// - Throws: ``PluginError`` if code does not load.
    func nibClassLevels() throws(PluginError) -> [NibClassLevel]
    /// Whether these are still the current classes.
    func isCurrent(_ levels: [NibClassLevel]) -> Bool
    /// The bundle that has a class with a name, for a message; nil if no loaded bundle has one.
    func stranger(withNibClass name: String) -> String?
}

/// Classes of equal rank: those of a bundle, of the bundles that it requires, or of the application.
struct NibClassLevel: Sendable {
    /// A class and its owner.
    final class Member: Sendable {
        let aClass: NibClass
        /// The context for making its objects; nil for a class that only a list declares, which makes none.
        let context: PluginContext?
        /// Counts its objects; nil for classes of the application.
        let count: ObjectCount?
        /// For messages: the bundle's path; nil for the application.
        let bundlePath: String?
        /// The XML elements that represent the class.
        let elements: [String]

        init(
            aClass: NibClass, context: PluginContext?, count: ObjectCount?, bundlePath: String?, elements: [String]
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
    /// The code that registered the classes.
    var codes: [(bundle: PluginBundle, code: LoadedCode)] = []
}

/// The classes that a nib may name.
struct NibScope: Sendable {
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

    init(_ levels: [NibClassLevel], leavingOut elementsLeftOut: Set<String>) {
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

    enum Answer {
        case found(NibClassLevel.Member)
        case missing
        /// Several of equal rank.
        case ambiguous([NibClassLevel.Member])

        /// `members`: the members with the same name and rank.
        init(_ members: [NibClassLevel.Member]) {
            self = members.count > 1 ? .ambiguous(members) : members.first.map(Self.found) ?? .missing
        }
    }

    func aClass(named name: String) -> Answer {
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

/// The classes for the nibs of one bundle: its own, those of the bundles that it requires, and the application's.
struct BundleNibClasses: NibClassSource {
    let bundle: PluginBundle

    func nibClassLevels() throws(PluginError) -> [NibClassLevel] {
        var levels: [NibClassLevel] = []
        let isProgram = bundle.isProgram
        if !isProgram, let code = try Self.code(of: bundle) {
            levels.append(level([(bundle, code)], isOwn: true))
        }
        var required: [(PluginBundle, LoadedCode)] = []
        for identifier in bundle.manifest.requires.keys.sorted() {
            guard let other = PluginBundle(identifier: identifier), other !== bundle,
                let code = try Self.code(of: other)
            else { continue }
            required.append((other, code))
        }
        if !required.isEmpty { levels.append(level(required, isOwn: false)) }
        let classes = HostEnvironment.current.nibClasses
        let context = try Self.programContext()
        let members = classes.named.values.map { aClass in
            let element = aClass.registration.element.flatMap { classes.byElement[$0] === aClass ? $0 : nil }
            return NibClassLevel.Member(
                aClass: aClass, context: context, count: nil, bundlePath: nil,
                elements: element.map { [$0] } ?? [])
        }
        levels.append(NibClassLevel(isOwn: isProgram, members: members))
        return levels
    }

    private func level(_ codes: [(PluginBundle, LoadedCode)], isOwn: Bool) -> NibClassLevel {
        let members = codes.flatMap { bundle, code in
            let context = code.context
            return code.registrations.nibClasses.map { aClass in
                NibClassLevel.Member(
                    aClass: aClass, context: context, count: code.objects.count(.pluginClass, aClass.name),
                    bundlePath: bundle.bundlePath,
                    elements: aClass.registration.element.map { [$0] } ?? [])
            }
        }
        return NibClassLevel(isOwn: isOwn, members: members, codes: codes.map { ($0.0, $0.1) })
    }

    /// The loaded code of a bundle; nil for a bundle without code.
    private static func code(of bundle: PluginBundle) throws(PluginError) -> LoadedCode? {
        if let code = bundle.currentCode { return code }
        // A bundle with only resources stays unloaded; otherwise its state would be that of a failed load.
        if !bundle.isLinked, !bundle.isProgram, bundle.manifest.executable == nil, bundle.manifest.principalClass == nil
        {
            do throws(PluginError) {
                _ = try bundle.openExecutable()
            } catch {
                if error.code == .notCode { return nil }
            }
        }
        do {
            return try bundle.loadedCode()
        } catch {
            guard let error = error as? PluginError else {
                preconditionFailure("a load throws a PluginError, not \(error)")
            }
            if error.code == .notCode { return nil }
            throw error
        }
    }

    /// The context for objects of the application's classes, which is the main bundle's.
    private static func programContext() throws(PluginError) -> PluginContext {
        guard let code = try code(of: PluginBundle.main) else {
            preconditionFailure("the main bundle has code that runs")
        }
        return code.context
    }

    func isCurrent(_ levels: [NibClassLevel]) -> Bool {
        for level in levels {
            for (bundle, code) in level.codes where bundle.currentCode !== code { return false }
        }
        return true
    }

    func stranger(withNibClass name: String) -> String? {
        let known = [bundle.bundlePath]
        return BundleTable.shared.all.first { other in
            !known.contains(other.bundlePath)
                && other.currentCode?.registrations.nibClasses.contains { $0.name == name } ?? false
        }?.bundlePath
    }
}
