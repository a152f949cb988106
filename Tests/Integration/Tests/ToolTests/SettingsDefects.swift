import Fixtures
import Foundation

/// A bundle for each rule about settings.
extension Defect {
    static let settings: [Defect] = [
        settings("settingsUnreadable", "{ PreferenceSpecifiers = "),
        settings("settingsMalformed", "{ PreferenceSpecifiers = ({ Type = PSSliderSpecifier; }); }"),
        settings("settingUnknown", "{ PreferenceSpecifiers = ({ Type = PSGroupSpecifier; Colour = red; }); }"),
        settings(
            "settingSecret",
            """
            { PreferenceSpecifiers = (
              { Type = PSTextFieldSpecifier; Key = password; IsSecure = <*BY>; DefaultValue = "1234"; }); }
            """),
        undeclared,
    ]

    /// A source that names a setting which the Settings.bundle lacks.
    private static let undeclared: Defect = {
        let folder = Workspace.temporary.appending(path: "sources-settingUndeclared")
        return Defect(rule: "settingUndeclared", command: ["lint", "--strict", "--sources", folder.path]) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("let pitch = Setting(\"pitch\", default: 1)\n".utf8).write(
                to: folder.appending(path: "Settings.swift"))
            let root = "{ PreferenceSpecifiers = ({ Type = PSToggleSwitchSpecifier; Key = pauses; }); }"
            return [
                try resources("settingUndeclared", ["Settings.bundle/Root.plist": Array(root.utf8)]).path
            ]
        }
    }()

    private static func settings(_ rule: String, _ root: String) -> Defect {
        Defect(rule: rule) { [try resources(rule, ["Settings.bundle/Root.plist": Array(root.utf8)]).path] }
    }
}
