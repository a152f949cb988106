import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// Small files that expand to much: their size limits how much of them is read.
@Suite("ELF files that are slow or large to read")
struct ReadingLimitTests {
    /// A C++ function whose parameters double with each level: 22 levels took 47 seconds and 1.5 GB.
    private static func doubling(_ levels: Int) -> String {
        var name = "_Z1f1AIiiE"
        for level in 0..<levels {
            let last = String(level, radix: 36, uppercase: true)
            name += "S_IS\(last)_S\(last)_E"
        }
        return name
    }

    @Test(.fault(182)) func aNameThatDoublesWithEachReferenceIsShownMangled() throws {
        #expect(SymbolNames.demangled(Self.doubling(3)) != nil)
        for levels in [16, 24, 60] {
            #expect(SymbolNames.demangled(Self.doubling(levels)) == nil)
            #expect(SymbolNames.described(Self.doubling(levels)) == "“\(Self.doubling(levels))”")
        }
        // Swift's references: one letter each, and a number in front repeats it.
        #expect(!ManglingEstimate.isSmall("$s4main1fyyAA1AV_AdEtF" + String(repeating: "AcD", count: 20)))
        #expect(!ManglingEstimate.isSmall("$s4main1fyyA2048a2048b_tF"))
        let path = try ELFFixtures.c(
            "doubling.so",
            ELFFixtures.entryWithNote
                + "extern int f(void) __asm__(\"\(Self.doubling(24))\"); int use(void) { return f(); }")
        #expect(completeInspection(path).map(\.subject) == [Self.doubling(24)])
    }

    @Test(arguments: [
        "_ZNSt6vectorIiSaIiEE9push_backERKi", "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcm",
        "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "$sSa6appendyyxnF",
        "$s10PluginHost0A6BundleC4path4openACSS_tKFZ", "$ss5print_9separator10terminatoryypd_S2StF",
    ])
    func namesOfUsualLengthAreDemangled(name: String) {
        #expect(ManglingEstimate.isSmall(name))
        #expect(SymbolNames.demangled(name) != nil)
    }

    @Test(.fault(183)) func symbolsThatShareALongNameAreRefused() throws {
        let declarations = (0..<2000).map { "extern int absent_\($0)(void);" }.joined()
        let calls = (0..<2000).map { "absent_\($0)" }.joined(separator: ", ")
        let long = String(repeating: "x", count: 200_000)
        var file = try ELFBytes(
            ELFFixtures.c(
                "shared-names.so",
                ELFFixtures.entryWithNote + declarations
                    + "extern int long_one(void) __asm__(\"\(long)\"); int use(void) { return long_one(); }"
                    + "int (*table[])(void) = {\(calls)};"))
        let symbols = try file.table(6)
        let strings = try file.table(5)
        let name = try file.firstIndex(of: "\0" + String(repeating: "x", count: 1000)) + 1 - strings
        for index in 1..<2000 where file[symbols + index * 24 + 6, as: UInt16.self] == 0 {
            file[symbols + index * 24, as: UInt32.self] = UInt32(name)
        }
        let path = try file.save("shares-names.so")
        #expect(
            try quickInspection(path).findings.map(\.message) == [
                "“\(path)” is damaged: the names of its symbols overlap and are read again and again."
            ])
        #expect(completeInspection(path).count == 1)
    }

    @Test(.fault(183)) func sectionsThatShareALongNameAreNotCopied() throws {
        var file = try ELFBytes(ELFFixtures.sound())
        let names = file.bytes.count
        file.bytes += [UInt8](repeating: 0x41, count: 1 << 20)
        let table = file.bytes.count
        file.bytes += [UInt8](repeating: 0, count: 4000 * 64)
        file[40, as: UInt64.self] = UInt64(table)
        file[60, as: UInt16.self] = 4000
        file[62, as: UInt16.self] = 0
        for index in 0..<4000 {
            file[table + index * 64 + 4, as: UInt32.self] = 1
            file[table + index * 64 + 24, as: UInt64.self] = UInt64(names)
            file[table + index * 64 + 32, as: UInt64.self] = 1 << 20
        }
        file.bytes[names + (1 << 20) - 1] = 0
        let library = try ELFFile(path: file.save("shared-sections.so"))
        let copied = library.sections.reduce(0) { $0 + $1.name.utf8.count }
        #expect(copied <= ReadingBudget.limit(forInputOf: file.bytes.count))
        #expect(copied <= 4000 * 256)
    }

    @Test(.fault(184)) func chainsThatAreLongOrBentAreRefused() throws {
        let functions = (0..<5000).map { "int function_\($0)(void) { return \($0); }" }.joined(separator: "\n")
        var file = try ELFBytes(
            ELFFixtures.c(
                "many-functions.so", ELFFixtures.entryWithNote + functions,
                ["-shared", "-Wl,--hash-style=gnu", "-O0"]))
        let table = try file.table(0x6FFF_FEF5)
        let buckets = Int(file[table, as: UInt32.self])
        let filter = Int(file[table + 8, as: UInt32.self])
        let chains = table + 16 + filter * 8 + buckets * 4
        for index in 0..<4999 { file[chains + index * 4, as: UInt32.self] &= ~1 }
        let found = try quickInspection(file.save("one-chain.so")).findings
        #expect(found.map(\.message).contains { $0.contains("has a chain of more than 4096 symbols") })
        // The older table, bent into a circle of all its symbols.
        file = try ELFBytes(
            ELFFixtures.c(
                "many-functions-sysv.so", ELFFixtures.entryWithNote + functions,
                ["-shared", "-Wl,--hash-style=sysv", "-O0"]))
        let old = try file.table(4)
        let (count, symbols) = (Int(file[old, as: UInt32.self]), Int(file[old + 4, as: UInt32.self]))
        for index in 1..<symbols {
            file[old + 8 + (count + index) * 4, as: UInt32.self] = UInt32(index + 1 < symbols ? index + 1 : 1)
        }
        let path = try file.save("large-circle.so")
        #expect(try quickInspection(path).findings.map(\.message).contains { $0.contains("or a circle") })
        #expect(completeInspection(path).allSatisfy { $0.code == .notLoadable })
    }
}
