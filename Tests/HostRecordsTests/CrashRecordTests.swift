import CSandbox
import Glibc
import HostBasics
import TestSupport
import Testing

@testable import HostRecords

@Suite struct CrashRecordTests {
    private typealias Record = CrashJournal.Record
    private typealias Load = CrashJournal.Load
    private typealias Suspect = CrashJournal.Suspect

    private func record(
        _ end: Record.End, thread: UInt32 = 1, loads: [Load] = [], suspects: [Suspect] = [], hadPlugins: Bool = true
    ) -> Record {
        Record(
            processIdentifier: 1, started: 1, ended: end == .unknown ? nil : 2, end: end, loads: loads,
            suspects: suspects, hadPlugins: hadPlugins, thread: thread)
    }

    private func load(_ identifier: String, thread: UInt32 = 1) -> Load {
        Load(identifier: identifier, step: .entry, thread: thread)
    }

    private func suspect(_ identifier: String, _ certainty: CrashJournal.Certainty) -> Suspect {
        Suspect(identifier: identifier, certainty: certainty)
    }

    private func blamed(_ record: Record) -> [String] {
        record.blamed.map { "\($0.identifier) \($0.certainty) \($0.step?.rawValue ?? "code")" }
    }

    @Test func onlyTheNearestPluginIsToBlame() {
        let suspects = [suspect("called", .caller), suspect("calls", .caller)]
        #expect(blamed(record(.signal(SIGSEGV), suspects: suspects)) == ["called caller code"])
        // Even if another one is being loaded.
        #expect(
            blamed(record(.signal(SIGSEGV), loads: [load("calls")], suspects: suspects)) == ["called caller code"])
        #expect(
            blamed(record(.signal(SIGSEGV), loads: [load("calls"), load("called")], suspects: suspects))
                == ["called caller entry"])
    }

    @Test func aLoadIsToBlameIfItsThreadCrashed() {
        let loads = [load("outer"), load("other", thread: 2), load("inner")]
        #expect(blamed(record(.signal(SIGSEGV), loads: loads)) == ["inner loading entry"])
        #expect(blamed(record(.signal(SIGSEGV), thread: 2, loads: loads)) == ["other loading entry"])
        // A thread that loads nothing: each of them may have started it.
        #expect(
            blamed(record(.signal(SIGSEGV), thread: 3, loads: loads)) == [
                "inner onTheStack entry", "other onTheStack entry",
            ])
        let seen = record(.signal(SIGSEGV), thread: 3, loads: loads, suspects: [suspect("old", .onTheStack)])
        #expect(
            blamed(seen) == ["old onTheStack code", "inner onTheStack entry", "other onTheStack entry"])
    }

    @Test func withoutATraceOnlyASingleLoadIsToBlame() {
        #expect(blamed(record(.unknown)) == [])
        #expect(blamed(record(.unknown, loads: [load("outer"), load("inner")])) == ["inner loading entry"])
        let two = record(.unknown, loads: [load("one"), load("two", thread: 2)])
        #expect(!two.blamed.contains(where: \.certainty.isCertain) && two.blamed.count == 2)
    }

    @Test func theAdviceLeavesOutWhoIsCertainlyToBlame() {
        let stack = record(.signal(SIGABRT), suspects: [suspect("seen", .onTheStack)])
        let fault = record(.signal(SIGABRT), suspects: [suspect("b", .faultingCode)])
        let caller = record(.exit, suspects: [suspect("a", .caller)])
        #expect(CrashJournal.advice([]) == .normal)
        #expect(CrashJournal.advice([record(.unknown)]) == .normal)
        #expect(CrashJournal.advice([fault, caller, fault, stack]) == .without(["a", "b"]))
        #expect(CrashJournal.advice([stack]) == .normal)
        #expect(CrashJournal.advice([stack, stack]) == .noPlugins)
        // A crash without plug-ins does not end because they are left out.
        let alone = record(.signal(SIGABRT), hadPlugins: false)
        #expect(CrashJournal.advice([alone, alone, record(.unknown), record(.unknown)]) == .normal)
    }

    @Test func notesAreReadAsFarAsTheyWereWritten() throws {
        let tree = try TemporaryTree()
        let path = tree("journal")
        func write(_ notes: String) throws {
            try tree.write("journal", String(repeating: "\u{0}", count: Int(PHS_JOURNAL_SIZE)) + notes)
        }
        try write("code\0one\0/a\0id\0remote\0one\0/a\u{0}1\0other\0one\0x\0y\0code\0two\0/b\0cut")
        let notes = JournalNotes(journalAt: path)
        #expect(notes.plugins == ["one": .init(bundlePath: "/a", executable: "id", isRemote: true)])
        for text in ["", "\0", "code", "\0\0\0", "remote\0absent\0/\u{0}1\0"] {
            try write(text)
            #expect(JournalNotes(journalAt: path).plugins.isEmpty)
        }
        #expect(JournalNotes(journalAt: tree("absent")).plugins.isEmpty)
    }
}
