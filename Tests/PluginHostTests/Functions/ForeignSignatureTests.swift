import Testing

@testable import PluginHost

@Suite struct ForeignSignatureTests {
    @Test func aSignatureIsReadWithAndWithoutBlanks() throws {
        let signature = try ForeignSignature(" ( bytes ,uint32,string ) ->  double ")
        #expect(signature.arguments == [.bytes, .uint32, .string])
        #expect(signature.result == .double)
        #expect(signature.description == "(bytes, uint32, string) -> double")
        #expect(try ForeignSignature("()->void").arguments.isEmpty)
        #expect(try ForeignSignature(signature.description) == signature)
    }

    @Test(arguments: [
        ("", "does not have exactly one “->”"), ("()", "does not have exactly one “->”"),
        ("() -> void -> void", "does not have exactly one “->”"),
        ("bytes -> uint32", "parentheses"), ("( -> void", "parentheses"),
        ("(int) -> void", "“int” is not one of the types"),
        ("(void) -> void", "“void” as an argument"), ("() -> bytes", "“bytes” as its result"),
        ("(bytes,) -> void", "“” is not one"),
        ("(\(Array(repeating: "bool", count: 33).joined(separator: ","))) -> void", "more than 32 arguments"),
    ])
    func anInvalidSignatureIsReportedWithTheReason(text: String, reason: String) {
        let fault = #expect(throws: ForeignSignature.Fault.self) { try ForeignSignature(text) }
        #expect(fault?.reason.contains(reason) == true, "\(fault?.reason ?? "")")
    }
}
