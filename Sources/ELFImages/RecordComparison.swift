import HostBasics
import InterfaceRecords
import PropertyLists

/// Compares what a plug-in was compiled against, by its Info.plist, with the records of the libraries that it uses.
///
/// A library without a usable record is compared by the kinds of its protocols' requirements.
struct RecordComparison {
    /// The plug-in's record.
    let record: InterfaceRecord
    /// The protocols and modules with a difference; each is reported once.
    private var reported: Set<String> = []

    init(_ record: InterfaceRecord) { self.record = record }

    /// A protocol of another module to which a type of the plug-in conforms.
    struct Use {
        /// The type that conforms, if it has a name; asked for only if there is something to report.
        var type: () -> String?
        /// The protocol.
        var interface: String
        /// The path of the protocol's library.
        var library: String

        fileprivate var subject: String { type().map { "The type \(quoted($0))" } ?? "A type" }
    }

    /// The difference of a protocol; nil if there is none, or if it was reported before.
    ///
    /// `current`: the record of the protocol's library. `kinds`: what the requirements are now, by the protocol's
    /// descriptor.
    mutating func finding(
        for use: Use, current: InterfaceRecord?, kinds: () -> [RequirementKind?]
    ) -> PluginFinding? {
        guard let name = use.interface.moduleName, let module = record.modules[name],
            let old = module.interfaces[use.interface], reported.insert(use.interface).inserted
        else { return nil }
        guard let now = current?.modules[name] else {
            guard !module.hasEvolution, !module.isOfSymbols,
                let sentence = Self.difference(of: old, to: kinds(), use)
            else { return nil }
            return Self.finding(use.interface, "\(use.subject) \(sentence)")
        }
        guard let new = now.interfaces[use.interface],
            let difference = RecordDifference(
                of: old, to: new, hasEvolution: module.hasEvolution && now.hasEvolution,
                isOfSymbols: module.isOfSymbols || now.isOfSymbols)
        else { return nil }
        return Self.finding(
            use.interface, "\(use.subject) \(difference.sentence(about: use.interface, library: use.library))")
    }

    private static func difference(
        of old: InterfaceRecord.Interface, to kinds: [RequirementKind?], _ use: Use
    ) -> String? {
        // Another number is found without a record.
        guard kinds.count == old.requirements.count else { return nil }
        for (index, (text, kind)) in zip(old.requirements, kinds).enumerated() {
            guard let kind, kind.differs(from: RequirementKind(of: text)) else { continue }
            return "was compiled when requirement \(index + 1) of \(quoted(use.interface)) was "
                + "\(quoted(InterfaceText.shown(text))); in \(quoted(use.library)) it is \(kind.description)."
        }
        return nil
    }

    /// The types of the plug-in's record whose layout is another one now, and the other protocols that changed.
    ///
    /// `current`: returns the library of a module with its record, if it is present and has one. `needed`: the name by
    /// which the plug-in needs it.
    mutating func typeFindings(
        current: (_ module: String, _ needed: String?) -> (path: String, record: InterfaceRecord)?
    ) -> [PluginFinding] {
        var findings: [PluginFinding] = []
        for (name, module) in record.modules.sorted(by: { $0.key < $1.key }) {
            guard let (path, record) = current(name, module.library), let now = record.modules[name] else { continue }
            // Protocols that the plug-in does not implement, but calls.
            for (interface, old) in module.interfaces.sorted(by: { $0.key < $1.key })
            where findings.count < ReadingBudget.mostFindings {
                guard
                    let difference = RecordDifference(
                        of: old, to: now.interfaces[interface], hasEvolution: module.hasEvolution && now.hasEvolution,
                        isOfSymbols: module.isOfSymbols || now.isOfSymbols, isImplemented: false),
                    reported.insert(interface).inserted
                else { continue }
                findings.append(
                    Self.finding(interface, "The plug-in \(difference.sentence(about: interface, library: path))"))
            }
            for (type, layout) in module.types.sorted(by: { $0.key < $1.key }) {
                guard findings.count < ReadingBudget.mostFindings else { return findings }
                guard
                    let difference = RecordDifference(
                        of: layout, to: now.types[type], hasEvolution: module.hasEvolution && now.hasEvolution),
                    reported.insert(type).inserted
                else { continue }
                findings.append(
                    Self.finding(type, "The plug-in \(difference.sentence(about: type, library: path))"))
            }
        }
        return findings
    }

    static func finding(_ subject: String, _ message: String) -> PluginFinding {
        PluginFinding(
            .interfaceMismatch, subject: subject, message: message, remedy: InterfaceDifference.remedy)
    }

    /// The finding for a struct or enum that conforms to a protocol which now demands a class.
    ///
    /// An `any` value of such a protocol has no room for the type's values.
    static func classFinding(_ use: Use) -> PluginFinding {
        finding(
            use.interface,
            "\(use.subject) is not a class, but only classes can conform to \(quoted(use.interface)) in \(quoted(use.library))."
        )
    }
}

extension String {
    /// The part of a full name before the first dot.
    fileprivate var moduleName: String? {
        utf8.firstIndex(of: UInt8(ascii: ".")).map { String(self[..<$0]) }
    }
}
