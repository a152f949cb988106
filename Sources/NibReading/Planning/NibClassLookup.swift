import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// Finds the class of each object that a nib makes, and collects the classes.
struct NibClassLookup {
    private let xml: XMLDocument
    private let words: NibWords
    private let findings: NibFindings
    private let scope: NibScope
    private let assumed: Set<String>
    private let stranger: (String) -> String?
    /// The classes of the objects so far.
    private(set) var classes: [ResolvedNib.KnownClass] = []
    /// The objects to make so far: each class with its number of consecutive objects.
    private(set) var made: [NibPlan.Run] = []
    /// The class of the last run in ``made``.
    private var lastMade: Int?
    /// The indices in ``classes`` of the classes that the nib makes objects of.
    private var classNumbers: [ObjectIdentifier: Int] = [:]
    private var recentClasses = RecentNames<Int, Int>()
    /// Whether the name of a missing class is a misspelling of one of the bundle's own classes.
    private var misspelt: [String: Bool] = [:]
    /// The classes of the nib's own bundle; computed when first needed.
    private lazy var ownNames = scope.levels.filter(\.isOwn).flatMap(\.members).map(\.aClass.name)
    /// The modules of those classes.
    private lazy var ownModules = Set(scope.levels.filter(\.isOwn).flatMap(\.members).compactMap(\.aClass.module))

    /// - Parameters:
    ///   - graph: the objects of the document.
    ///   - scope: the classes that it may name.
    ///   - assumed: classes and elements that are defined elsewhere; missing ones of these names are not reported.
    ///   - stranger: the path of another bundle that has a class, for a message.
    init(_ graph: NibGraph, scope: NibScope, assuming assumed: Set<String>, stranger: @escaping (String) -> String?) {
        xml = graph.xml
        words = graph.words
        findings = graph.findings
        self.scope = scope
        self.assumed = assumed
        self.stranger = stranger
    }

    /// Adds the class of an object from the caller; returns its index.
    mutating func add(_ external: any NibObject, _ object: NibGraph.Object) -> Int {
        classes.append(
            ResolvedNib.KnownClass(
                table: external.nibTable, type: type(of: external), member: nil, firstElement: object.element))
        return classes.count - 1
    }

    /// The index of the class of an object that the nib makes; also counts the object.
    ///
    /// Nil if there is no class.
    ///
    /// `xml`: the document, passed in so that it is not retained and released for each object.
    mutating func classNumber(ofElement element: Int, _ xml: XMLDocument) -> Int? {
        let attribute = xml.attribute(words.customClass, ofElement: element)
        if let attribute, let known = recentClasses.found({ xml.areSameValues($0, attribute) }) {
            guard hasNoModule(element) || classes[known].member.map({ checkModule(of: $0, element) }) ?? false else {
                return nil
            }
            count(known)
            return known
        }
        guard let member = member(ofElement: element) else { return nil }
        let number = number(of: member, element)
        if let attribute { recentClasses.note(number, for: attribute) }
        count(number)
        return number
    }

    /// Counts an object that the nib makes.
    private mutating func count(_ aClass: Int) {
        classes[aClass].count += 1
        if aClass == lastMade {
            made[made.count - 1].count += 1
        } else if let member = classes[aClass].member {
            made.append(NibPlan.Run(member: member, count: 1))
            lastMade = aClass
        }
    }

    /// The index of a class.
    ///
    /// `element`: an object of the class, its first one if the class is new.
    mutating func number(of member: NibClassLevel.Member, _ element: Int) -> Int {
        if let known = classNumbers[ObjectIdentifier(member)] { return known }
        classNumbers[ObjectIdentifier(member)] = classes.count
        classes.append(
            ResolvedNib.KnownClass(
                table: member.aClass.table, type: member.aClass.registration.type, member: member,
                firstElement: element))
        return classes.count - 1
    }

    private mutating func member(ofElement element: Int) -> NibClassLevel.Member? {
        guard let attribute = xml.attribute(words.customClass, ofElement: element) else {
            let elementName = xml.name(ofElement: element)
            switch scope.aClass(ofElement: elementName) {
            case .found(let member): return member
            case .ambiguous(let members):
                addAmbiguous(members, "the element", elementName, xml.offset(ofElement: element))
            case .missing:
                addUnknown(
                    elementName, at: xml.offset(ofElement: element),
                    "No class is registered for the element <\(elementName)>, and it has no customClass.",
                    remedy(ofElement: elementName))
            }
            return nil
        }
        let name = xml.value(ofAttribute: attribute)
        let offset = xml.offset(ofAttribute: attribute)
        switch scope.aClass(named: name) {
        case .found(let member): return checkModule(of: member, element) ? member : nil
        case .ambiguous(let members): addAmbiguous(members, "the class", name, offset)
        case .missing:
            func message() -> String { "The nib names the class \(quoted(name)), which nobody registered for it." }
            if !assumed.contains(name), isOfOwnBundle(name, element) {
                findings.add(.nibClassMissing, at: offset, subject: name, message(), remedy(ofClass: name))
            } else {
                addUnknown(name, at: offset, message(), remedy(ofClass: name))
            }
        }
        return nil
    }

    /// Whether only the nib's own bundle can have a missing class.
    ///
    /// That is the case if the nib names the bundle or its module, or if the name is a misspelling of one of its
    /// classes.
    ///
    /// A name that is merely similar may be a class of the application.
    private mutating func isOfOwnBundle(_ name: String, _ element: Int) -> Bool {
        guard scope.levels.contains(where: \.isOwn) else { return false }
        if let provider = xml.attribute(words.customModuleProvider, ofElement: element),
            xml.isValue(ofAttribute: provider, "target")
        {
            return true
        }
        if let module = xml.value("customModule", ofElement: element), ownModules.contains(module) { return true }
        if let known = misspelt[name] { return known }
        let isSlip = findings.suggestions.isSlip(name, ofAny: ownNames)
        misspelt[name] = isSlip
        return isSlip
    }

    private func remedy(ofElement name: String) -> String {
        if name == "customObject" { return "Give it a customClass." }
        let close = findings.suggestions.names(near: name, among: scope.elements)
        return close.isEmpty
            ? "Register a class for the element, leave the element out by nibClasses.leaveOut, or give it a customClass."
            : "There is \(quotedList(close, or: "")); correct the element, or register a class for it."
    }

    private func remedy(ofClass name: String) -> String {
        if let path = stranger(name) {
            return
                "The bundle \(quoted(path)) has it; add that bundle to PHRequires, or register the class in this one."
        }
        let close = findings.suggestions.names(near: name, among: scope.names)
        return close.isEmpty
            ? "Register the class in the plug-in's entry with plugin.register, or in nibClasses of the application."
            : "There is \(quotedList(close, or: "")); correct customClass, or register the class."
    }

    private func addAmbiguous(
        _ members: [NibClassLevel.Member], _ what: String, _ name: String, _ offset: Int
    ) {
        func owners() -> String {
            let paths = Set(members.map { $0.bundlePath ?? "the application" })
            return paths.count > 1 ? quotedList(paths, or: "") : quotedList(members.map(\.aClass.name), or: "")
        }
        findings.add(
            .nibReferenceInvalid, at: offset, subject: name,
            "More than one registers \(what) \(quoted(name)): \(owners()).",
            "Give one of them a name of its own, or register one in the application.")
    }

    /// Whether an element does not state the class's module.
    private func hasNoModule(_ element: Int) -> Bool {
        xml.attribute(words.customModuleProvider, ofElement: element) == nil
            && xml.attribute(words.customModule, ofElement: element) == nil
    }

    /// Whether the class belongs to the module that the element names.
    private func checkModule(of member: NibClassLevel.Member, _ element: Int) -> Bool {
        let aClass = member.aClass
        if let provider = xml.attribute(words.customModuleProvider, ofElement: element),
            xml.value(ofAttribute: provider) == "target"
        {
            if scope.isOwn(member) { return true }
            findings.add(
                .nibClassMissing, at: xml.offset(ofElement: element), subject: aClass.name,
                "The class \(quoted(aClass.name)) is to be of the nib's own bundle, and \(quoted(member.bundlePath ?? "the application")) has it.",
                "Remove customModuleProvider, or register a class of the bundle.")
            return false
        }
        guard let attribute = xml.attribute(words.customModule, ofElement: element) else { return true }
        let module = xml.value(ofAttribute: attribute)
        guard let actual = aClass.module, !module.isEmpty, module != actual else { return true }
        findings.add(
            .nibClassMissing, at: xml.offset(ofAttribute: attribute), subject: aClass.name,
            "The nib names the module \(quoted(module)), and the class \(quoted(aClass.name)) is of \(quoted(actual)).",
            "Correct customModule.")
        return false
    }

    /// Adds the finding about a class or an element that nobody registered or declared.
    func addUnknown(
        _ name: String, _ severity: PluginFinding.Severity = .error, at offset: Int,
        _ message: @autoclosure () -> String, _ remedy: @autoclosure () -> String
    ) {
        if assumed.contains(name) { return }
        findings.addUnknown(name) {
            NibFinding(
                severity: severity, code: .nibClassMissing, offset: offset, subject: displayed(name),
                message: message(), remedy: remedy())
        }
    }
}
