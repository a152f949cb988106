import TestSupport
import Testing

@testable import PluginHost

@Suite("The table of bundles")
struct BundleTableTests {
    /// The dynamic linker maps each image below the one before it, mostly but not always.
    @Test func imagesAreFoundInWhateverOrderTheyCame() {
        var random = SeededGenerator(seed: 4)
        for order in [Array(1...200), (1...200).reversed(), (1...200).shuffled(using: &random)] {
            let table = BundleTable()
            for number in order {
                #expect(table.claimLibrary(base: UInt(number) * 4096, for: .main) == nil)
            }
            for number in order {
                #expect(table.bundle(libraryBase: UInt(number) * 4096) === PluginBundle.main)
                #expect(table.bundle(libraryBase: UInt(number) * 4096 + 1) == nil)
                #expect(table.claimLibrary(base: UInt(number) * 4096, for: .main) === PluginBundle.main)
            }
            #expect(table.bundle(libraryBase: 0) == nil)
            #expect(table.libraryBases == (1...200).reversed().map { $0 * 4096 })
        }
    }
}
