/// One change of a module's interfaces, from one record to a later one.
public struct InterfaceChange: Sendable, Hashable {
    /// What changed.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A protocol, type or function was added.
        case added
        /// A protocol was removed or renamed.
        case removed
        /// A type was removed or renamed.
        case typeRemoved
        /// A requirement with a default implementation was added.
        case requirementAddedWithDefault
        /// A requirement without a default implementation was added.
        case requirementAdded
        /// A requirement was removed, renamed, or has another type.
        case requirementRemoved
        /// An associated type or a condition of one was removed or renamed.
        case associatedRemoved
        /// A protocol inherits one more.
        case parentAdded
        /// A protocol does not inherit another one any more.
        case parentRemoved
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
        /// A type is frozen now, or is not any more.
        case frozen
        /// A type is a struct, enum or class, and was another one of these.
        case typeKind
        /// A case of an enum was removed or renamed, or has other values.
        case caseRemoved
        /// A method or accessor that subclasses could override was removed or renamed, or has another type.
        case methodRemoved
        /// The same of an initialiser.
        case initialiserRemoved
        /// A function, a method that cannot be overridden, or an accessor was removed or renamed, or has another type.
        case functionRemoved
        /// The same of a function that other modules may have compiled in.
        case inlinableRemoved
        /// The same of an accessor of a stored property.
        case accessorRemoved
        /// The default implementation of a requirement was removed.
        case defaultRemoved
        /// The same of a default implementation that other modules may have compiled in.
        case inlinableDefaultRemoved
        /// The code of a function that other modules may have compiled in is another one.
        case body
        /// The same of the default implementation of a requirement.
        case defaultBody
        /// A parameter has another default value.
        case defaultValue
    }

    /// What changed.
    public var kind: Kind
    /// The protocol, type or function.
    public var subject: String
    /// The change in words.
    public var text: String

    /// The changes between two records of one module, sorted by subject: protocols, types, then functions.
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
        let hasEvolution = old.hasEvolution && new.hasEvolution
        for name in Set(old.types.keys).union(new.types.keys).sorted() {
            switch (old.types[name], new.types[name]) {
            case (let before?, let after?):
                changes += differences(name, before, after, hasEvolution: hasEvolution)
            case (nil, _): changes.append(Self(kind: .added, subject: name, text: "the type was added"))
            case (_, nil): changes.append(Self(kind: .typeRemoved, subject: name, text: "the type was removed"))
            }
        }
        return changes + functionChanges(from: old, to: new)
    }

    // MARK: Protocols

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
        let places = Dictionary(zip(after, after.indices)) { first, _ in first }
        for (index, text) in before.enumerated() {
            // Two requirements may differ in nothing but the effects of their accessors.
            let isInPlace = after.indices.contains(index) && after[index] == text
            guard let place = isInPlace ? index : places[text] else {
                add(removal(of: text), "\(InterfaceText.shown(text)) was removed or changed")
                continue
            }
            let (threw, throwsNow) = (old.requirements[index] != text, new.requirements[place] != after[place])
            if threw != throwsNow {
                add(
                    throwsNow ? .throwingAdded : .throwingRemoved,
                    "\(InterfaceText.shown(text)) \(throwsNow ? "may throw now" : "may no longer throw")")
            }
        }
        let (known, defaults) = (Set(before), Set(new.defaults))
        for (index, text) in after.enumerated() where !known.contains(text) {
            let hasDefault = defaults.contains(index)
            let isParent = RequirementKind(of: text).kind == .baseProtocol
            add(
                isParent ? .parentAdded : hasDefault ? .requirementAddedWithDefault : .requirementAdded,
                "\(InterfaceText.shown(text)) was added" + (hasDefault ? ", with a default" : ""))
        }
        let shared = (before.filter { places[$0] != nil }, after.filter(known.contains))
        if let first = zip(shared.0, shared.1).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            add(
                .requirementsMoved,
                "\(InterfaceText.shown(shared.0[first])) and \(InterfaceText.shown(shared.1[first])) changed places")
        }
        return changes
    }

    private static func removal(of requirement: String) -> Kind {
        switch RequirementKind(of: requirement).kind {
        case .baseProtocol: .parentRemoved
        case .associatedType, .associatedConformance: .associatedRemoved
        default: .requirementRemoved
        }
    }

    // MARK: Types

    private static func differences(
        _ name: String, _ old: InterfaceRecord.Layout, _ new: InterfaceRecord.Layout, hasEvolution: Bool
    ) -> [InterfaceChange] {
        func change(_ kind: Kind, _ text: String) -> Self { Self(kind: kind, subject: name, text: text) }
        guard old.kind == new.kind else {
            return [change(.typeKind, "it was a \(old.kind.rawValue) and is a \(new.kind.rawValue)")]
        }
        if hasEvolution, old.isFrozen != new.isFrozen {
            return [change(.frozen, new.isFrozen ? "it is frozen now" : "it is not frozen any more")]
        }
        let current = Set(new.entries)
        let lost = old.entries.filter { !current.contains($0) }
        var changes: [InterfaceChange] = []
        for text in lost {
            let words = "\(InterfaceText.shown(text)) was removed or changed"
            switch old.kind {
            case .enumeration: if hasEvolution, !old.isFrozen { changes.append(change(.caseRemoved, words)) }
            case .class:
                guard InterfaceText.isFunction(text) else { continue }
                let isInitialiser = RequirementKind(of: text).kind == .initializer
                changes.append(
                    change(
                        isInitialiser ? .initialiserRemoved : .methodRemoved,
                        words + ", or cannot be overridden any more"))
            case .structure: break
            }
        }
        if changes.isEmpty, let found = difference(old, new) {
            changes.append(change(hasEvolution && old.isFrozen ? .frozenLayout : .layout, found))
        }
        return changes
    }

    private static func difference(_ old: InterfaceRecord.Layout, _ new: InterfaceRecord.Layout) -> String? {
        guard
            case .entry(let index, let kind, let was, let now)? = RecordDifference(
                of: old, to: new, hasEvolution: false)
        else { return nil }
        func text(_ side: String?) -> String { side.map { "“\(InterfaceText.shown($0))”" } ?? "absent" }
        return "\(kind.entry) \(index + 1) was \(text(was)) and is \(text(now))"
    }

    // MARK: Functions

    private static func functionChanges(
        from old: InterfaceRecord.Module, to new: InterfaceRecord.Module
    ) -> [InterfaceChange] {
        guard let before = old.functions, let after = new.functions else { return [] }
        let requirements = Set(
            old.interfaces.flatMap { name, entry in entry.functions.map { "\(name) \($0)" } })
        let overridable = Set(
            old.types.flatMap { name, entry in entry.kind == .class ? entry.entries.map { "\(name) \($0)" } : [] })
        // A whole type or protocol that came or went has a change of its own.
        let whole = Set(old.types.keys).symmetricDifference(new.types.keys)
            .union(Set(old.interfaces.keys).symmetricDifference(new.interfaces.keys))
        var changes: [InterfaceChange] = []
        for name in Set(before.keys).union(after.keys).sorted() {
            let (container, member) = InterfaceText.divided(name)
            if let container, InterfaceText.beginnings(of: container).contains(where: whole.contains) { continue }
            let key = "\(container ?? "") \(member)"
            let isDefault = InterfaceText.isInExtension(name) && requirements.contains(key)
            func add(_ kind: Kind, _ text: String) { changes.append(Self(kind: kind, subject: name, text: text)) }
            switch (before[name], after[name]) {
            case (nil, _):
                // It was in the layout of its class until then.
                if !overridable.contains(key) { add(.added, "the function was added") }
            case (let was?, nil):
                let isInlinable = was.body != nil
                let kind: Kind =
                    if isDefault { isInlinable ? .inlinableDefaultRemoved : .defaultRemoved } else if was.isOfStorage {
                        .accessorRemoved
                    } else { isInlinable ? .inlinableRemoved : .functionRemoved }
                add(kind, "the \(isDefault ? "default implementation" : "function") was removed or changed")
            case (let was?, let now?):
                if was.defaultValues != now.defaultValues {
                    add(.defaultValue, "a parameter has another default value")
                }
                // Code that nobody compiled in is not an interface.
                if let body = was.body, body != now.body {
                    add(isDefault ? .defaultBody : .body, "code that plug-ins may have compiled in was changed")
                }
            }
        }
        return changes
    }
}
