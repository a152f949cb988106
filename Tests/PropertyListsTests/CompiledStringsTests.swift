import Testing

@testable import PropertyLists

@Suite struct CompiledStringsTests {
    private static func text(_ count: Int) -> [UInt8] {
        Array((0..<count).map { "\"key.\($0)\" = \"valeur \($0) \\\"é\\\"\\n\";\n" }.joined().utf8)
    }

    private func find(_ key: String, in file: [UInt8]) -> CompiledStrings.Answer? {
        let head = file.withUnsafeBytes { CompiledStrings.Head($0, fileSize: UInt64(file.count)) }
        return head.map { head in
            CompiledStrings.find(key, head) { offset, count in
                offset + count <= file.count ? Array(file[offset..<offset + count]) : nil
            }
        }
    }

    private func index(_ file: [UInt8]) -> StringsIndex? {
        let text = ListText(capacity: file.count)
        for (place, byte) in file.enumerated() { text.bytes[place] = byte }
        return StringsIndex.compiled(text)
    }

    @Test(arguments: [1, 2, 100, 10_000]) func everyEntryIsFoundWithoutReadingTheFile(_ count: Int) throws {
        let file = try #require(CompiledStrings.compile(Self.text(count), modified: 7))
        for number in 0..<count {
            #expect(find("key.\(number)", in: file) == .text("valeur \(number) \"é\"\n"))
        }
        for missing in ["", "key.\(count)", "key", "valeur 0"] { #expect(find(missing, in: file) == .missing) }
    }

    @Test func readAsAWholeItHasTheEntriesOfTheText() throws {
        let text = Self.text(500)
        let file = try #require(CompiledStrings.compile(text, modified: 7))
        let entries = text.withUnsafeBytes { StringsReader.read($0).0 }
        #expect(try #require(index(file)).dictionary == entries)
    }

    @Test func aTableReadsFewBytesForAString() throws {
        let file = try #require(CompiledStrings.compile(Self.text(10_000), modified: 7))
        let head = try #require(file.withUnsafeBytes { CompiledStrings.Head($0, fileSize: UInt64(file.count)) })
        var bytes = 0
        for number in 0..<100 {
            _ = CompiledStrings.find("key.\(number * 97)", head) { offset, count in
                bytes += count
                return Array(file[offset..<offset + count])
            }
        }
        #expect(bytes < 100 * 400)
    }

    /// Every slot seems to have the key, and no row has it.
    @Test func eachSlotOfASmallTableIsExaminedOnce() throws {
        var file = try #require(CompiledStrings.compile(Array("a1; a2; a3;".utf8), modified: 7))
        let head = try #require(file.withUnsafeBytes { CompiledStrings.Head($0, fileSize: UInt64(file.count)) })
        let tag = UInt32(truncatingIfNeeded: Array("zz".utf8).withUnsafeBytes { CompiledStrings.hash($0) } >> 32)
        for slot in 0..<head.slots {
            let place = CompiledStrings.headSize + slot * CompiledStrings.slotSize
            withUnsafeBytes(of: (tag.littleEndian, UInt32(1 + slot % 3).littleEndian)) {
                file.replaceSubrange(place..<place + CompiledStrings.slotSize, with: $0)
            }
        }
        var reads = 0
        let answer = CompiledStrings.find("zz", head) { offset, count in
            reads += 1
            return Array(file[offset..<offset + count])
        }
        #expect(answer == .unclear)
        #expect(reads <= 2 + 2 * head.slots && reads <= CompiledStrings.mostReads)
    }

    @Test func theHeadStatesWhichTextItIs() throws {
        let text = Self.text(20)
        let file = try #require(CompiledStrings.compile(text, modified: -5))
        let head = try #require(file.withUnsafeBytes { CompiledStrings.Head($0, fileSize: UInt64(file.count)) })
        #expect(head.sourceSize == UInt64(text.count) && head.sourceModified == -5)
        #expect(head.sourceHash == text.withUnsafeBytes { CompiledStrings.hash($0) })
        for place in text.indices {
            var other = text
            other[place] ^= 1
            #expect(other.withUnsafeBytes { CompiledStrings.hash($0) } != head.sourceHash)
        }
        #expect(CompiledStrings.compile(text, modified: -5) == file)
    }

    @Test func aTextWithAFaultIsNotCompiled() {
        #expect(CompiledStrings.compile(Array("\"a\" \"b\";".utf8), modified: 0) == nil)
        #expect(CompiledStrings.compile([], modified: 0) == nil)
    }

    /// A damaged table gives nothing, or a text that is not longer than the file.
    @Test(.fault(486)) func noDamageLeadsOutOfTheFile() throws {
        let file = try #require(CompiledStrings.compile(Self.text(12), modified: 7))
        for length in 0..<file.count {
            let cut = Array(file.prefix(length))
            #expect(find("key.3", in: cut) == nil && index(cut) == nil)
        }
        for place in file.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = file
                bytes[place] ^= change
                for number in 0..<12 {
                    if case .text(let text) = find("key.\(number)", in: bytes) {
                        #expect(text.utf8.count <= file.count)
                    }
                }
                if let index = index(bytes) { #expect(index.dictionary.count <= 12) }
            }
        }
    }

    /// A compiled table that could waste memory or time is refused.
    ///
    /// If rows share one long text, the table could expand to far more than the file. If there is no free slot, a
    /// search could run for ever.
    @Test(.fault(486)) func whatStandsForMuchIsRefused() throws {
        let file = try #require(CompiledStrings.compile(Self.text(64), modified: 7))
        let head = try #require(file.withUnsafeBytes { CompiledStrings.Head($0, fileSize: UInt64(file.count)) })
        var shared = file
        for number in 1..<64 {
            shared.replaceSubrange(
                head.rows + number * 16..<head.rows + (number + 1) * 16, with: file[head.rows..<head.rows + 16])
        }
        #expect(index(shared) == nil)
        var full = file
        for slot in 0..<head.slots { full.replaceSubrange(56 + slot * 8..<60 + slot * 8, with: [9, 9, 9, 9]) }
        for slot in 0..<head.slots { full[60 + slot * 8] = 1 }
        #expect(find("key.1", in: full) == .unclear)
        var huge = file
        huge.replaceSubrange(12..<16, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(find("key.1", in: huge) == nil && index(huge) == nil)
    }
}
