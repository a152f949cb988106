import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// The generations of a bundle that carries a library: each has the library that it was built with.
@Suite(.timeLimit(.minutes(3))) struct OwnNamesReloadTests {
    private func numbers(_ generations: PluginGenerations, _ function: String = "part") throws -> Int {
        try generations.use { bundle in
            try bundle.loadAndReturnError()
            return try bundle.number(function)
        }
    }

    @Test(.fault(713)) func aReloadWithOnlyANewLibraryUsesIt() throws {
        let fixture = try CarrierFixture("Newer", carrying: "libnewer.so.1", CarrierFixture.source(1))
        let generations = PluginGenerations(path: fixture.path)
        #expect(try numbers(generations) == 1 && numbers(generations, "next_number") == 1)
        guard case .unchanged = generations.reload(at: fixture.path) else {
            Issue.record("the edited copy counts as other code")
            return
        }
        try fixture.install(CarrierFixture.built("libnewer.so.1", CarrierFixture.source(2)))
        guard case .replaced(let next) = generations.reload(at: fixture.path) else {
            Issue.record("it was not replaced")
            return
        }
        #expect(try numbers(generations) == 2 && numbers(generations, "next_number") == 1)
        #expect(next.bundle.hasOwnNames && next.bundle.originalPath == fixture.path)
    }

    @Test(.fault(714)) func aReloadMayNeedASymbolThatOnlyTheNewLibraryHas() throws {
        let fixture = try CarrierFixture("Symbol", carrying: "libsymbol.so.1", CarrierFixture.source(1))
        let generations = PluginGenerations(path: fixture.path)
        #expect(try numbers(generations) == 1)
        let built = try CarrierFixture.built(
            "libsymbol.so.1", CarrierFixture.source(2) + "int added(void) { return 5; }")
        try fixture.install(built)
        try fixture.install(functions: ["part", "added"], linkedWith: [built])
        guard case .replaced = generations.reload(at: fixture.path) else {
            Issue.record("it was not replaced")
            return
        }
        #expect(try numbers(generations, "added") == 5)
    }

    @Test(.fault(715)) func aHundredGenerationsHaveAHundredLibrariesAndNoCopiesLeft() throws {
        let fixture = try CarrierFixture("Hundred", carrying: "libhundred.so.1", CarrierFixture.source(0))
        let generations = PluginGenerations(path: fixture.path)
        #expect(try numbers(generations) == 0)
        let base = try OpenedFile(path: CarrierFixture.built("libhundred.so.1", CarrierFixture.source(1)))
            .bytes(atMost: 1 << 20)
        var copies: Set<String> = []
        for generation in 1...100 {
            // Another file with the same code: the bytes after the end of an ELF file mean nothing.
            try fixture.tree.write(
                "Hundred.bundle/Contents/Frameworks/new", bytes: base + [UInt8](repeating: 0, count: generation))
            try fixture.tree.rename(
                "Hundred.bundle/Contents/Frameworks/new", to: "Hundred.bundle/Contents/Frameworks/libhundred.so.1")
            guard case .replaced(let next) = generations.reload(at: fixture.path) else {
                Issue.record("generation \(generation) was not made")
                return
            }
            // A static variable of an earlier library would go on counting.
            #expect(try numbers(generations, "next_number") == 1)
            if let copy = next.bundle.mappedCode?.copy { copies.insert(copy.path) }
            generations.removeEndedCopies()
        }
        #expect(copies.count == 100)
        #expect(copies.filter { FileIdentity(path: $0) != nil }.count == 1)
    }
}
