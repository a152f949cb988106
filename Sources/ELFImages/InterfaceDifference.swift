import HostBasics
import InterfaceRecords

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
    /// The conformance has no witness for some requirements without a default implementation, which are at these
    /// addresses in the protocol's file.
    case missing([UInt64])
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
            let missing = (0..<current.count).lazy.filter { !current.hasDefault($0) }.map(current.address)
                .filter { !named.contains($0) }
            if missing.isEmpty { return nil }
            self = .missing(Array(missing))
        case .table(let table):
            if hasFunctions(table) { return nil }
            self = .tooShort
        case nil: return nil
        }
    }

    /// The difference as a finding about the plug-in's file at `path`; nil if the path is added later.
    ///
    /// `type` conforms to the protocol `interface`, which is now in `library` and has `count` requirements. `names`: the
    /// declarations of the requirements at addresses of that file, as far as its symbols tell.
    package func finding(
        type: String?, path: String?, interface: String, library: String, count: Int,
        names: (_ addresses: [UInt64]) -> [String]
    ) -> PluginFinding {
        let type = type.map { "The type \(quoted($0))" } ?? "A type"
        let difference =
            switch self {
            case .otherCount(let own):
                "was compiled when the protocol \(quoted(interface)) had \(counted(own, "requirement")); in \(quoted(library)) "
                    + "it has \(count)."
            case .missing(let missing):
                "lacks \(missing.count) of the \(counted(count, "requirement")) that the protocol \(quoted(interface)) has "
                    + "in \(quoted(library)), which has no default for them\(Self.list(names(missing), of: missing.count))."
            case .tooShort:
                "was compiled when the protocol \(quoted(interface)) had fewer requirements than the \(count) that it has "
                    + "in \(quoted(library))."
            }
        return PluginFinding(
            .interfaceMismatch, filePath: path, subject: interface, message: "\(type) \(difference)",
            remedy: Self.remedy)
    }

    /// How many findings about a file name requirements: each reads the symbols of the protocol's file.
    static let mostNamed = 4
    /// How many names a message has at most.
    private static let mostNames = 3

    private static func list(_ names: [String], of count: Int) -> String {
        let shown = names.prefix(mostNames)
        guard !shown.isEmpty else { return "" }
        return ": " + shown.map { quoted($0) }.joined(separator: ", ") + (shown.count < count ? " …" : "")
    }

    static let remedy = """
        Build the plug-in against the application's current API. The API's author should give the extension point a new \
        version whenever its interface changes.
        """
}

extension ELFFile {
    private static let symbolLimit = 1 << 20

    /// The declarations of the requirements of a protocol at some addresses, in the order of the symbols; those without
    /// an exported symbol are left out.
    func requirements(at addresses: [UInt64], of interface: String) -> [String] {
        guard let symbols else { return [] }
        let wanted = Set(addresses)
        let method = "method descriptor for "
        var found: [String] = []
        for index in symbols.numbers(atMost: Self.symbolLimit) where wanted.contains(symbols[index].value) {
            let name = symbols.name(of: symbols[index])
            guard name.hasSuffix("Tq"), let plain = SymbolNames.demangled(name), plain.hasPrefix(method) else {
                continue
            }
            found.append(
                InterfaceText.shown(InterfaceText.requirement(String(plain.dropFirst(method.count)), of: interface)))
            if found.count == addresses.count { break }
        }
        return found
    }
}
