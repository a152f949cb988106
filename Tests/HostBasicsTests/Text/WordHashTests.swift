import TestSupport
import Testing

@testable import HostBasics

@Suite("Hashes of bytes")
struct WordHashTests {
    private func hash(_ bytes: some Sequence<UInt8>) -> UInt64 { Array(bytes).withUnsafeBytes(\.wordHash) }

    /// Lengths on both sides of each step: bytes, words, and four words at once.
    @Test func changeOfAnyByteChangesTheHash() {
        var random = SeededGenerator(seed: 8)
        for length in 1...200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            for place in bytes.indices {
                var changed = bytes
                changed[place] ^= UInt8(1) << UInt8(place % 8)
                #expect(hash(changed) != hash(bytes), "\(length) bytes, byte \(place)")
            }
        }
    }

    @Test func namesThatDifferInOrderOrLengthHaveTheirOwnHashes() {
        var hashes: Set<UInt64> = []
        let names = ["", "a", "aa", "ab", "ba", "libfoo.so", "libofo.so", "libswiftCore.so", "libswiftCore.so.1"]
        for name in names { hashes.insert(hash(name.utf8)) }
        for length in 1...100 { hashes.insert(hash(repeatElement(0, count: length))) }
        #expect(hashes.count == names.count + 100)
    }
}
