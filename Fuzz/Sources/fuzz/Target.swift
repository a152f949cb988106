import PropertyLists

/// The target of fuzzing.
enum Target: String, CaseIterable {
    case plists
    case strings
    case stringsdict
    /// Nibs that are damaged or made by the grammar, with a class of their own.
    case nibs
    /// Nibs and lists of classes that are large in one way, within memory and time in proportion to their size.
    case nibsizes
    /// Plug-ins that are loaded, in processes of their own: ELFRun.
    case elf
    /// Small lists and tables that expand to much, within sixteen times their size of memory.
    case budgets
    /// The same for plural rules, read from a bundle.
    case formats
    /// Index files of a catalogue with a right checksum.
    case indexes
    /// Compiled tables of strings that are valid except for a few fields.
    case tables
    /// The same for archives of a bundle, which are installed.
    case archives
    /// ELF files whose libraries get names of their own: ``NameChecks``.
    case ownnames
    /// Signatures of C functions, by the grammar and beyond it.
    case signatures
    /// Records of interfaces, in the section of a library and as a plug-in's Info.plist has them: ``RecordChecks``.
    case records
    /// What a worker writes into a lane while it answers a call.
    case lanes
    /// Settings.bundles and files with values of settings, read through a bundle, and changed.
    case settings
    /// A reader with defects, to check that each is found.
    case planted

    /// An input that is made for the target, not mutated from a correct file; nil for the other targets, and for every
    /// second nib.
    func hostileInput(_ random: inout SeededGenerator) -> [UInt8]? {
        switch self {
        case .nibsizes: HostileNibSizes.input(&random)
        case .budgets: HostileLists.input(&random)
        case .formats: HostileFormats.input(&random)
        case .indexes: HostileIndexes.input(&random)
        case .tables: HostileTables.input(&random)
        case .archives: HostileArchives.input(&random)
        case .ownnames: HostileNames.input(&random)
        case .signatures: HostileSignatures.input(&random)
        case .records: HostileRecords.input(&random)
        case .lanes: HostileLanes.input(&random)
        case .nibs where random.oneIn(2): HostileNibs.input(&random)
        default: nil
        }
    }

    /// Makes what the checks of all processes share.
    func prepare() {
        switch self {
        case .formats, .tables, .archives: _ = ScratchFolder.path
        case .ownnames: HostileNames.prepare()
        case .records: HostileRecords.prepare()
        case .indexes: _ = HostileIndexes.sample
        case .nibs, .nibsizes: NibChecks.prepare()
        case .settings: SettingsChecks.prepare()
        default: break
        }
    }

    /// Whether its checks measure time and memory themselves.
    var measures: Bool {
        [.nibsizes, .budgets, .formats, .indexes, .tables, .archives, .lanes, .settings, .records].contains(self)
    }

    /// Reads an input and checks the rules that hold for every input.
    ///
    /// `sample`: the correct file, if the input is that file undamaged; nil for a damaged one. Throws the ``Violation``
    /// of the first broken rule.
    func check(_ bytes: UnsafeRawBufferPointer, sample: Sample?, _ random: inout SeededGenerator) throws(Violation) {
        switch self {
        case .plists: try ListChecks(bytes: bytes, random: &random).run(sample: sample)
        case .strings: try TableChecks(bytes: bytes, random: &random).run(sample: sample)
        case .stringsdict: try LintChecks(bytes: bytes, random: &random).run()
        case .nibs: try NibChecks(bytes: bytes).run()
        case .nibsizes: try NibSizeChecks(bytes: bytes).run()
        case .elf: preconditionFailure("mutants of plug-ins are loaded by ELFRun")
        case .budgets: try BudgetChecks(bytes: bytes).run()
        case .formats: try FormatChecks(bytes: bytes).run()
        case .indexes: try IndexChecks(bytes: bytes).run()
        case .tables: try TableFileChecks(bytes: bytes).run()
        case .archives: try ArchiveChecks(bytes: bytes).run()
        case .ownnames: try NameChecks(bytes: bytes).run()
        case .signatures: try SignatureChecks(bytes: bytes).run()
        case .records: try RecordChecks(bytes: bytes).run()
        case .lanes: try LaneChecks(bytes: bytes).run()
        case .settings: try SettingsChecks(bytes: bytes).run()
        case .planted: try PlantedDefects.read(bytes)
        }
    }
}

/// A rule that an input broke.
struct Violation: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension PropertyListFault {
    /// A fault must be in the file, and its text must be printable.
    func check(inFileOf size: Int) throws(Violation) {
        switch position {
        case .byte(let offset):
            guard (0...size).contains(offset) else { throw Violation("the fault's byte \(offset) is outside: \(self)") }
        case .text(let line, let column):
            // Latin-1 and single carriage returns leave at most one column for each byte.
            guard line >= 1, column >= 1, line + column <= size + 2 else {
                throw Violation("the fault's place is outside: \(self)")
            }
        case .whole: break
        }
        let isPrintable = message.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
        guard isPrintable, !message.isEmpty, message.utf8.count < 1500 else {
            throw Violation("the fault's message may not be printed: \(message.debugDescription)")
        }
    }
}
