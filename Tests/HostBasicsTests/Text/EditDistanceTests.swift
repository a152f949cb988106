import Testing

@_spi(Tools) @testable import HostBasics

@Suite struct EditDistanceTests {
    @Test func changedAddedRemovedAndExchangedLettersCountOneEach() {
        #expect("title".editDistance(to: "title", atMost: 0) == 0)
        #expect("titla".editDistance(to: "title", atMost: 1) == 1)
        #expect("titles".editDistance(to: "title", atMost: 1) == 1)
        #expect("titl".editDistance(to: "title", atMost: 1) == 1)
        #expect("titel".editDistance(to: "title", atMost: 1) == 1)
        #expect("ttiel".editDistance(to: "title", atMost: 2) == 2)
        #expect("kitten".editDistance(to: "sitting", atMost: 3) == 3)
        #expect("".editDistance(to: "abc", atMost: 3) == 3)
    }

    @Test func moreThanTheLimitIsNoDistance() {
        #expect("titel".editDistance(to: "title", atMost: 0) == nil)
        #expect("abc".editDistance(to: "abcdef", atMost: 2) == nil)
        #expect("abcd".editDistance(to: "badc", atMost: 1) == nil)
    }
}
