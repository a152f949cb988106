import HostBasics
@_spi(PluginHost) import PluginABI
import Testing

@_spi(Tools) @testable import PluginHost

/// Nibs and lists of classes that are large in one way; numbers are those of docs/faults.md.
@Suite struct NibSizeFaults {
    /// `count` objects of a class without connections.
    private static func objects(_ count: Int, _ attributes: String = "") -> String {
        (0..<count).map { "<view id=\"v\($0)\"\(attributes)/>" }.joined(separator: "\n")
    }

    private static func inspection(_ objects: String) throws -> NibInspection {
        try NibInspection(Array(NibWorld.document(objects).utf8), named: "/T.xib")
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

    /// Fault 730: each reader of a nib reports the limit, and nothing else.
    @Test(arguments: ["objects", "connections"])
    func fault730_aNibOverALimitIsOneFindingForEveryReader(limit: String) throws {
        let actions = (0...20_000).map { "<action selector=\"x\" target=\"gone\" id=\"c\($0)\"/>" }.joined()
        let nib =
            limit == "objects"
            ? Self.objects(4_097) : "<view id=\"a\" title=\"b\"><connections>\(actions)</connections></view>"
        let world = try NibWorld()
        let error = try world.error(nib)
        let inspection = try Self.inspection(nib)
        #expect(inspection.counts.objects == (limit == "objects" ? 4_097 : 1))
        let declared = Self.classes(Self.entry("Block") { $0.elements = ["view"] })
        let reports = [NibInspection.Classes(), declared].map { inspection.report(classes: $0, in: nil) }
        #expect(reports.allSatisfy { $0.isRefused && $0.notes.isEmpty && $0.declared.isEmpty })
        let texts = #expect(throws: PluginError.self) { try inspection.texts(classes: NibInspection.Classes()) }
        let code = inspection.findings(withCodeOf: world.bundle)
        #expect(code.unknownClasses.isEmpty)
        let all = [error.findings, texts?.findings ?? [], code.findings] + reports.map(\.findings)
        for findings in all {
            try #require(findings.count == 1)
            #expect(findings[0].code == .nibUnreadable && findings[0].message.contains("the limit is"))
            #expect(findings[0].remedy.contains("--max-\(limit)"))
        }
        #expect(all.allSatisfy { $0[0].place == all[0][0].place } && all[0][0].place != nil)
    }

    /// Fault 730: what the caller gives is not made.
    @Test func fault730_placeholdersDoNotCountAsObjects() throws {
        let placeholders = (0..<5_000).map { "<placeholder placeholderIdentifier=\"P\($0)\" id=\"p\($0)\"/>" }.joined()
        let made = try NibWorld().nib(placeholders + Self.objects(4_096)).instantiate()
        #expect(made.objects.count == 4_096)
    }

    /// Fault 730.
    @Test func fault730_theApplicationRaisesTheLimit() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.nibLimits.objects = 5_000
            let nib = NibSizeFaults.objects(5_000)
            let made = try NibWorld().nib(nib).instantiate()
            #expect(made.objects.count == 5_000)
            let inspection = try NibSizeFaults.inspection(nib)
            #expect(inspection.report(classes: NibInspection.Classes(), in: nil).findings.isEmpty)
        }
    }

    // MARK: 731

    /// Fault 731: every name is far from every other.
    @Test func fault731_suggestionsForAWholeReportHaveOneBudget() {
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

    /// Fault 731.
    @Test func fault731_longNamesAreNotCompared() throws {
        let long = String(repeating: "x", count: 200_000)
        var suggestions = NameSuggestions()
        #expect(suggestions.names(near: long + "a", among: [long + "b"]).isEmpty)
        #expect(suggestions.names(near: "label", among: [long, "lable"]) == ["lable"])
        #expect(NameSuggestions.mostSteps - suggestions.steps < 100)
        let error = try NibWorld().error(
            "<view id=\"\(long)a\"/><view id=\"b\"><connections><outlet property=\"next\" destination=\"\(long)b\" id=\"c\"/></connections></view>"
        )
        #expect(error.code == .nibReferenceInvalid && error.findings.count == 1)
        #expect(error.description.utf8.count < 20_000)
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

    /// Fault 858: names of real applications, of which both exist.
    @Test(arguments: [
        ("ExportController", "ImportController"), ("MPEntryView", "MPEntryViews"), ("DVRDecoder", "DVREncoder"),
        ("GitModule", "GitModules"), ("OAuthController", "AuthController"), ("CSTextView", "CSSTextView"),
        ("IssueWebView", "IssueWeb2View"), ("NSObject", "QSObject"), ("GPBInt32Array", "GPBUInt32Array"),
        ("MIDINoteOff", "MIDINoteOn"), ("Sequence", "Sequencer"), ("TableView", "NSTableView"), ("Table", "Cable"),
        ("Cart", "Crat"), ("FieldDescriptor", "FileDescriptor"),
    ])
    func fault858_aSimilarNameIsNoSlip(one: String, other: String) {
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

    // MARK: 732, 733

    /// Fault 732.
    @Test func fault732_theMessageOfAFindingThatIsNotListedIsNotMade() {
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

    /// Fault 732: a million required outlets are counted, not looked for.
    @Test func fault732_furtherFindingsAreCounted() throws {
        let inspection = try Self.inspection(Self.objects(1_000))
        let block = Self.entry("Block") { entry in
            entry.elements = ["view"]
            for number in 0..<1_000 { entry.outlets["outlet\(number)"] = "*" }
            entry.required = Set(entry.outlets.keys)
        }
        let report = inspection.report(classes: Self.classes(block), in: nil)
        #expect(report.findings.count == 101)
        #expect(report.findings[0].code == .nibOutletUnconnected && report.findings[0].subject == "outlet0")
        #expect(report.findings[100].message.hasPrefix("999900 more problems"))
    }

    /// Fault 733: what the application may have displaces no error, and neither do warnings.
    @Test func fault733_errorsAreListedAfterAnyNumberOfOtherFindings() throws {
        let unknown = (0..<300).map { "<x\($0) id=\"x\($0)\"/>" }.joined(separator: "\n")
        let loose = "<view id=\"p\">" + (0..<300).map { "<view id=\"l\($0)\"/>" }.joined() + "</view>"
        let nib =
            unknown + loose
            + "<view id=\"last\"><connections><outlet property=\"gone\" destination=\"last\" id=\"c\"/></connections></view>"
        let report = try Self.inspection(nib).report(
            classes: Self.classes(Self.entry("Block") { $0.elements = ["view"] }), in: nil)
        #expect(report.findings.filter { $0.severity == .error }.map(\.code) == [.nibOutletInvalid])
        #expect(report.findings.count == 1 + 100 + 1)
        #expect(report.unknownClasses.count == 101)
        // With the application's list they are errors as the other one, in the order of the file.
        var known = Self.classes(Self.entry("Block") { $0.elements = ["view"] })
        known.application = [NibClassList([])]
        let strict = try Self.inspection(nib).report(classes: known, in: nil)
        #expect(strict.unknownClasses.isEmpty && strict.findings[0].code == .nibClassMissing)
        #expect(strict.findings[100].message.hasPrefix("201 more problems"))
    }

    /// Fault 733: a class that is named a hundred times leaves room for the others.
    @Test func fault733_eachUnknownClassIsListedOnce() throws {
        let nib = Self.objects(500) + "<dial id=\"d\"/>"
        let report = try Self.inspection(nib).report(classes: Self.classes(Self.entry("Card")), in: nil)
        #expect(report.unknownClasses.map(\.subject) == ["view", "dial"])
    }

    // MARK: 734, 735

    /// Fault 734.
    @Test(arguments: [1, 2, 3, 20_000])
    func fault734_aCircleOfSuperclassesIsReportedForEachClassUpToAHundred(length: Int) {
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

    /// Fault 734: nothing is copied for a class that adds nothing.
    @Test func fault734_whatIsInheritedIsShared() {
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

    /// Fault 734.
    @Test func fault734_aLongLineOfSuperclassesIsOneFault() throws {
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
        let report = try Self.inspection(Self.objects(3)).report(classes: classes, in: nil)
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
        let report = try Self.inspection(nib).report(classes: classes, in: nil)
        #expect(report.findings.map(\.message) == ["The required outlet “next” of “Big” is not connected."])
        #expect(report.declared.map(\.member.className) == ["Base"])
    }

    /// Fault 735.
    @Test func fault735_aTypeIsReadOnceAndWithoutRecursion() {
        let optional = DeclaredNibClasses.acceptor("Int" + String(repeating: "?", count: 100_000))
        #expect(optional(.none) && optional(.integer(1)) && !optional(.string("x")))
        let marks = DeclaredNibClasses.acceptor(String(repeating: "?", count: 3))
        #expect(marks(.none))
        let cases = DeclaredNibClasses.acceptor("Enum(\((0..<50_000).map(String.init).joined(separator: "|")))")
        #expect((0..<50_000).allSatisfy { cases(.string("\($0)")) } && !cases(.string("50000")) && !cases(.none))
    }

    // MARK: 736

    /// Fault 736.
    @Test func fault736_anObjectHasAnyNumberOfOutletsCollectionsAndEvents() throws {
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
        let report = try Self.inspection(nib("")).report(classes: classes, in: nil)
        #expect(report.findings.isEmpty && report.connected.count == 2 * count + 1)
        // One that is connected twice is found among all of them: the first, one in the middle, the last.
        for number in [0, 15, 16, 17, count - 1] {
            let twice = "<outlet property=\"o\(number)\" destination=\"a\" id=\"again\"/>"
            let found = try Self.inspection(nib(twice)).report(classes: classes, in: nil).findings
            #expect(found.map(\.subject) == ["o\(number)"])
        }
    }

    // MARK: 739

    /// Fault 739; `fuzz nibsizes` makes such nibs of any size and measures them.
    @Test(arguments: ["small", "deep", "lost", "equal", "long"])
    func fault739_aLargeNibIsCheckedLikeASmallOne(shape: String) throws {
        let long = String(repeating: "n", count: 50_000)
        let nib =
            switch shape {
            case "small": (0..<8_000).map { "<x\($0) id=\"v\($0)\"/>" }.joined()
            case "deep":
                // Only the outermost one has an id, without which nothing is an object whose class is unknown.
                (0..<20).map {
                    "<view id=\"v\($0)\">" + String(repeating: "<view key=\"k\" title=\"t\">", count: 120)
                        + String(repeating: "</view>", count: 121)
                }.joined()
            case "lost": (0..<3_000).map { "<a><b><view id=\"v\($0)\"/></b></a>" }.joined()
            case "equal": String(repeating: "<view id=\"\(long)\"/>", count: 20)
            default: String(repeating: "<view id=\"v\" \(long.prefix(1_000))=\"\(long)\"/>", count: 10)
            }
        let inspection = try Self.inspection(nib)
        let classes = Self.classes(Self.entry("Block") { $0.elements = ["view"] })
        let report = inspection.report(classes: classes, in: nil)
        #expect(report.findings.count <= 202 && report.unknownClasses.count <= 101)
        #expect(!inspection.shape.isEmpty && !inspection.hasObject(ofKey: "nobody.title"))
        _ = try? inspection.texts(classes: classes)
        #expect(throws: PluginError.self) { try NibWorld(classes: []).nib(nib).instantiate() }
    }

    // MARK: 737, 738

    /// Fault 737.
    @Test func fault737_aTextWhoseKeyIsTooLongIsNotTranslated() throws {
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

    /// Fault 856: the whole key counts, with the attribute's name.
    @Test(arguments: [1_018, 1_019])
    func fault856_aTextWhoseKeyIsOneByteTooLongIsAWarning(length: Int) throws {
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

    /// Fault 738.
    @Test func fault738_namesInMessagesAreShortened() throws {
        let long = String(repeating: "n", count: 500_000)
        let nib = "<view id=\"a\" customClass=\"\(long)\" \(String(repeating: "m", count: 900))=\"1\"/>"
        let several = nib + Self.objects(300, " customClass=\"\(long.prefix(9_000))\"")
        let declared = Self.classes(
            Self.entry(long) { entry in
                entry.outlets = [long: long]
                entry.required = [long]
            })
        var findings = try Self.inspection(several).report(classes: declared, in: nil)
        findings.findings += try NibWorld().error(several).findings
        let all = findings.findings + findings.unknownClasses + findings.notes
        #expect(all.count > 100)
        for finding in all {
            #expect((finding.message + finding.remedy + (finding.subject ?? "")).utf8.count < 30_000)
        }
    }
}
