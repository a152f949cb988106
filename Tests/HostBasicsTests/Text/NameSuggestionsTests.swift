import Testing

@testable import HostBasics

/// Suggestions for wrong names; numbers are those of docs/faults.md.
@Suite struct NameSuggestionsTests {
    /// Every name is far from every other.
    @Test(.fault(731)) func suggestionsForAWholeReportHaveOneBudget() {
        let known = (0..<20_000).map { "identifier-\($0)-of-something" }
        var suggestions = NameSuggestions()
        var rounds = 0
        while suggestions.steps > 0, rounds < 10_000 {
            _ = suggestions.names(near: "identifier-\(rounds)-of-anything", among: known)
            rounds += 1
        }
        #expect(suggestions.steps == 0 && rounds < 100)
        #expect(suggestions.names(near: "lable", among: ["label"]).isEmpty)
    }

    @Test func nearNamesAreFoundNearestFirst() {
        var suggestions = NameSuggestions()
        let known = ["label", "table", "Lable", "panel", "lables"]
        #expect(suggestions.names(near: "lable", among: known) == ["Lable", "label", "lables"])
        #expect(
            suggestions.names(near: "lable", among: known, atMost: 1, most: 9) == ["Lable", "label", "lables", "table"])
        #expect(suggestions.nearestNames(to: "labels", among: known, atMost: 2) == ["label", "lables"])
        #expect(suggestions.names(near: "zzz", among: known).isEmpty)
    }

    /// Names of real applications, of which both exist.
    @Test(
        .fault(858),
        arguments: [
            ("ExportController", "ImportController"), ("MPEntryView", "MPEntryViews"), ("DVRDecoder", "DVREncoder"),
            ("GitModule", "GitModules"), ("OAuthController", "AuthController"), ("CSTextView", "CSSTextView"),
            ("IssueWebView", "IssueWeb2View"), ("NSObject", "QSObject"), ("GPBInt32Array", "GPBUInt32Array"),
            ("MIDINoteOff", "MIDINoteOn"), ("Sequence", "Sequencer"), ("TableView", "NSTableView"), ("Table", "Cable"),
            ("Cart", "Crat"), ("FieldDescriptor", "FileDescriptor"),
        ])
    func aSimilarNameIsNoSlip(one: String, other: String) {
        var suggestions = NameSuggestions()
        let isSlip = suggestions.isSlip(one, ofAny: ["Something", other]) || suggestions.isSlip(other, ofAny: [one])
        #expect(!isSlip)
    }

    @Test(arguments: [
        "SummaryCrad", "SumaryCard", "SummmaryCard", "SummaryCerd", "summarycard", "SUMMARYCARD", "SummryCard",
        "SummaryCarrd", "SummaryCadr",
    ])
    func aSlipOfTheFingerIsFound(name: String) {
        var suggestions = NameSuggestions()
        let (isFound, isOther) = (
            suggestions.isSlip(name, ofAny: ["Other", "SummaryCard"]),
            suggestions.isSlip(name, ofAny: ["Other", "SummaryView"])
        )
        #expect(isFound && !isOther)
    }

    @Test(.fault(731)) func longNamesAreNotCompared() {
        let long = String(repeating: "x", count: 200_000)
        var suggestions = NameSuggestions()
        #expect(suggestions.names(near: long + "a", among: [long + "b"]).isEmpty)
        #expect(suggestions.names(near: "label", among: [long, "lable"]) == ["lable"])
        #expect(NameSuggestions.mostSteps - suggestions.steps < 100)
    }
}
