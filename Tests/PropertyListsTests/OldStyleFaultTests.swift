import PropertyLists
import Testing

/// Numbers in names are those of the project's list of faults.
@Suite("Old-style lists that are refused")
struct OldStyleFaultTests {
    @Test("a file of comments", .fault(23), arguments: ["// only", "/* only */", " /* a */ // b\n "])
    func fileOfCommentsIsEmpty(text: String) {
        #expect(fault(of: text)?.code == .empty)
    }

    @Test(
        "what is opened and never closed", .fault(28, 45),
        arguments: [
            "{", "(", "<", "\"", "'", "/*", "{ a", "{ a =", "{ a = b", "{ a = b;", "( a", "( a,", "(a, (b)", "<0f",
            "<*", "<*I1", "<[aGk=",
            "{ a = \"b; }", "{ /* a = b; }", "a =", "{a = {b = c;}", "\"\\", "\"a\\\"",
        ])
    func unclosedPartsAreTruncated(text: String) {
        #expect(fault(of: text)?.code == .truncated)
    }

    @Test func unclosedPartIsLocatedWhereItBegins() {
        #expect(fault(of: "{\n  a = (b;")?.position == .text(line: 2, column: 9))
        #expect(fault(of: "{\n  a = (b")?.position == .text(line: 2, column: 7))
        #expect(fault(of: "{\n  a = \"b;\n}")?.position == .text(line: 2, column: 7))
        #expect(fault(of: "{\n  /* a = b;\n}")?.position == .text(line: 2, column: 3))
    }

    @Test(
        "a key that is no string", .fault(42),
        arguments: ["{ (a) = b; }", "{ {a = b;} = b; }", "{ <0f> = b; }", "{ <*I1> = b; }", "a = b; (c) = d;"])
    func keysMustBeStrings(text: String) {
        #expect(fault(of: text)?.code == .keyNotString)
    }

    @Test("equal keys", .fault(43))
    func secondEqualKeyIsLocated() throws {
        func read(_ text: String) throws -> (PropertyList, [DuplicateKey]) {
            let read = try Array(text.utf8).withUnsafeBytes { try PropertyListReader.readAll($0) }
            return (read.value, read.duplicates.listed)
        }
        let (value, keys) = try read("{\n a = b;\n \"a\" = c;\n}")
        #expect(value == .dictionary(["a": .string("b")]))
        #expect(
            keys == [DuplicateKey(name: "a", outermost: "a", position: .text(line: 3, column: 2), hasSameValue: false)])
        #expect(try read("a = b; 'a';").0 == .dictionary(["a": .string("b")]))
        #expect(try read("a = a; 'a';").1.map(\.hasSameValue) == [true])
        #expect(try read("(({a = b; c = d; a = e}))").1.map(\.name) == ["a"])
        #expect(try read("x = y; o = (1, {p = {a = b; a = c;}; });").1.map(\.outermost) == ["o"])
    }

    @Test(
        "typed values that cannot be", .fault(50),
        arguments: [
            ("<*I>", PropertyListFault.Code.invalidInteger), ("<*I1.5>", .invalidInteger),
            ("<*I18446744073709551616>", .integerOverflow),
            ("<*R>", .invalidReal), ("<*Rnan>", .notFinite), ("<*R1e999>", .notFinite), ("<*D>", .invalidDate),
            ("<*D2001-02-30 00:00:00 +0000>", .invalidDate),
            ("<*D2001-01-01 00:00:00>", .invalidDate), ("<*D2001-01-01 00:00:00 +9900>", .invalidDate),
            ("<*Dinf>", .invalidDate),
            ("<*>", .unknownType), ("<*B>", .unknownType), ("<*BX>", .unknownType), ("<*BYY>", .unknownType),
            ("<*X1>", .unknownType), ("<*i1>", .unknownType),
        ])
    func typedValuesAreChecked(text: String, code: PropertyListFault.Code) {
        let found = fault(of: "{ k = \(text); }")
        #expect(found?.code == code)
        #expect(found?.position == .text(line: 1, column: 7))
    }

    @Test(
        "data in odd shapes",
        arguments: ["<0>", "<0fb>", "<0 f b>", "<0g>", "<zz>", "<0f;>", "<[A]>", "<[aGk=>", "<[aG k]>", "<é>"])
    func dataMustBePairsOfDigits(text: String) {
        #expect(fault(of: "(\(text))")?.code == .invalidData)
    }

    @Test("something after the end", .fault(51), arguments: ["{} x", "() ()", "(a);", "{a = b;};", "<0f> a", "<*BY>,"])
    func nothingMayFollowTheList(text: String) {
        #expect(fault(of: text)?.code == .trailingContent)
    }

    @Test(
        "missing separators",
        arguments: [
            "{ a b; }", "{ a = b c = d; }", "(a b)", "{ a = b, }", "(a; b)", "a b", "\"a\" \"b\"", "a = b c = d",
            "{ a }", "({}{})",
        ])
    func separatorsAreRequired(text: String) {
        #expect(fault(of: text)?.code == .missingSeparator)
    }

    @Test(
        "characters that may not stand there",
        arguments: [
            "}", ")", ";", "=", ",", "é", "(,)", "(a,,b)", "{;}", "{=b;}", "a = b; }", "{)", "(}", "{ a = ); }", "@",
            "\u{7}", "(#)",
        ])
    func otherCharactersAreUnexpected(text: String) {
        #expect(fault(of: text)?.code == .unexpectedCharacter)
    }

    @Test func valuesAreRequired() {
        #expect(fault(of: "{ a = ; }")?.code == .missingValue)
        #expect(fault(of: "{ a = }")?.code == .missingValue)
        #expect(fault(of: "a = ;")?.code == .missingValue)
    }

    @Test(
        "lone surrogates and other escapes", .fault(41),
        arguments: [
            #"\Ud83d"#, #"\Ud83d\U0041"#, #"\Ud83dx"#, #"\Ude00"#, #"\Ud83d\Ud83d\Ude00"#, #"\Ug"#, #"\U"#, #"\u"#,
            #"\400"#, #"\777"#,
        ])
    func badEscapesAreLocated(escape: String) {
        let found = fault(of: "(\n \"ab\(escape)\")")
        #expect(found?.code == .invalidEscape)
        #expect(found?.position == .text(line: 2, column: 5))
    }

    @Test func longRunsOfCombiningMarksAreRefused() {
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: 16)
        #expect(fault(of: "(\"\(marks)\")")?.code == .unsafeText)
        #expect(fault(of: "(\"\\n\(marks)\")")?.code == .unsafeText)
    }
}
