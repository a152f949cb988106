import CFuzz
@_spi(Tools) import ELFImages
import Glibc
import HostBasics
import InterfaceRecords
import PluginHost
import PropertyLists

/// The rules for every record of interfaces: it is used or counts as absent, with a reason, and whatever it holds, the
/// comparison ends with few findings in printable words.
struct RecordChecks {
    let bytes: UnsafeRawBufferPointer

    func run() throws(Violation) {
        fuzz_memory_start()
        var list: PropertyList?
        if bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { try checkLibrary() } else { list = try checkList() }
        let peak = fuzz_memory_peak()
        // A text takes more than its bytes, and the forecast has it several times.
        guard peak <= 256 * bytes.count + (16 << 20) else {
            throw Violation("a record of \(bytes.count) bytes takes \(peak) bytes of memory")
        }
        // A check of a bundle reads the libraries of the system too.
        if let list, bytes.count % 16 == 0 { try checkBundle(list) }
    }

    // MARK: The section of a library

    private func checkLibrary() throws(Violation) {
        let path = "\(ScratchFolder.path)/records-\(getpid())/lib.so"
        Files.write(Array(bytes), to: path)
        // The dynamic section may be damaged too.
        guard let file = try? LinkedFile(path: path) else { return }
        let interfaces = LibraryInterfaces(of: file)
        guard interfaces.record == nil || interfaces.fault == nil else {
            throw Violation("a section is used, although it \(interfaces.fault ?? "")")
        }
        if let fault = interfaces.fault { try Self.check(fault) }
        if let record = interfaces.record { try check(record) }
        let isWhole = Array(bytes) == HostileRecords.library
        guard !isWhole || interfaces.record == HostileRecords.record else {
            throw Violation("the record of an undamaged library is not read: \(interfaces.fault ?? "absent")")
        }
    }

    // MARK: PHInterfaces

    private func checkList() throws(Violation) -> PropertyList? {
        guard let list = try? PropertyListReader.read(Array(bytes)).value else {
            if let record = try? InterfaceRecord(bytes: Array(bytes)) {
                throw Violation("the record \(record) is read from a list that cannot be read")
            }
            return nil
        }
        let record: InterfaceRecord
        do throws(InterfaceRecord.Fault) {
            record = try InterfaceRecord(list)
        } catch {
            if case .damaged(let reason) = error { try Self.check(reason) }
            return list
        }
        try check(record)
        return list
    }

    /// The bundle's code implements nothing, so that it is judged as if it had no record.
    private func checkBundle(_ list: PropertyList) throws(Violation) {
        guard case .dictionary(var values) = list else { return }
        values["Code"] = Self.buildIdentifier.map(PropertyList.string)
        // XML has no place for some characters.
        guard (try? PropertyListWriter.xml(.dictionary(values))) != nil else { return }
        let plain = try judged(nil)
        let recorded = try judged(.dictionary(values))
        guard plain == recorded else {
            throw Violation("with a record, the bundle is \(recorded ?? "fine"), without one \(plain ?? "fine")")
        }
    }

    private static let buildIdentifier: String? = {
        let path = "\(ScratchFolder.path)/records/plain.so"
        Files.write(HostileNames.sample, to: path)
        return (try? LinkedFile(path: path))?.buildIdentifier
    }()

    private func judged(_ list: PropertyList?) throws(Violation) -> String? {
        let root = "\(ScratchFolder.path)/\(getpid())"
        let path = "\(root)/R\(FormatChecks.next()).bundle"
        var values: [String: PropertyList] = [
            "CFBundleIdentifier": .string("org.example.r"), "NSExecutable": .string("R"),
        ]
        values["PHInterfaces"] = list
        guard let text = try? PropertyListWriter.xml(.dictionary(values)) else {
            throw Violation("Info.plist cannot be written")
        }
        Files.write(Array(text.utf8), to: "\(path)/Contents/Info.plist")
        Files.write(HostileNames.sample, to: "\(path)/Contents/Linux/R")
        defer {
            for file in ["Info.plist", "Linux/R"] { unlink("\(path)/Contents/\(file)") }
            for folder in ["/Contents/Linux", "/Contents", ""] { rmdir(path + folder) }
        }
        guard let bundle = PluginBundle(path: path) else { throw Violation("the bundle does not open") }
        do { try bundle.preflight() } catch { return (error as? PluginError).map { "\($0.code)" } ?? "\(error)" }
        return nil
    }

    // MARK: Records

    private func check(_ record: InterfaceRecord) throws(Violation) {
        guard let again = try? InterfaceRecord(record.list), again == record else {
            throw Violation("a record is not equal to itself after writing: \(record)")
        }
        let sound = HostileRecords.record
        for (old, new) in [(record, sound), (sound, record), (record, record)] {
            for findings in [
                RecordComparisonTrial.findings(for: old, now: new), RecordComparisonTrial.findings(for: old, now: nil),
            ] {
                // One for each protocol that is implemented, and then as many as are reported at most.
                let most = 1_000 + old.modules.values.reduce(0) { $0 + $1.interfaces.count }
                guard findings.count <= most else { throw Violation("\(findings.count) findings") }
                for finding in findings { try Self.check(finding.message) }
            }
            if old == new, !RecordComparisonTrial.findings(for: old, now: new).isEmpty {
                throw Violation("a record differs from itself: \(old)")
            }
            for (name, module) in old.modules {
                guard let now = new.modules[name] else { continue }
                let changes = InterfaceChange.changes(from: module, to: now)
                guard old != new || changes.isEmpty else { throw Violation("a module changed into itself: \(changes)") }
                for change in changes {
                    for role in InterfaceRules.Role.allCases {
                        _ = InterfaceRules.outcome(of: change.kind, role: role, hasEvolution: module.hasEvolution)
                    }
                }
            }
        }
        let names = record.modules.values.flatMap { $0.interfaces.keys }
        let used = record.used(interfaces: Set(names), naming: ["dispatch thunk of API.Filter.tag.getter : Swift.Int"])
        {
            "lib\($0).so"
        }
        guard used.modules.count <= record.modules.count else { throw Violation("a plug-in uses more than there is") }
    }

    /// A text must be printable.
    private static func check(_ text: String) throws(Violation) {
        let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
        guard isPrintable else { throw Violation("a text may not be printed: \(text.debugDescription)") }
    }
}
