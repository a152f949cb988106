import Dispatch
import HostBasics
@_spi(PluginHost) import PluginABI
import SettingsReading
import TestSupport

@testable import PluginHost

enum Voice: String, SettingValue { case low, high }
enum Level: Int, SettingValue { case one = 1, two }

extension Setting where Value == Double { static var rate: Self { .init("rate", default: -1) } }
extension Setting where Value == Bool { static var on: Self { .init("on", default: true) } }
extension Setting where Value == Int { static var count: Self { .init("count", default: -1) } }
extension Setting where Value == String { static var name: Self { .init("name", default: "nobody") } }
extension Setting where Value == Voice { static var voice: Self { .init("voice", default: .low) } }
extension Setting where Value == Level { static var level: Self { .init("level", default: .one) } }

/// What the plug-in of the tests does with its settings, wherever it runs.
struct SettingsUse {
    private static let seen = Lock<[Set<String>]>([])
    private let settings: PluginSettings

    init(_ context: PluginContext) { settings = context.settings }

    /// Does what a text says: “settings all”, “settings set rate 0.5”.
    func perform(_ what: String) throws -> String {
        let words = what.split(separator: " ").map(String.init)
        switch words[1] {
        case "all":
            return "\(settings[.rate]) \(settings[.on]) \(settings[.count]) \(settings[.name]) \(settings[.voice])"
        case "set":
            do { try set(words[2], words[3]) } catch { return "\(error)" }
            return "\(settings[.rate])"
        case "set-elsewhere":
            // No call of the host is under way on this thread.
            let result = Reply<String>()
            _ = DetachedThread.start { result.give((try? perform("settings set \(words[2]) \(words[3])")) ?? "") }
            return result.wait()
        case "set-name":
            do { try settings.set(.name, to: String(repeating: "x", count: Int(words[2])!)) } catch {
                return "\(error)"
            }
            return "stored"
        case "long-key":
            let key = String(repeating: "k", count: Int(words[2])!)
            do { try settings.set(Setting<Int>(key, default: 0), to: 1) } catch { return "\(error)" }
            return "stored"
        case "reset":
            try settings.reset(.rate)
            return "\(settings[.rate])"
        case "many":
            for number in 0..<Int(words[2])! {
                _ = try? settings.set(Setting<Int>("undeclared\(number)", default: 0), to: number)
            }
            return "done"
        case "flood": return flood()
        case "watch":
            let changes = settings.changes.makeAsyncIterator()
            Task {
                var changes = changes
                while let change = await changes.next() { Self.seen.withLock { $0.append(change.keys) } }
                Self.seen.withLock { $0.append(["over"]) }
            }
            return "watching"
        default: return Self.seen.withLock { "\($0.map { $0.sorted() })" }
        }
    }

    /// Forges changes without a pause for two seconds, on this thread and on one of its own.
    ///
    /// - Returns: how many of them the host has answered.
    private func flood() -> String {
        let answered = Lock(0)
        let end = ContinuousClock.now + .seconds(2)
        @Sendable func forge() {
            while ContinuousClock.now < end {
                do { try settings.set(Setting<Int>("undeclared", default: 0), to: 1) } catch {
                    guard "\(error)".contains("does not declare the setting") else { return }
                    answered.withLock { $0 += 1 }
                }
            }
        }
        let done = DispatchGroup()
        DispatchQueue(label: "flood").async(group: done) { forge() }
        forge()
        done.wait()
        return "\(answered.withLock(\.self))"
    }

    private func set(_ key: String, _ value: String) throws {
        if let number = Double(value) {
            try settings.set(Setting<Double>(key, default: 0), to: number)
        } else {
            try settings.set(Setting<String>(key, default: ""), to: value)
        }
    }
}

/// A Settings.bundle of the tests.
enum SettingsSource {
    static let elements = """
        { Type = PSGroupSpecifier; Title = Speech; FooterText = "How it reads"; },
        { Type = PSSliderSpecifier; Key = rate; DefaultValue = <*R0.5>; },
        { Type = PSToggleSwitchSpecifier; Key = on; Title = On; },
        { Type = PSTextFieldSpecifier; Key = count; DefaultValue = <*I3>; MinimumValue = <*I0>; Title = Count; },
        { Type = PSTextFieldSpecifier; Key = name; Title = Name; },
        { Type = PSMultiValueSpecifier; Key = voice; Values = (low, high); Titles = (Low, High); Title = Voice; },
        { Type = PSTextFieldSpecifier; Key = password; IsSecure = <*BY>; },
        { Type = PSTitleValueSpecifier; Key = level; DefaultValue = <*I2>; }
        """

    static func root(_ elements: String = Self.elements) -> String {
        "{ StringsTable = Root; PreferenceSpecifiers = (\(elements)); }"
    }
}

/// The settings of a bundle without code, and the files of all layers.
struct SettingsHost {
    let tree: TemporaryTree
    let bundle: PluginBundle
    let files: FileSettings
    let settings: PluginSettings

    init(_ elements: String = SettingsSource.elements, tree: TemporaryTree? = nil) throws {
        self.tree = try tree ?? TemporaryTree()
        try self.tree.write(
            "P.bundle/Contents/Info.plist", "{ CFBundleIdentifier = \"org.example.p\"; CFBundleDisplayName = Pea; }")
        try self.tree.write(
            "P.bundle/Contents/Resources/Settings.bundle/Root.plist", SettingsSource.root(elements))
        bundle = try PluginBundle.open(path: self.tree("P.bundle"))
        let texts = try PluginBundle.open(path: self.tree("P.bundle/Contents/Resources/Settings.bundle"))
        files = FileSettings(
            bundlePath: bundle.bundlePath, identifier: "org.example.p",
            schema: BundleSettings.schema(of: texts, in: bundle),
            places: Self.places(self.tree), texts: texts)
        settings = files.audience.makeHandle(files)
    }

    static func places(_ tree: TemporaryTree) -> SettingsPlaces {
        let places = [
            "XDG_DATA_DIRS": tree("data"), "XDG_CONFIG_DIRS": tree("etc"), "XDG_CONFIG_HOME": tree("home"),
        ]
        return SettingsPlaces(
            of: "org.example.p", in: "app", UserDirectories { places[$0] }, locksIn: tree("root"))
    }

    func write(_ directory: String, _ list: String) throws {
        try tree.write("\(directory)/app/settings/org.example.p.plist", list)
    }

    func path(_ directory: String) -> String { tree("\(directory)/app/settings/org.example.p.plist") }

    func text(_ directory: String) throws -> String {
        String(decoding: try OpenedFile(path: path(directory)).bytes(atMost: 1 << 20), as: UTF8.self)
    }
}
