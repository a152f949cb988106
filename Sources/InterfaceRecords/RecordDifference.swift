import HostBasics

/// The first difference between what a plug-in was compiled against and what a library has now.
package enum RecordDifference: Hashable, Sendable {
    /// Whether only classes may conform has changed: such values have another size.
    case classOnly(now: Bool)
    /// Another requirement at a position of the witness table, counted from 0; nil for none.
    case requirement(Int, was: String?, now: String?)
    /// An accessor no longer throws, so a caller would not notice an error of the plug-in.
    case noLongerThrows(String)
    /// An accessor throws now, so the plug-in's code would not notice the error and continue with a wrong value.
    case throwsNow(String)
    /// Another inherited protocol at a position among them, counted from 0; nil for none.
    case parent(Int, was: String?, now: String?)
    /// The type is now something else.
    case kind(was: InterfaceRecord.Layout.Kind, now: InterfaceRecord.Layout.Kind)
    /// Another field, case or member at a position, counted from 0; nil for none.
    case entry(Int, kind: InterfaceRecord.Layout.Kind, was: String?, now: String?)
    /// The protocol or type does not exist any more.
    case removed
    /// The type is now frozen, or is not any more: its values are passed in another way.
    case frozen(now: Bool)

    /// The difference between a protocol then and now; nil if none matters.
    ///
    /// With library evolution, requirements are found by their symbols, so only their effects and the inherited
    /// protocols matter.
    ///
    /// `new`: nil if the protocol was removed. `isOfSymbols`: whether the old side comes from symbols, which do not state
    /// effects of accessors. `isImplemented`: whether a type of the plug-in conforms.
    package init?(
        of old: InterfaceRecord.Interface, to new: InterfaceRecord.Interface?, hasEvolution: Bool, isOfSymbols: Bool,
        isImplemented: Bool = true
    ) {
        guard let new else {
            self = .removed
            return
        }
        // By far the commonest case; what is below creates the texts of all requirements.
        if old.isClassOnly == new.isClassOnly, old.text.hasSameBytes(as: new.text) { return nil }
        // Symbols do not state it either.
        if !isOfSymbols, old.isClassOnly != new.isClassOnly {
            self = .classOnly(now: new.isClassOnly)
            return
        }
        if hasEvolution {
            guard !isOfSymbols, let found = Self(of: old, to: new, isImplemented: isImplemented) else { return nil }
            self = found
            return
        }
        // Only functions have symbols, so the others are compared by their number alone.
        let (was, now) = isOfSymbols ? (old.functions, new.functions) : (old.requirements, new.requirements)
        guard let first = Self.firstDifference(was, now) else { return nil }
        self = .requirement(first, was: was.element(at: first), now: now.element(at: first))
    }

    /// The difference of a protocol in a module with library evolution.
    private init?(of old: InterfaceRecord.Interface, to new: InterfaceRecord.Interface, isImplemented: Bool) {
        if let first = Self.firstDifference(old.parents, new.parents) {
            self = .parent(first, was: old.parents.element(at: first), now: new.parents.element(at: first))
            return
        }
        let current = Set(new.requirements)
        let called = old.calls.compactMap(old.requirements.element)
        if let text = called.first(where: { !current.contains($0) && current.contains($0 + InterfaceText.throwing) }) {
            self = .throwsNow(text)
            return
        }
        let lost = old.requirements.first { text in
            text.hasSuffix(InterfaceText.throwing) && !current.contains(text)
                && current.contains(InterfaceText.withoutThrowing(text))
        }
        guard isImplemented, let lost else { return nil }
        self = .noLongerThrows(InterfaceText.withoutThrowing(lost))
    }

    /// The difference between a type then and now; nil if none matters.
    package init?(of old: InterfaceRecord.Layout, to new: InterfaceRecord.Layout?, hasEvolution: Bool) {
        if hasEvolution, !old.isFrozen {
            // Code that was compiled for a frozen type has its layout in it; of another type with evolution, it asks.
            guard new?.isFrozen ?? false else { return nil }
            self = .frozen(now: true)
            return
        }
        guard let new else {
            self = .removed
            return
        }
        if old.kind != new.kind {
            self = .kind(was: old.kind, now: new.kind)
            return
        }
        if hasEvolution, !new.isFrozen {
            self = .frozen(now: false)
            return
        }
        if old.text.hasSameBytes(as: new.text) { return nil }
        guard let first = Self.firstDifference(old.entries, new.entries) else { return nil }
        self = .entry(
            first, kind: old.kind, was: old.entries.element(at: first), now: new.entries.element(at: first))
    }

    private static func firstDifference(_ one: [String], _ other: [String]) -> Int? {
        let shared = min(one.count, other.count)
        // Bytes: names that are equal by Unicode's rules alone are different symbols.
        if let first = (0..<shared).first(where: { !one[$0].hasSameBytes(as: other[$0]) }) { return first }
        return one.count == other.count ? nil : shared
    }

    /// The difference as a sentence about a protocol or type and the library that has it now.
    package func sentence(about name: String, library: String) -> String {
        func was(_ part: String, _ old: String?, _ new: String?) -> String {
            func text(_ side: String?) -> String { side.map { quoted(InterfaceText.shown($0)) } ?? "absent" }
            return "was compiled when \(part) of \(quoted(name)) was \(text(old)); in \(quoted(library)) it is "
                + "\(text(new))."
        }
        return switch self {
        case .classOnly(let now):
            "was compiled when \(now ? "every type" : "only classes") could conform to \(quoted(name)); in "
                + "\(quoted(library)) \(now ? "only classes" : "every type") can."
        case .requirement(let index, let old, let new): was("requirement \(index + 1)", old, new)
        case .noLongerThrows(let text):
            "was compiled when \(quoted(InterfaceText.shown(text))) of \(quoted(name)) could throw an error; in "
                + "\(quoted(library)) it cannot."
        case .throwsNow(let text):
            "was compiled when \(quoted(InterfaceText.shown(text))) of \(quoted(name)), which it calls, could not throw an "
                + "error; in \(quoted(library)) it can."
        case .parent(let index, let old, let new): was("inherited protocol \(index + 1)", old, new)
        case .kind(let old, let new):
            "was compiled when \(quoted(name)) was \(old.word); in \(quoted(library)) it is \(new.word)."
        case .entry(let index, let kind, let old, let new): was("\(kind.entry) \(index + 1)", old, new)
        case .removed: "was compiled with \(quoted(name)), which \(quoted(library)) does not have."
        case .frozen(let now):
            "was compiled when \(quoted(name)) was \(now ? "not frozen" : "frozen"); in \(quoted(library)) it is "
                + "\(now ? "frozen" : "not frozen")."
        }
    }
}

extension InterfaceRecord.Layout.Kind {
    fileprivate var word: String { self == .enumeration ? "an enum" : "a \(rawValue)" }
}

extension Array {
    fileprivate func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
