/// One change of a module's interfaces, from one record to a later one.
public struct InterfaceChange: Sendable, Hashable {
    /// What changed.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A protocol or type was added.
        case added
        /// A protocol or type was removed or renamed.
        case removed
        /// A requirement with a default implementation was added.
        case requirementAddedWithDefault
        /// A requirement without a default implementation was added.
        case requirementAdded
        /// A requirement was removed, renamed, or has another type.
        case requirementRemoved
        /// Requirements that exist on both sides changed places.
        case requirementsMoved
        /// An accessor may throw now.
        case throwingAdded
        /// An accessor may no longer throw.
        case throwingRemoved
        /// Whether only classes can conform has changed.
        case classConstraint
        /// A type has other fields, cases or members, or another order of them.
        case layout
        /// A frozen type has other fields or cases, or another order of them.
        case frozenLayout
        /// A type is a struct, enum or class, and was another one of these.
        case typeKind
    }

    /// What changed.
    public var kind: Kind
    /// The protocol or type.
    public var subject: String
    /// The change in words.
    public var text: String

    /// The changes between two records of one module, sorted by subject.
    public static func changes(
        from old: InterfaceRecord.Module, to new: InterfaceRecord.Module
    ) -> [InterfaceChange] {
        var changes: [InterfaceChange] = []
        for name in Set(old.interfaces.keys).union(new.interfaces.keys).sorted() {
            switch (old.interfaces[name], new.interfaces[name]) {
            case (let before?, let after?): changes += differences(name, before, after)
            case (nil, _): changes.append(Self(kind: .added, subject: name, text: "the protocol was added"))
            case (_, nil): changes.append(Self(kind: .removed, subject: name, text: "the protocol was removed"))
            }
        }
        for name in Set(old.types.keys).union(new.types.keys).sorted() {
            switch (old.types[name], new.types[name]) {
            case (let before?, let after?):
                if let change = difference(name, before, after) { changes.append(change) }
            case (nil, _): changes.append(Self(kind: .added, subject: name, text: "the type was added"))
            case (_, nil): changes.append(Self(kind: .removed, subject: name, text: "the type was removed"))
            }
        }
        return changes
    }

    private static func differences(
        _ name: String, _ old: InterfaceRecord.Interface, _ new: InterfaceRecord.Interface
    ) -> [InterfaceChange] {
        var changes: [InterfaceChange] = []
        func add(_ kind: Kind, _ text: String) { changes.append(Self(kind: kind, subject: name, text: text)) }
        if old.isClassOnly != new.isClassOnly {
            add(.classConstraint, new.isClassOnly ? "only classes can conform now" : "every type can conform now")
        }
        let before = old.requirements.map(InterfaceText.withoutThrowing)
        let after = new.requirements.map(InterfaceText.withoutThrowing)
        for (index, text) in before.enumerated() {
            guard let place = after.firstIndex(of: text) else {
                add(.requirementRemoved, "\(InterfaceText.shown(text)) was removed or changed")
                continue
            }
            let (threw, throwsNow) = (old.requirements[index] != text, new.requirements[place] != after[place])
            if threw != throwsNow {
                add(
                    throwsNow ? .throwingAdded : .throwingRemoved,
                    "\(InterfaceText.shown(text)) \(throwsNow ? "may throw now" : "may no longer throw")")
            }
        }
        for (index, text) in after.enumerated() where !before.contains(text) {
            add(
                new.defaults.contains(index) ? .requirementAddedWithDefault : .requirementAdded,
                "\(InterfaceText.shown(text)) was added" + (new.defaults.contains(index) ? ", with a default" : ""))
        }
        let shared = (before.filter(after.contains), after.filter(before.contains))
        if let first = shared.0.indices.first(where: { shared.0[$0] != shared.1[$0] }) {
            add(
                .requirementsMoved,
                "\(InterfaceText.shown(shared.0[first])) and \(InterfaceText.shown(shared.1[first])) changed places")
        }
        return changes
    }

    private static func difference(
        _ name: String, _ old: InterfaceRecord.Layout, _ new: InterfaceRecord.Layout
    ) -> InterfaceChange? {
        guard let difference = RecordDifference(of: old, to: new, hasEvolution: false) else { return nil }
        func text(_ side: String?) -> String { side.map { "“\(InterfaceText.shown($0))”" } ?? "absent" }
        switch difference {
        case .kind(let was, let now):
            return Self(kind: .typeKind, subject: name, text: "it was a \(was.rawValue) and is a \(now.rawValue)")
        case .entry(let index, let kind, let was, let now):
            return Self(
                kind: old.isFrozen ? .frozenLayout : .layout, subject: name,
                text: "\(kind.entry) \(index + 1) was \(text(was)) and is \(text(now))")
        default: return nil
        }
    }
}

/// What becomes of plug-ins that were compiled before a change.
public enum InterfaceRules {
    /// The outcome for a plug-in that implements or uses what changed.
    public enum Outcome: Sendable, Hashable {
        case works
        /// It works, with the default implementation.
        case usesDefault
        /// The load fails with the error of this code.
        case refused(String)
        /// The load succeeds, and a call may do something else than expected: the record does not show it.
        case unnoticed

        /// Whether the plug-in still loads and does what it did.
        public var isFine: Bool {
            switch self {
            case .works, .usesDefault: true
            case .refused, .unnoticed: false
            }
        }
    }

    /// What the plug-in does with the protocol or type.
    public enum Role: Sendable, Hashable, CaseIterable {
        /// Its types conform to the protocol.
        case implementer
        /// It only calls the protocol's requirements, or uses values of the type.
        case caller
    }

    private static let mismatch = Outcome.refused("interfaceMismatch")
    private static let missing = Outcome.refused("symbolMissing")

    /// The outcome of a change, if host and plug-in have records.
    ///
    /// - Parameters:
    ///   - kind: the change.
    ///   - role: what the plug-in does with the protocol or type.
    ///   - hasEvolution: whether the module was compiled with library evolution, before and after.
    /// - Returns: the outcome for a plug-in that is concerned.
    public static func outcome(of kind: InterfaceChange.Kind, role: Role, hasEvolution: Bool) -> Outcome {
        switch (kind, role, hasEvolution) {
        case (.added, _, _): .works
        case (.removed, _, _), (.typeKind, _, true): missing
        // Requirements have symbols only with library evolution.
        case (.requirementAddedWithDefault, .implementer, true): .usesDefault
        case (.requirementAdded, .implementer, _): mismatch
        case (.requirementRemoved, _, true): missing
        case (.requirementAddedWithDefault, _, true), (.requirementAdded, .caller, true): .works
        case (.requirementsMoved, _, true), (.throwingAdded, .implementer, true), (.layout, _, true): .works
        // The caller was compiled without a way for the error, and no symbol differs.
        case (.throwingAdded, .caller, true): .unnoticed
        case (.throwingRemoved, .caller, true): .works
        case (.throwingRemoved, .implementer, true): mismatch
        case (.classConstraint, _, _), (.frozenLayout, _, _): mismatch
        case (_, _, false): mismatch
        }
    }
}
