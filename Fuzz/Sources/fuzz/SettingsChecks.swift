import CFuzz
import Glibc
import HostBasics
import PluginABI
@_spi(Tools) import PluginHost
import PropertyLists
import SettingsReading

/// What must hold for every Settings.bundle and every file with values: what is wrong is a finding, each value is one that
/// the setting may have, and a change makes the user's file whole.
struct SettingsChecks {
    let bytes: UnsafeRawBufferPointer

    private static let identifier = "org.example.fuzz"
    private static var folder: String { "\(ScratchFolder.path)/settings-\(getpid())" }
    private static var userFile: String { "\(folder)/home/fuzz/settings/\(identifier).plist" }

    /// Every kind of element, as a sound list.
    private static let root = """
        { PreferenceSpecifiers = (
            { Type = PSGroupSpecifier; Title = Group; FooterText = Footer; },
            { Type = PSToggleSwitchSpecifier; Key = on; Title = On; },
            { Type = PSToggleSwitchSpecifier; Key = pair; TrueValue = yes; FalseValue = no; },
            { Type = PSSliderSpecifier; Key = rate; DefaultValue = <*R0.5>; },
            { Type = PSTextFieldSpecifier; Key = name; DefaultValue = Ada; PHFormerKeys = (called, b); },
            { Type = PSTextFieldSpecifier; Key = count; DefaultValue = <*I3>; MinimumValue = <*I0>; MaximumValue = <*I9>; },
            { Type = PSTextFieldSpecifier; Key = password; IsSecure = <*BY>; },
            { Type = PSMultiValueSpecifier; Key = voice; Values = (low, high); Titles = (Low, High); },
            { Type = PSRadioGroupSpecifier; Key = level; Values = (<*I1>, <*I2>); Titles = (One, Two); },
            { Type = PSTitleValueSpecifier; Key = version; DefaultValue = "1.0"; },
            { Type = PSChildPaneSpecifier; File = More; Title = More; }
        ); }
        """

    static func prepare() {
        _ = ScratchFolder.path
        HostEnvironment.current.log = { _ in }
        HostEnvironment.current.name = "fuzz"
    }

    /// An input that a thread of its own checks.
    private final class Input {
        let checks: SettingsChecks
        var violation: Violation?

        init(_ checks: SettingsChecks) { self.checks = checks }

        func run() {
            do throws(Violation) { try checks.check() } catch { violation = error }
        }
    }

    /// Runs the checks on a new thread.
    ///
    /// Settings are watched by a second thread. Swift's mutexes know a thread by a number that it remembers, and the thread
    /// of a forked process remembers the one of its parent: two threads at once would find the mutexes in disorder.
    func run() throws(Violation) {
        let input = Input(self)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<Input>.fromOpaque(pointer!).takeUnretainedValue().run()
                return nil
            }, Unmanaged.passUnretained(input).toOpaque())
        guard status == 0 else { throw Violation("no thread: \(String(cString: strerror(status)))") }
        pthread_join(thread, nil)
        if let violation = input.violation { throw violation }
    }

    private func check() throws(Violation) {
        // Each process has its own files.
        setenv("XDG_CONFIG_HOME", Self.folder + "/home", 1)
        setenv("XDG_CONFIG_DIRS", Self.folder + "/etc", 1)
        setenv("XDG_DATA_DIRS", Self.folder + "/data", 1)
        Self.count += 1
        let input = Array(bytes)
        try check(root: input, values: Array("{ Settings = { rate = 0.25; name = Bob; k1 = 1; on = x; }; }".utf8))
        try check(root: Array(Self.root.utf8), values: input)
    }

    // One thread at a time.
    nonisolated(unsafe) private static var count = 0

    private func check(root: [UInt8], values: [UInt8]) throws(Violation) {
        // A bundle's object lives as long as anybody holds it; each input has its own bundle.
        let path = "\(Self.folder)/S\(Self.count).bundle"
        Files.write(
            Array("{ CFBundleIdentifier = \"\(Self.identifier)\"; }".utf8), to: path + "/Contents/Info.plist")
        let settings = path + "/Contents/Resources/Settings.bundle"
        Files.write(root, to: settings + "/Root.plist")
        Files.write(Array("{ PreferenceSpecifiers = (); }".utf8), to: settings + "/More.plist")
        unlink(Self.userFile)
        unlink(Self.userFile + ".damaged")
        Files.write(values, to: Self.userFile)
        defer { fuzz_remove_tree(path) }
        guard let bundle = PluginBundle(path: path) else { throw Violation("the bundle does not open") }
        let found: PluginSettings?
        do {
            found = try bundle.settings
        } catch {
            guard let error = error as? PluginError else { throw Violation("an error of another type: \(error)") }
            return try check(error.findings)
        }
        guard let found else { throw Violation("the Settings.bundle is not found") }
        try check(found.findings)
        guard found.keys.count <= SettingsLimits.mostKeys, Set(found.keys).count == found.keys.count else {
            throw Violation("\(found.keys.count) keys")
        }
        try checkValues(of: found)
        let rows = found.page().panes.reduce(0) { $0 + $1.rows.count }
        guard rows <= SettingsLimits.mostElements else { throw Violation("\(rows) rows") }
        if Self.count.isMultiple(of: 8) { try checkChange(of: found) }
    }

    private func checkValues(of settings: PluginSettings) throws(Violation) {
        for key in settings.keys {
            guard let declaration = settings.declaration(of: key), let value = settings.value(of: key) else {
                throw Violation("the setting \(key.debugDescription) has no value")
            }
            guard (try? declaration.checked(value)) == value else {
                throw Violation("the setting \(key.debugDescription) has the value \(value), which is not allowed")
            }
            guard !declaration.isSecret || value == declaration.defaultValue else {
                throw Violation("a secret was read from a file")
            }
        }
    }

    /// A change keeps what counted before, and leaves a file that can be read.
    private func checkChange(of settings: PluginSettings) throws(Violation) {
        let keys = settings.keys.filter { !(settings.declaration(of: $0)?.isSecret ?? true) }
        guard let key = keys.first, let value = settings.declaration(of: key)?.defaultValue else { return }
        let before = keys.dropFirst().map { settings.value(of: $0) }
        do {
            try settings.set(key, to: value)
        } catch {
            // A key of another version is kept, and one with a NUL has no form in XML: the change is refused.
            if "\(error)".contains("cannot be written in an XML property list") { return }
            throw Violation("the setting \(key.debugDescription) cannot be stored: \(error)")
        }
        guard settings.value(of: key) == value, keys.dropFirst().map({ settings.value(of: $0) }) == before else {
            throw Violation("a change of \(key.debugDescription) has changed other settings")
        }
        guard let bytes = Files.read(Self.userFile), (try? PropertyListReader.read(bytes)) != nil,
            !settings.findings.contains(where: { $0.code == .settingsUnreadable && $0.subject == nil })
        else { throw Violation("the file cannot be read after a change") }
    }

    private func check(_ findings: [PluginFinding]) throws(Violation) {
        // A hundred for each of the files, and how many others there are.
        guard findings.count <= 4 * (SettingsLimits.mostFindings + 1) + 8 else {
            throw Violation("\(findings.count) findings are listed")
        }
        for finding in findings {
            if let place = finding.place, place.line < 1 || place.column < 1 {
                throw Violation("a place is outside: \(place) of \(finding.message)")
            }
            let text = finding.message + finding.remedy
            let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
            guard isPrintable, !finding.message.isEmpty, text.utf8.count < 4_000 else {
                throw Violation("a message may not be printed: \(text.prefix(500).debugDescription)")
            }
        }
    }
}

extension Corpus {
    /// A Settings.bundle's root, or a file with values, in any form of list.
    mutating func settings() -> PropertyList {
        guard random.oneIn(3) else {
            let count = random.below(12)
            return .dictionary(["PreferenceSpecifiers": .array((0..<count).map { element($0) })])
        }
        var values: [String: PropertyList] = [:]
        for key in ["on", "pair", "rate", "name", "called", "count", "password", "voice", "level", "version", "other"]
        where random.oneIn(2) {
            let value: PropertyList = random.pick([
                .boolean(true), .integer(1), .real(0.5), .string("high"), .string("0.5"), .string("yes"),
                .integer(.max), .real(.nan), .array([]), .data([1]), .string(String(repeating: "x", count: 17_000)),
            ])
            values[key] = value
        }
        return .dictionary(["Settings": .dictionary(values), "Locked": .array([.string("rate")])])
    }

    private mutating func element(_ number: Int) -> PropertyList {
        var element: [String: PropertyList] = [
            "Type": .string(
                random.pick([
                    "PSGroupSpecifier", "PSToggleSwitchSpecifier", "PSTextFieldSpecifier", "PSSliderSpecifier",
                    "PSTitleValueSpecifier", "PSMultiValueSpecifier", "PSRadioGroupSpecifier", "PSChildPaneSpecifier",
                ])), "Key": .string("k\(random.oneIn(8) ? 0 : number)"),
        ]
        let optional: [(String, [PropertyList])] = [
            ("DefaultValue", [.boolean(true), .integer(1), .real(0.5), .string("a"), .string("1"), .integer(.min)]),
            ("MinimumValue", [.integer(0), .real(-1e308), .integer(.min), .string("0")]),
            ("MaximumValue", [.integer(9), .real(1e308), .integer(.max), .real(.infinity)]),
            ("Values", [.array([.string("a"), .string("b")]), .array([.integer(1), .real(2)]), .array([])]),
            ("Titles", [.array([.string("A"), .string("B")]), .array([.string("A")])]),
            ("ShortTitles", [.array([.string("A"), .string("B")])]), ("File", [.string("More"), .string("Root")]),
            ("Title", [.string("Title")]), ("FooterText", [.string("Footer")]), ("IsSecure", [.boolean(true)]),
            ("TrueValue", [.string("a"), .integer(1)]), ("FalseValue", [.string("b"), .integer(0)]),
            ("PHFormerKeys", [.array([.string("k1"), .string("rate")])]), ("DisplaySortedByTitle", [.boolean(true)]),
        ]
        for (key, values) in optional where random.oneIn(2) { element[key] = random.pick(values) }
        return .dictionary(element)
    }
}
