import PropertyLists
import Testing

/// Numbers in names are those of the project's list of faults.
@Suite("Damaged lists")
struct DamageTests {
    static let xmlList = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>CFBundleIdentifier</key>
        \t<string>org.example.filter &amp; co ©</string>
        \t<!-- a comment --><key>Count</key><integer>-142</integer>
        \t<key>Ratio</key><real>0.5</real>
        \t<key>Since</key><date>2024-02-29T12:34:56Z</date>
        \t<key>Icon</key><data>aGVsbG8=</data>
        \t<key>Flags</key><array><true/><false/><string/></array>
        </dict>
        </plist>

        """.utf8)
    static let oldStyleList = Array(
        """
        // A comment
        { CFBundleIdentifier = "org.example.\\U00e9\\n\\351 ©"; /* another */
          Count = <*I-142>; Ratio = <*R0.5>; Flags = (<*BY>, 'no', { deep = (); });
          Since = <*D2024-02-29 12:34:56 +0100>; Icon = <68656c6c 6f>; Blob = <[aGVsbG8=]> }
        """.utf8)
    static let binaryList = BinaryList([
        [0xD3, 1, 2, 3, 4, 5, 6], BinaryList.ascii("name"), BinaryList.ascii("list"), [0x62, 0x00, 0xE9, 0x4E, 0x2D],
        [0x5F, 0x10, 3, 0x61, 0x62, 0x63], [0xA3, 7, 8, 9], [0x33, 0x40, 0xF5, 0x18, 0, 0, 0, 0, 0], [0x11, 1, 0],
        [0x4F, 0x10, 2, 1, 2], [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0],
    ]).bytes
    static let lists = [xmlList, oldStyleList, binaryList]

    @Test(arguments: lists.indices)
    func undamagedListIsRead(index: Int) throws {
        #expect(try value(of: Self.lists[index]).dictionary?.isEmpty == false)
    }

    @Test("every truncation length is a fault with its place", .fault(28), arguments: lists.indices)
    func everyTruncationIsAFault(index: Int) throws {
        let list = Self.lists[index]
        let complete = try value(of: list)
        for length in 0..<list.count {
            let rest = Array(list[..<length])
            guard let found = fault(of: rest) else {
                // The line end after the last tag may be missing, and the first letters of a header are a bare word.
                let word = PropertyList.string(String(decoding: rest, as: UTF8.self))
                let read = try value(of: rest)
                #expect(length == list.count - 1 ? read == complete : length < 6 && read == word, "length \(length)")
                continue
            }
            #expect(isInside(found.position, rest), "length \(length): \(found)")
        }
    }

    @Test("each byte flipped gives a value or a fault with its place", .fault(29), arguments: lists.indices)
    func everyFlippedByteIsSurvived(index: Int) {
        let list = Self.lists[index]
        var faults = 0
        for place in list.indices {
            for mask in [0xFF, 0x80, 0x01, 0x20, 0x40] as [UInt8] {
                var damaged = list
                damaged[place] ^= mask
                guard let found = fault(of: damaged) else { continue }
                faults += 1
                #expect(isInside(found.position, damaged), "byte \(place) ^ \(mask): \(found)")
            }
        }
        #expect(faults > list.count)
    }

    @Test("each byte removed or doubled gives a value or a fault with its place", arguments: lists.indices)
    func everyShiftIsSurvived(index: Int) {
        let list = Self.lists[index]
        for place in list.indices {
            var damaged = list
            damaged.remove(at: place)
            if let found = fault(of: damaged) {
                #expect(isInside(found.position, damaged), "without byte \(place): \(found)")
            }
            damaged = list
            damaged.insert(list[place], at: place)
            if let found = fault(of: damaged) {
                #expect(isInside(found.position, damaged), "byte \(place) twice: \(found)")
            }
        }
    }

    private func isInside(_ position: PropertyListFault.Position, _ bytes: [UInt8]) -> Bool {
        switch position {
        case .byte(let offset): (0...bytes.count).contains(offset)
        case .text(let line, let column): line >= 1 && column >= 1 && line + column <= bytes.count + 2
        case .whole: bytes.isEmpty
        }
    }
}
