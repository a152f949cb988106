import BundleReading
import Foundation
import TestSupport
import Testing

@testable import PluginHost

/// Signatures that try to harm their reader, and functions that do not match their signatures.
@Suite struct HostileSignatureFaults {
    private func problem(_ text: String) -> String? {
        do throws(ForeignSignature.Fault) {
            _ = try ForeignSignature(text)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test(.fault(450)) func aTextOfMegabytesIsNotRead() {
        let text = "(" + String(repeating: "int8, ", count: 2_000_000) + "int8) -> void"
        let clock = ContinuousClock()
        var found: String?
        let time = clock.measure { found = problem(text) }
        #expect(found == "it has \(text.utf8.count) bytes; the limit is 4096")
        #expect(time < .seconds(2))
    }

    @Test(.fault(451)) func moreArgumentsOrTypesThanAnyFunctionHas() {
        let many = Array(repeating: "bool", count: 33).joined(separator: ",")
        #expect(problem("(\(many)) -> void") == "it has more than 32 arguments")
        let fields = "{" + Array(repeating: "int8", count: 60).joined(separator: ",") + "}"
        let structs = Array(repeating: fields, count: 5).joined(separator: ",")
        #expect(problem("(\(structs)) -> void") == "it has more than 256 types")
        let wide = "{" + Array(repeating: "int8", count: 65).joined(separator: ",") + "}"
        #expect(problem("(\(wide)) -> void") == "a struct has more than 64 fields")
    }

    @Test(.fault(452)) func structsInOneAnotherWithoutEnd() {
        let deep = String(repeating: "{", count: 9) + "int8" + String(repeating: "}", count: 9)
        #expect(problem("(\(deep)) -> void") == "structs stand in one another more than 8 deep")
        let most = String(repeating: "{", count: 8) + "int8" + String(repeating: "}", count: 8)
        #expect(problem("(\(most)) -> \(most)") == nil)
        #expect(problem(String(repeating: "(", count: 4096))?.contains("callback") == true)
        #expect(problem("(" + String(repeating: "{", count: 4000))?.contains("8 deep") == true)
    }

    @Test(.fault(453)) func controlCharactersAndLongWordsAreNotShownAsTheyAre() throws {
        let escape = try #require(problem("(\u{1B}[2Jint8) -> void"))
        #expect(!escape.contains("\u{1B}"))
        let long = try #require(problem("(" + String(repeating: "x", count: 4000) + ") -> void"))
        #expect(long.utf8.count < 500)
        let name = String(repeating: "n", count: 65)
        #expect(problem("({\(name): int8}) -> void") == "the name of a field has more than 64 bytes")
        #expect(problem("(int8\0) -> void") != nil)
    }

    @Test(.fault(454)) func anInfoPlistWithHostileSignaturesHasAFindingForEach() throws {
        let tree = try TemporaryTree([
            "Hostile.bundle/Contents/Info.plist": """
            { CFBundleIdentifier = "org.example.Hostile"; PHFunctions = {
                good = "() -> void"; open = "("; deep = "(\(String(repeating: "{", count: 3000)))"; arrow = "() > void"; }; }
            """
        ])
        try withExtendedLifetime(tree) {
            let bundle = try PluginBundle.open(path: tree("Hostile.bundle"))
            let findings = bundle.findings().filter { $0.subject == "PHFunctions" }
            #expect(findings.count == 3)
            #expect(findings.allSatisfy { $0.code == .manifestInvalid && $0.severity == .error })
            #expect(
                findings.contains { $0.message.contains("wrong at character 4: “>” stands where “->” is expected") })
        }
    }

    @Test(.fault(455)) func aRegistrationWithAHostileSignatureFailsTheLoadWithThePlace() throws {
        let bundle = try FunctionFixture.make(
            "HostileRegistration",
            FunctionFixture.source(
                "static void f(void) {}", "R(f, \"({a: int8, a: int8}) -> void\")"))
        let error = try #require(#expect(throws: PluginError.self) { try bundle.loadAndReturnError() })
        #expect(error.code == .registrationInvalid)
        #expect(error.description.contains("wrong at character 12: two fields are called “a”"))
    }

    @Test(.fault(456)) func aSignatureThatIsNoUTF8FailsTheLoad() throws {
        let bundle = try FunctionFixture.make(
            "SpoiltSignature", FunctionFixture.source("static void f(void) {}", "R(f, \"() -> \\xff\")"))
        let error = try #require(#expect(throws: PluginError.self) { try bundle.loadAndReturnError() })
        #expect(error.code == .registrationInvalid)
    }

    @Test(.fault(457)) func aResultOfMoreBytesThanThereIsMemoryIsAnError() throws {
        let bundle = try FunctionFixture.make(
            "EndlessBytes",
            FunctionFixture.source(
                "static plugin_bytes f(void) { return (plugin_bytes){\"\", SIZE_MAX}; }", "R(f, \"() -> bytes\")"))
        let error = try #require(#expect(throws: PluginError.self) { try bundle.function("f")() })
        #expect(error.code == .resultInvalid)
        #expect(error.description.contains("has \(UInt.max) bytes at an address"))
    }

    @Test(.fault(458)) func aTruthValueThatIsNeitherZeroNorOneIsTrue() throws {
        let bundle = try FunctionFixture.make(
            "OddTruth",
            FunctionFixture.source("static uint8_t f(void) { return 0x80; }", "R(f, \"() -> bool\")"))
        #expect(try bundle.function("f")() == .bool(true))
        let typed = try bundle.function("f", as: (() -> Bool).self)
        #expect(try typed() == true)
    }

    @Test(.fault(459)) func aCallbackThatIsCalledAfterItsReleaseDoesNothing() throws {
        let bundle = try FunctionFixture.make(
            "LateCaller",
            FunctionFixture.source(
                "static int8_t (*f)(void); static void keep(int8_t (*g)(void)) { f = g; } static int8_t use(void) { return f(); }",
                "R(keep, \"(kept () -> int8) -> void\"), R(use, \"() -> int8\")"))
        let callback = ForeignCallback { () -> Int8 in 7 }
        try bundle.function("keep")(.callback(callback))
        #expect(try bundle.function("use")() == .int(7))
        callback.release()
        #expect(try bundle.function("use")() == .int(0))
    }
}
