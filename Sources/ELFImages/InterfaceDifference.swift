import HostBasics

/// Compares the requirements that protocols had when a plug-in was compiled with the current ones.
///
/// Calling a requirement that is missing in a plug-in's witness table crashes the process, so a plug-in with such a
/// table is refused. What must match depends on what the compiler recorded:
/// - for a protocol in a module with library evolution, each requirement without a default implementation must have a
///   witness; requirements with one may be added, and all may be moved;
/// - for another protocol, the number of requirements must be equal, if the record states the number. The record states
///   it for each protocol that refines one with library evolution, such as `Plugin`;
/// - otherwise, the table must contain a function wherever the protocol now requires one.
enum InterfaceDifference: Equatable {
    /// The protocol had a different number of requirements.
    case otherCount(Int)
    /// The conformance has no witness for some requirements without a default implementation.
    case missing(Int)
    /// The constant witness table ends before the last requirement.
    case tooShort

    /// The difference between a conformance and its protocol; nil if none can be found.
    ///
    /// Nil means that the conformance has everything that is required, as far as this can be determined. `resolve`:
    /// returns the address in the protocol's file to which a reference leads. `hasFunctions`: returns whether a
    /// constant table has a function for each requirement that is a function.
    init?<Own: ELFMemory, Other: ELFMemory>(
        of conformance: Conformance<Own>, to current: ProtocolRequirements<Other>,
        resolve: (Conformance<Own>.Reference) -> UInt64?, hasFunctions: (_ table: UInt64) -> Bool
    ) {
        switch conformance.witnesses {
        case .counted(let count):
            if count == current.count { return nil }
            self = .otherCount(count)
        case .named(let references):
            // Each refers to a different requirement.
            if references.count >= current.count { return nil }
            let named = Set(references.compactMap(resolve))
            let missing = (0..<current.count).filter {
                !current.hasDefault($0) && !named.contains(current.address(of: $0))
            }
            if missing.isEmpty { return nil }
            self = .missing(missing.count)
        case .table(let table):
            if hasFunctions(table) { return nil }
            self = .tooShort
        case nil: return nil
        }
    }

    /// The difference as a finding about the plug-in's file at `path`; nil if the path is added later.
    ///
    /// `type` conforms to the protocol `interface`, which is now in `library` and has `count` requirements.
    package func finding(
        type: String?, path: String?, interface: String, library: String, count: Int
    ) -> PluginFinding {
        let type = type.map { "The type \(quoted($0))" } ?? "A type"
        let difference =
            switch self {
            case .otherCount(let own):
                "was compiled when the protocol \(quoted(interface)) had \(counted(own, "requirement")); in \(quoted(library)) "
                    + "it has \(count)."
            case .missing(let missing):
                "lacks \(missing) of the \(counted(count, "requirement")) that the protocol \(quoted(interface)) has in "
                    + "\(quoted(library)), which has no default for them."
            case .tooShort:
                "was compiled when the protocol \(quoted(interface)) had fewer requirements than the \(count) that it has "
                    + "in \(quoted(library))."
            }
        return PluginFinding(
            .interfaceMismatch, filePath: path, subject: interface, message: "\(type) \(difference)",
            remedy: Self.remedy)
    }

    static let remedy = """
        Build the plug-in against the application's current API. The API's author should give the extension point a new \
        version whenever its interface changes.
        """
}
