@_spi(PluginHost) import PluginABI
import Testing

@Suite struct SettingsStorageTests {
    /// A key of each length that a Settings.bundle may declare, and keys that differ in one byte only.
    private static let keys =
        (1...128).map { String(repeating: "k", count: $0) } + (0..<128).map { "settings.group.\($0).on" }

    @Test func eachOf256KeysHasItsOwnValue() {
        let values = Dictionary(
            uniqueKeysWithValues: Self.keys.enumerated().map { ($1, SettingScalar.integer($0)) })
        let storage = SettingsStorage(values)
        for (number, key) in Self.keys.enumerated() { #expect(storage.value(key) == .integer(number), "\(key)") }
        #expect(storage.all == values)
        for key in [
            "", "l", "kl", "K", String(repeating: "k", count: 129), "settings.group.128.on", "settings.group.1.off",
        ] {
            #expect(storage.value(key) == nil, "\(key)")
        }
        #expect(SettingsStorage([:]).value("k") == nil && SettingsStorage([:]).all.isEmpty)
    }

    /// The two spellings of “é” are equal for Swift, and so for the lists.
    @Test func aKeyIsFoundInEverySpellingThatIsEqual() {
        let storage = SettingsStorage(["caf\u{E9}": .text("black")])
        #expect(storage.value("cafe\u{301}") == .text("black") && storage.value("cafe") == nil)
    }

    @Test func aChangeHasTheDeclaredTypeOrNoEffect() {
        let storage = SettingsStorage(["rate": .real(1), "name": .text("a"), "on": .boolean(false)])
        let changed = storage.apply([
            "rate": .integer(2), "name": .text("b"), "on": .boolean(false), "none": .integer(1),
        ])
        #expect(changed == ["name"])
        #expect(storage.all == ["rate": .real(1), "name": .text("b"), "on": .boolean(false)])
    }
}
