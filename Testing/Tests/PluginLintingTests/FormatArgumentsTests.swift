import Testing

@_spi(Tools) @testable import PluginLinting

@Suite struct FormatArgumentsTests {
    @Test func plainAndNumberedPlaceholdersAreEqual() {
        #expect(FormatArguments("%@ of %d").kinds == [1: .object, 2: .integer])
        #expect(FormatArguments("%2$d von %1$@").kinds == [1: .object, 2: .integer])
        #expect(FormatArguments("%1#@count@").variables.map(\.argument) == [1])
    }

    @Test(
        arguments: [
            ("%@", .object), ("%d", .integer), ("%5.2lld", .integer), ("%-08x", .integer), ("%hhu", .integer),
            ("%zd", .integer), ("%+.3f", .double), ("%Lg", .double), ("%c", .character), ("%C", .character),
            ("%s", .text), ("%p", .pointer), ("%'d", .integer),
        ] as [(String, FormatArguments.Kind)])
    func eachConversionHasItsKind(format: String, kind: FormatArguments.Kind) {
        #expect(FormatArguments(format).kinds == [1: kind])
    }

    @Test func twoPercentSignsAreNotAPlaceholder() {
        let arguments = FormatArguments("100%% of %@")
        #expect(arguments.kinds == [1: .object])
        #expect(arguments.strayPercents == 0)
    }

    @Test(arguments: ["100 % of", "100% der", "50 %", "%", "%y", "%0$@", "%1$", "%#@", "%#@@"])
    func aPercentSignThatBeginsNothingIsStray(text: String) {
        let arguments = FormatArguments(text)
        #expect(arguments.isEmpty)
        #expect(arguments.strayPercents >= 1)
    }

    @Test func widthsThatAreArgumentsCount() {
        #expect(FormatArguments("%*d").kinds == [1: .integer, 2: .integer])
        #expect(FormatArguments("%.*f").kinds == [1: .integer, 2: .double])
        #expect(FormatArguments("%3$*1$.*2$f").kinds == [1: .integer, 2: .integer, 3: .double])
    }

    @Test func variablesOfPluralRulesAreFound() {
        let arguments = FormatArguments("%#@files@ in %2$#@folders@")
        #expect(arguments.variables == [.init(name: "files", argument: 1), .init(name: "folders", argument: 2)])
    }

    @Test func namesInBracesAreFound() {
        #expect(FormatArguments("{host} {a.b} { } {} {x y} {open").names == ["host", "a.b"])
    }

    @Test func mixedAndConflictingPlaceholdersAreNoticed() {
        #expect(FormatArguments("%1$@ %@").isMixed)
        #expect(!FormatArguments("%1$@ %2$@ %%").isMixed)
        #expect(FormatArguments("%1$@ %1$d").conflicts == [1])
    }

    @Test func anEnormousNumberBeginsNoPlaceholder() {
        #expect(FormatArguments("%99999999999999999999$@").strayPercents == 1)
    }

    @Test(arguments: [
        ("d", FormatArguments.Kind.integer), ("lu", .integer), (".2f", .double), ("@", .object), ("%ld", .integer),
    ])
    func aVariableHasTheKindOfItsType(type: String, kind: FormatArguments.Kind) {
        #expect(FormatArguments.kind(ofType: type) == kind)
    }

    @Test(arguments: ["%Y-%m-%d", "%A, %e. %B %Y", "%H:%M:%S", "%-d %b", "%1d.%m.%y, 100%%"])
    func aDatesPatternTakesNothing(text: String) {
        let arguments = FormatArguments(text)
        #expect(arguments.isDate && arguments.isEmpty && arguments.strayPercents == 0)
    }

    @Test(arguments: ["%d of %d", "%1$d.%2$d", "%d %@", "%.1f %B", "%@ %y"]) func aFormatIsNotAPatternOfDates(
        text: String
    ) {
        #expect(!FormatArguments(text).isDate)
    }

    @Test func plainPlaceholdersCountFromTheFirst() {
        #expect(FormatArguments("%1$@ and %ld", from: 2).kinds == [1: .object, 2: .integer])
    }

    @Test(arguments: ["", "x y", "dd", "*d", "%%d", "1$d"]) func otherTypesHaveNone(type: String) {
        #expect(FormatArguments.kind(ofType: type) == nil)
    }
}
