import PropertyLists
import Testing

@Suite("Old-style lists that are read")
struct OldStyleReadingTests {
    @Test func everyValueIsRead() throws {
        let text = """
            // !$*UTF8*$!
            {
              NSExecutable = Bundle; /* a comment */
              "quoted key" = "a \\"quoted\\" value";
              'single' = 'it\\'s "so"';
              Array = ( one, "two", (), { k = v; }, );
              Data = <0fbd77 1C 2d>;
              Base64 = <[aGVs bG8=]>;
              Yes = <*BY>; No = <*BN>;
              Number = <*I-42>; Large = <*I18446744073709551615>;
              Real = <*R1.5>;
              Date = <*D2001-01-01 01:00:00 +0100>;
            }
            """
        let (list, format) = try PropertyListReader.read(Array(text.utf8))
        #expect(format == .openStep)
        #expect(
            list
                == .dictionary([
                    "NSExecutable": .string("Bundle"), "quoted key": .string("a \"quoted\" value"),
                    "single": .string("it's \"so\""),
                    "Array": .array([.string("one"), .string("two"), .array([]), .dictionary(["k": .string("v")])]),
                    "Data": .data([0x0F, 0xBD, 0x77, 0x1C, 0x2D]), "Base64": .data(Array("hello".utf8)),
                    "Yes": .boolean(true), "No": .boolean(false), "Number": .integer(-42), "Large": .unsigned(.max),
                    "Real": .real(1.5), "Date": .date(0),
                ]))
    }

    @Test(arguments: [
        ("word", PropertyList.string("word")), ("\"text\"", .string("text")), ("'text' // end", .string("text")),
        ("-1.5", .string("-1.5")),
        ("()", .array([])), ("{}", .dictionary([:])), ("<>", .data([])), ("<fade>", .data([0xFA, 0xDE])),
        ("< 0f\n>", .data([0x0F])),
        ("<[]>", .data([])), ("<*BY>", .boolean(true)), ("<*I\"7\">", .integer(7)), ("<*R\"2\">", .real(2)),
        ("<*D\"2001-01-01 00:00:00 -0030\">", .date(1800)),
    ])
    func anyValueMayBeTheWholeList(text: String, expected: PropertyList) throws {
        #expect(try value(of: text) == expected)
    }

    @Test func wordsMayHoldASetOfSigns() throws {
        #expect(
            try value(of: "{ path = /usr/lib:a.b-c_$d+e; v = 0.9.2+git; 1 = x; }")
                == .dictionary(["path": .string("/usr/lib:a.b-c_$d+e"), "v": .string("0.9.2+git"), "1": .string("x")]))
    }

    @Test(arguments: [
        "{ a = b; c = d }", "{ a = b; c = d; }", "a = b; c = d;", "a = b; c = d", "\na = b;// x\nc = d /* y */\n",
    ])
    func lastSemicolonAndOutermostBracesMayBeLeftOut(text: String) throws {
        #expect(try value(of: text) == .dictionary(["a": .string("b"), "c": .string("d")]))
    }

    @Test func nestedDictionariesNeedNoLastSemicolonEither() throws {
        #expect(
            try value(of: "a = { b = ( { c = d } ) }")
                == .dictionary(["a": .dictionary(["b": .array([.dictionary(["c": .string("d")])])])]))
    }

    @Test func keyAloneIsItsOwnValue() throws {
        #expect(try value(of: "{ \"a b\"; c; }") == .dictionary(["a b": .string("a b"), "c": .string("c")]))
    }

    @Test(arguments: [
        (#"\n\t\r\a\b\f\v"#, "\n\t\r\u{7}\u{8}\u{C}\u{B}"), (#"\"\'\\"#, "\"'\\"), ("a\\\nb", "a\nb"),
        (#"\U00e9\U4e2d"#, "é中"), (#"\u00E9"#, "é"),
        (#"\U41"#, "A"), (#"\U41g"#, "Ag"), (#"\Ud83d\Ude00"#, "😀"), (#"\uD83D\uDE00!"#, "😀!"),
        (#"\101\7\0601"#, "A\u{7}01"), (#"\351"#, "Ø"),
        (#"\200\377\341"#, "\u{A0}\u{FFFD}Æ"), (#"\q\%\é\😀"#, "q%é😀"), (#"\8"#, "8"), ("\\中x", "中x"),
        (#"\U0000"#, "\0"),
    ])
    func escapesAreUndone(escaped: String, expected: String) throws {
        #expect(try value(of: "(\"\(escaped)\")") == .array([.string(expected)]))
        if !expected.contains("'") { #expect(try value(of: "('\(escaped)')") == .array([.string(expected)])) }
    }

    @Test func commentsMayBeWhereverBlanksMay() throws {
        let text = "/* a *//**/{/* * / */k /*=*/=//;\nv /* \n */;}// end without line"
        #expect(try value(of: text) == .dictionary(["k": .string("v")]))
    }

    @Test func unicodeLineEndsAreBlanks() throws {
        #expect(
            try value(of: "{a\u{2028}=\u{2029}b;// c\u{2028}d = e;}")
                == .dictionary(["a": .string("b"), "d": .string("e")]))
    }

    @Test func slashBeginsAWordAndTwoAComment() throws {
        #expect(try value(of: "(/a/b//c\n,/)") == .array([.string("/a/b//c"), .string("/")]))
    }
}
