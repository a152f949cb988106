import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import NibReading

/// Nibs and lists of classes that are large in one way; numbers are those of docs/faults.md.
@Suite struct NibSizeFaults {
    private static func inspection(_ objects: String) throws -> NibInspection {
        try NibInspection(Array(NibText.document(objects).utf8), named: "/T.xib", limits: NibLimits())
    }

    private static func classes(_ entries: NibClassList.Entry...) -> NibInspection.Classes {
        var classes = NibInspection.Classes()
        classes.own = [NibClassList(entries)]
        return classes
    }

    private static func entry(_ name: String, _ change: (inout NibClassList.Entry) -> Void = { _ in })
        -> NibClassList.Entry
    {
        var entry = NibClassList.Entry(name: name)
        change(&entry)
        return entry
    }

    // MARK: 730

    /// Each reader of a nib reports the limit, and nothing else.
    @Test(.fault(730), arguments: ["objects", "connections"])
    func aNibOverALimitIsOneFindingForEveryReader(limit: String) throws {
        let actions = (0...20_000).map { "<action selector=\"x\" target=\"gone\" id=\"c\($0)\"/>" }.joined()
        let nib =
            limit == "objects"
            ? NibText.objects(4_097) : "<view id=\"a\" title=\"b\"><connections>\(actions)</connections></view>"
        let inspection = try Self.inspection(nib)
        #expect(inspection.counts.objects == (limit == "objects" ? 4_097 : 1))
        let declared = Self.classes(Self.entry("Block") { $0.elements = ["view"] })
        let reports = [NibInspection.Classes(), declared].map { inspection.report(classes: $0) }
        #expect(reports.allSatisfy { $0.isRefused && $0.notes.isEmpty && $0.declared.isEmpty })
        let texts = #expect(throws: PluginError.self) { try inspection.texts(classes: NibInspection.Classes()) }
        let all = [texts?.findings ?? []] + reports.map(\.findings)
        for findings in all {
            try #require(findings.count == 1)
            #expect(findings[0].code == .nibUnreadable && findings[0].message.contains("the limit is"))
            #expect(findings[0].remedy.contains("--max-\(limit)"))
        }
        #expect(all.allSatisfy { $0[0].place == all[0][0].place } && all[0][0].place != nil)
    }

    // MARK: 732, 733

    @Test(.fault(732)) func theMessageOfAFindingThatIsNotListedIsNotMade() {
        let findings = NibFindings()
        var made = 0
        for _ in 0..<5_000 {
            findings.add(.error) {
                made += 1
                return NibFinding(code: .nibOutletInvalid, offset: nil, message: "", remedy: "")
            }
        }
        #expect(made == 100 && findings.hasErrors)
    }

    /// A million required outlets are counted, not looked for.
    @Test(.fault(732)) func furtherFindingsAreCounted() throws {
        let inspection = try Self.inspection(NibText.objects(1_000))
        let block = Self.entry("Block") { entry in
            entry.elements = ["view"]
            for number in 0..<1_000 { entry.outlets["outlet\(number)"] = "*" }
            entry.required = Set(entry.outlets.keys)
        }
        let report = inspection.report(classes: Self.classes(block))
        #expect(report.findings.count == 101)
        #expect(report.findings[0].code == .nibOutletUnconnected && report.findings[0].subject == "outlet0")
        #expect(report.findings[100].message.hasPrefix("999900 more problems"))
    }

    /// What the application may have displaces no error, and neither do warnings.
    @Test(.fault(733)) func errorsAreListedAfterAnyNumberOfOtherFindings() throws {
        let unknown = (0..<300).map { "<x\($0) id=\"x\($0)\"/>" }.joined(separator: "\n")
        let loose = "<view id=\"p\">" + (0..<300).map { "<view id=\"l\($0)\"/>" }.joined() + "</view>"
        let nib =
            unknown + loose
            + "<view id=\"last\"><connections><outlet property=\"gone\" destination=\"last\" id=\"c\"/></connections></view>"
        let report = try Self.inspection(nib).report(
            classes: Self.classes(Self.entry("Block") { $0.elements = ["view"] }))
        #expect(report.findings.filter { $0.severity == .error }.map(\.code) == [.nibOutletInvalid])
        #expect(report.findings.count == 1 + 100 + 1)
        #expect(report.unknownClasses.count == 101)
        // With the application's list they are errors as the other one, in the order of the file.
        var known = Self.classes(Self.entry("Block") { $0.elements = ["view"] })
        known.application = [NibClassList([])]
        let strict = try Self.inspection(nib).report(classes: known)
        #expect(strict.unknownClasses.isEmpty && strict.findings[0].code == .nibClassMissing)
        #expect(strict.findings[100].message.hasPrefix("201 more problems"))
    }

    /// A class that is named a hundred times leaves room for the others.
    @Test(.fault(733)) func eachUnknownClassIsListedOnce() throws {
        let nib = NibText.objects(500) + "<dial id=\"d\"/>"
        let report = try Self.inspection(nib).report(classes: Self.classes(Self.entry("Card")))
        #expect(report.unknownClasses.map(\.subject) == ["view", "dial"])
    }

    // MARK: 734, 735

    @Test(.fault(734), arguments: [1, 2, 3, 20_000])
    func aCircleOfSuperclassesIsReportedForEachClassUpToAHundred(length: Int) {
        let circle = (0..<length).map { number in
            Self.entry("C\(number)") { $0.superclass = "C\((number + 1) % length)" }
        }
        let tail = Self.entry("Tail") { $0.superclass = "C0" }
        var classes = NibInspection.Classes()
        classes.own = [NibClassList(circle + [tail])]
        let faults = classes.faults
        if length < 100 {
            #expect(faults.count == length + 1)
            #expect(faults.last?.message == "The superclasses of “Tail” lead in a circle by “C0”.")
        } else {
            #expect(faults[100].message == "19901 more faults of the classes are not listed.")
        }
    }

    /// Nothing is copied for a class that adds nothing.
    @Test(.fault(734)) func whatIsInheritedIsShared() {
        let base = Self.entry("Base") { entry in
            for number in 0..<5_000 { entry.outlets["outlet\(number)"] = "*" }
        }
        var classes = NibInspection.Classes()
        classes.own = [
            NibClassList([base] + (0..<5_000).map { number in Self.entry("C\(number)") { $0.superclass = "Base" } })
        ]
        #expect(classes.faults.isEmpty && !classes.declared.isTooLarge)
        guard case .found(let member) = classes.declared.scope.aClass(named: "C4999") else {
            Issue.record("no class")
            return
        }
        #expect(member.aClass.table.outlets.count == 5_000)
    }

    @Test(.fault(734)) func aLongLineOfSuperclassesIsOneFault() throws {
        var classes = NibInspection.Classes()
        classes.own = [
            NibClassList(
                (0..<15_000).map { number in
                    Self.entry("C\(number)") { entry in
                        if number > 0 { entry.superclass = "C\(number - 1)" }
                        entry.outlets = ["outlet\(number)": "*"]
                        if number == 0 { entry.elements = ["view"] }
                    }
                })
        ]
        #expect(classes.faults.count == 1 && classes.declared.isTooLarge)
        // The document alone is checked.
        let report = try Self.inspection(NibText.objects(3)).report(classes: classes)
        #expect(report.findings.isEmpty)
        classes.own = [NibClassList(Array(classes.own[0].entries.prefix(500)))]
        #expect(classes.faults.isEmpty && !classes.declared.isTooLarge)
    }

    /// A class may require an outlet that its superclass only declares; the superclass goes on without.
    @Test func aClassRequiresWhatItsSuperclassDeclares() throws {
        let classes = Self.classes(
            Self.entry("Base") { entry in
                entry.outlets = ["next": "*"]
                entry.elements = ["view"]
            },
            Self.entry("Big") { entry in
                entry.superclass = "Base"
                entry.required = ["next"]
            })
        let nib = "<view id=\"a\"/><view id=\"b\" customClass=\"Big\"/>"
        let report = try Self.inspection(nib).report(classes: classes)
        #expect(report.findings.map(\.message) == ["The required outlet “next” of “Big” is not connected."])
        #expect(report.declared.map(\.member.className) == ["Base"])
    }

    @Test(.fault(735)) func aTypeIsReadOnceAndWithoutRecursion() {
        let optional = DeclaredNibClasses.acceptor("Int" + String(repeating: "?", count: 100_000))
        #expect(optional(.none) && optional(.integer(1)) && !optional(.string("x")))
        let marks = DeclaredNibClasses.acceptor(String(repeating: "?", count: 3))
        #expect(marks(.none))
        let cases = DeclaredNibClasses.acceptor("Enum(\((0..<50_000).map(String.init).joined(separator: "|")))")
        #expect((0..<50_000).allSatisfy { cases(.string("\($0)")) } && !cases(.string("50000")) && !cases(.none))
    }

    // MARK: 736

    @Test(.fault(736)) func anObjectHasAnyNumberOfOutletsCollectionsAndEvents() throws {
        let count = 6_000
        let block = Self.entry("Block") { entry in
            entry.elements = ["view"]
            entry.actions = ["open": ""]
            for number in 0..<count {
                entry.outlets["o\(number)"] = "*"
                entry.collections["c\(number)"] = "*"
                entry.events["e\(number)"] = "many"
            }
        }
        let connections = (0..<count).flatMap { number in
            [
                "<outlet property=\"o\(number)\" destination=\"a\" id=\"p\(number)\"/>",
                "<outletCollection property=\"c\(number)\" destination=\"a\" id=\"q\(number)\"/>",
                "<action selector=\"open\" target=\"a\" eventType=\"e\(number)\" id=\"r\(number)\"/>",
            ]
        }
        func nib(_ more: String) -> String {
            "<view id=\"a\"><connections>\(connections.joined())\(more)</connections></view>"
        }
        let classes = Self.classes(block)
        let report = try Self.inspection(nib("")).report(classes: classes)
        #expect(report.findings.isEmpty && report.connected.count == 2 * count + 1)
        // One that is connected twice is found among all of them: the first, one in the middle, the last.
        for number in [0, 15, 16, 17, count - 1] {
            let twice = "<outlet property=\"o\(number)\" destination=\"a\" id=\"again\"/>"
            let found = try Self.inspection(nib(twice)).report(classes: classes).findings
            #expect(found.map(\.subject) == ["o\(number)"])
        }
    }

    // MARK: 739

    /// `fuzz nibsizes` makes such nibs of any size and measures them.
    @Test(.fault(739), arguments: NibText.largeShapes)
    func aLargeNibIsCheckedLikeASmallOne(shape: String) throws {
        let inspection = try Self.inspection(NibText.large(shape))
        let classes = Self.classes(Self.entry("Block") { $0.elements = ["view"] })
        let report = inspection.report(classes: classes)
        #expect(report.findings.count <= 202 && report.unknownClasses.count <= 101)
        #expect(!inspection.shape.isEmpty && !inspection.hasObject(ofKey: "nobody.title"))
        _ = try? inspection.texts(classes: classes)
    }

    // MARK: 737, 738

    @Test(.fault(737)) func aTextWhoseKeyIsTooLongIsNotTranslated() throws {
        let key = String(repeating: "k", count: 300)
        func nested(_ depth: Int) -> String {
            var text = "<view id=\"top\">"
            for _ in 0..<depth { text += "<view key=\"\(key)\" title=\"Hello\">" }
            return text + String(repeating: "</view>", count: depth + 1)
        }
        let block = Self.classes(
            Self.entry("Block") { entry in
                entry.elements = ["view"]
                entry.attributes = ["title": "String"]
                entry.outlets = [key: "*"]
            })
        let few = try Self.inspection(nested(3)).texts(classes: block)
        #expect(few.texts.count == 3 && few.findings.isEmpty)
        let many = try Self.inspection(nested(100)).texts(classes: block)
        #expect(many.texts.map(\.id.utf8.count) == [304, 605, 906])
        // Fault 856: none of the others is left out in silence.
        #expect(many.findings.count == 97)
        #expect(many.findings.allSatisfy { $0.severity == .warning && $0.code == .nibAttributeInvalid })
        #expect(many.findings[0].message.contains("more than 1024 bytes") && many.findings[0].place != nil)
    }

    /// The whole key counts, with the attribute's name.
    @Test(.fault(856), arguments: [1_018, 1_019])
    func aTextWhoseKeyIsOneByteTooLongIsAWarning(length: Int) throws {
        let id = String(repeating: "i", count: length)
        let block = Self.classes(
            Self.entry("Block") { entry in
                entry.elements = ["view"]
                entry.attributes = ["title": "String"]
            })
        let texts = try Self.inspection("<view id=\"\(id)\" title=\"Hello\"/>").texts(classes: block)
        #expect(texts.texts.count == (length == 1_018 ? 1 : 0) && texts.findings.count == 1 - texts.texts.count)
        #expect(texts.findings.allSatisfy { $0.remedy.contains("a shorter one") && $0.subject == "title" })
    }

    @Test(.fault(738)) func namesInMessagesAreShortened() throws {
        let long = String(repeating: "n", count: 500_000)
        let nib = "<view id=\"a\" customClass=\"\(long)\" \(String(repeating: "m", count: 900))=\"1\"/>"
        let several = nib + NibText.objects(300, " customClass=\"\(long.prefix(9_000))\"")
        let declared = Self.classes(
            Self.entry(long) { entry in
                entry.outlets = [long: long]
                entry.required = [long]
            })
        let findings = try Self.inspection(several).report(classes: declared)
        let all = findings.findings + findings.unknownClasses + findings.notes
        #expect(all.count == 3)
        for finding in all {
            #expect((finding.message + finding.remedy + (finding.subject ?? "")).utf8.count < 30_000)
        }
    }
}
