import Fixtures

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
    ]

    private static func settings(_ rule: String, _ root: String) -> Defect {
        Defect(rule: rule) { [try resources(rule, ["Settings.bundle/Root.plist": Array(root.utf8)]).path] }
    }
}
