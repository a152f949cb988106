import Glibc
import HostBasics
import PluginABI
import PropertyLists
import TestSupport

@testable import SettingsReading

/// A Settings.bundle and the files of all layers, in a temporary directory.
///
/// Lists are old-style text; `<*I3>`, `<*R0.5>` and `<*BY>` are its numbers and Booleans.
struct SettingsFixture {
    let tree: TemporaryTree

    /// A Settings.bundle with these elements in `Root.plist`.
    init(_ elements: String = "", more files: [String: String] = [:]) throws {
        tree = try TemporaryTree(files)
        try tree.write("P.bundle/Settings.bundle/Root.plist", "{ PreferenceSpecifiers = (\(elements)); }")
    }

    var schema: SettingsSchema {
        SettingsSchemaReader.read(directories: [tree("P.bundle/Settings.bundle")], inside: tree("P.bundle"))
    }

    var directories: UserDirectories {
        let places = [
            "XDG_DATA_DIRS": "\(tree("data1")):\(tree("data2"))", "XDG_CONFIG_DIRS": "\(tree("etc1")):\(tree("etc2"))",
            "XDG_CONFIG_HOME": tree("home"),
        ]
        return UserDirectories { places[$0] }
    }

    var places: SettingsPlaces {
        SettingsPlaces(of: "org.example.p", in: "app", directories, locksIn: tree("root"))
    }

    /// Writes a file of a layer: `etc1`, `home`.
    func write(_ directory: String, _ list: String) throws {
        try tree.write("\(directory)/app/settings/org.example.p.plist", list)
    }

    func path(_ directory: String) -> String { tree("\(directory)/app/settings/org.example.p.plist") }

    /// What counts now; files with locks must belong to the user who runs the test.
    func resolution(overrides: [String: SettingScalar] = [:]) -> SettingsResolution {
        SettingsResolution(schema, SettingsFiles(places, lockOwner: geteuid()), overrides: overrides)
    }

    static let toggle = "{ Type = PSToggleSwitchSpecifier; Key = on; }"
    static let slider = "{ Type = PSSliderSpecifier; Key = rate; DefaultValue = <*R0.5>; }"
    static let language = """
        { Type = PSMultiValueSpecifier; Key = language; DefaultValue = en; Values = (en, fr); Titles = (English, French); }
        """
    static let name = "{ Type = PSTextFieldSpecifier; Key = name; }"
}
