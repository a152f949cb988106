import CBareCalls
import Measuring
import PluginABI
import PluginHost

enum Voice: String, SettingValue { case low, high }

/// Reading values, relative to a look-up in a dictionary with the same 20 keys.
struct Reading {
    private let settings: PluginSettings
    private let numbers: [String: Double]
    private let texts: [String: String]

    private static let keys = (0..<5).flatMap { ["wordsPerMinute\($0)", "count\($0)", "name\($0)", "voice\($0)"] }
    private static let real = Setting<Double>("wordsPerMinute3", default: 0)
    private static let integer = Setting<Int>("count3", default: 0)
    private static let text = Setting<String>("name3", default: "")
    private static let voice = Setting<Voice>("voice3", default: .low)

    /// Look-ups in each measurement.
    private static let count = 20_000

    init(_ folder: SettingsFolder) throws {
        let elements = (0..<5).map {
            """
            { Type = PSSliderSpecifier; Key = "wordsPerMinute\($0)"; DefaultValue = <*R0.5>; },
            { Type = PSTextFieldSpecifier; Key = "count\($0)"; DefaultValue = <*I3>; },
            { Type = PSTextFieldSpecifier; Key = "name\($0)"; DefaultValue = "a name that is not short"; },
            { Type = PSMultiValueSpecifier; Key = "voice\($0)"; Values = (low, high); Titles = (Low, High); }
            """
        }
        guard let settings = try folder.bundle("Reading", elements.joined(separator: ",")).settings else {
            throw Child.Failure(description: "the bundle has no settings")
        }
        self.settings = settings
        numbers = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, 0.5) })
        texts = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, "a name that is not short") })
        guard settings[Self.real] == 0.5, settings[Self.integer] == 3, settings[Self.voice] == .low else {
            throw Child.Failure(description: "the settings have other values")
        }
    }

    func figures(rounds: Int) -> [Figure] {
        let bodies: [() -> Double] = [
            { numbers[Self.real.key] ?? 0 }, { settings[Self.real] },
            { Double(settings[Self.integer]) }, { Double((texts[Self.text.key] ?? "").utf8.count) },
            { Double(settings[Self.text].utf8.count) }, { settings[Self.voice] == .low ? 1 : 0 },
        ]
        var least = bodies.map { _ in Double.infinity }
        var sum = 0.0
        for _ in 0..<max(3, rounds / 10) {
            for (index, body) in bodies.enumerated() {
                let start = now()
                for _ in 0..<Self.count { sum += body() }
                least[index] = min(least[index], Double(now() - start) / Double(Self.count))
            }
        }
        let before = bare_allocations()
        for _ in 0..<1_000 { sum += settings[Self.real] + Double(settings[Self.integer]) }
        let allocations = Double(bare_allocations() - before) / 1_000
        precondition(sum > 0)
        return [
            Figure("a look-up of a number in a dictionary", least[0], "ns"),
            Figure("a real", least[1] / least[0], goal: 1.2),
            Figure("a whole number", least[2] / least[0], goal: 1.2),
            Figure("a text (a look-up of a text = 1)", least[4] / least[3], goal: 1.2),
            Figure("an enumeration (a look-up of a text = 1)", least[5] / least[3], goal: 1.5),
            Figure("allocations for a number", allocations, Figure.count, goal: 0),
        ]
    }
}

/// From a bundle to the settings, with 100 keys and a file with a value for each.
struct FirstUse {
    private let folder: SettingsFolder

    init(_ folder: SettingsFolder) { self.folder = folder }

    func figures(rounds: Int) throws -> [Figure] {
        let elements = (0..<100).map {
            "{ Type = PSTextFieldSpecifier; Key = key\($0); Title = \"Key \($0)\"; DefaultValue = <*I\($0)>; }"
        }
        try folder.store("{ Settings = { \((0..<100).map { "key\($0) = 7; " }.joined())}; }", for: "First")
        var times: [Double] = []
        for round in 0..<max(5, min(100, rounds / 10)) {
            // Each has its own directory, and so its own object.
            let bundle = try folder.bundle("First\(round)", identifier: "First", elements.joined(separator: ","))
            let start = now()
            let settings = try bundle.settings
            let value = settings?[Setting<Int>("key99", default: 0)]
            times.append(Double(now() - start) / 1_000)
            guard value == 7 else { throw Child.Failure(description: "the settings have other values") }
        }
        return [Figure("first use of 100 keys", times.sorted()[times.count / 2], "us", goal: 2_000)]
    }
}
