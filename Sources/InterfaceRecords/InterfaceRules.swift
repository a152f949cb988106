/// What happens to plug-ins that were compiled before a change.
///
/// `make edits` compiles an example of each change, and compares what happens with this table.
public enum InterfaceRules {
    /// The outcome for a plug-in that implements or uses what changed.
    public enum Outcome: Sendable, Hashable {
        case works
        /// It works, with the default implementation.
        case usesDefault
        /// It works, with the value that was compiled into it.
        case keepsOldValue
        /// It works; if the function was compiled into it, with the function as it was.
        ///
        /// The optimiser decides that.
        case keepsIfInlined
        /// The load fails with the error of this code.
        case refused(String)
        /// The load fails with the error of this code unless the function was compiled into it.
        case refusedUnlessInlined(String)

        /// Whether the plug-in still loads and does what it did.
        public var isFine: Bool {
            switch self {
            case .works, .usesDefault, .keepsOldValue, .keepsIfInlined: true
            case .refused, .refusedUnlessInlined: false
            }
        }
    }

    /// What the plug-in does with the protocol, type or function.
    public enum Role: Sendable, Hashable, CaseIterable {
        /// Its types conform to the protocol, or are subclasses of the class.
        case implementer
        /// It only calls the protocol's requirements or the function, or uses values of the type.
        case caller
    }

    private static let mismatch = Outcome.refused("interfaceMismatch")
    private static let missing = Outcome.refused("symbolMissing")
    /// Whether code needs a symbol that is gone depends on what it does, and on the optimiser.
    private static let either = Outcome.refused("interfaceMismatch or symbolMissing")

    /// The outcome of a change, if host and plug-in have records.
    ///
    /// - Parameters:
    ///   - kind: the change.
    ///   - role: what the plug-in does with the protocol, type or function.
    ///   - hasEvolution: whether the module was compiled with library evolution, before and after.
    /// - Returns: the outcome for a plug-in that is concerned.
    public static func outcome(of kind: InterfaceChange.Kind, role: Role, hasEvolution: Bool) -> Outcome {
        if let outcome = outcomeOfFunction(kind, role, hasEvolution) { return outcome }
        return switch (kind, role, hasEvolution) {
        case (.added, _, _): .works
        // The symbols of protocols exist without library evolution too.
        case (.removed, .implementer, _), (.removed, _, true): missing
        case (.removed, .caller, false): mismatch
        case (.typeRemoved, _, true), (.typeKind, _, true): missing
        case (.typeRemoved, _, false), (.typeKind, _, false): either
        // Requirements have symbols only with library evolution, but associated types and conditions always.
        case (.requirementAddedWithDefault, .implementer, true): .usesDefault
        case (.requirementAdded, .implementer, _): mismatch
        case (.requirementRemoved, _, true), (.associatedRemoved, _, true), (.parentRemoved, .implementer, true):
            missing
        case (.associatedRemoved, .caller, false): either
        case (.requirementAddedWithDefault, _, true), (.requirementAdded, .caller, true): .works
        case (.parentAdded, _, _), (.parentRemoved, _, _): mismatch
        case (.requirementsMoved, _, true), (.throwingAdded, .implementer, true), (.layout, _, true): .works
        // The caller was compiled without a way for the error.
        case (.throwingAdded, .caller, true): mismatch
        case (.throwingRemoved, .caller, true): .works
        case (.throwingRemoved, .implementer, true): mismatch
        case (.classConstraint, _, _), (.frozenLayout, _, _): mismatch
        // A frozen enum has no symbols for its cases.
        case (.frozen, _, _): either
        case (.caseRemoved, _, _): missing
        case (_, _, false): mismatch
        // The rest are functions.
        case (_, _, true): .works
        }
    }

    /// The outcome of a change that concerns a method, a function or an accessor; nil for another change.
    private static func outcomeOfFunction(
        _ kind: InterfaceChange.Kind, _ role: Role, _ hasEvolution: Bool
    ) -> Outcome? {
        switch (kind, role) {
        // A subclass refers to each method of its superclass; others call it through the table of the class.
        case (.methodRemoved, .implementer), (.initialiserRemoved, .implementer): missing
        case (.methodRemoved, .caller): hasEvolution ? missing : mismatch
        case (.initialiserRemoved, .caller): hasEvolution ? .works : mismatch
        case (.functionRemoved, .implementer), (.inlinableRemoved, .implementer), (.accessorRemoved, .implementer):
            .works
        case (.functionRemoved, .caller): missing
        case (.inlinableRemoved, .caller), (.inlinableDefaultRemoved, .implementer):
            .refusedUnlessInlined("symbolMissing")
        case (.accessorRemoved, .caller): hasEvolution ? missing : .works
        case (.defaultRemoved, .implementer): missing
        case (.defaultRemoved, .caller), (.inlinableDefaultRemoved, .caller): .works
        case (.body, .implementer), (.defaultBody, .caller), (.defaultValue, .implementer): .works
        case (.body, .caller), (.defaultBody, .implementer): .keepsIfInlined
        case (.defaultValue, .caller): .keepsOldValue
        default: nil
        }
    }
}
