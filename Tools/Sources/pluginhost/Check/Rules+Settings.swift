import PluginHost
import PluginLinting

extension Rule {
    static let settings: [Rule] = [
        .plugin(
            .settingsUnreadable, .standard, .settings,
            what:
                "Root.plist of a Settings.bundle cannot be read: it is not a regular file, too large, not a property list, or outside of the bundle.",
            why: "People cannot change any setting, and the plug-in's code has its own defaults.",
            mend: "Correct the file; the finding names the fault."),
        .plugin(
            .settingsMalformed, .standard, .settings,
            what:
                "An element of a Settings.bundle lacks a key, has a value of the wrong type, a default that is not allowed, unequal numbers of values and titles, or leads to a pane that does not exist or leads back.",
            why: "The element, or only its default, is left out.",
            mend: "Correct the element at the line of the finding."),
        .plugin(
            .settingUnknown, .standard, .settings,
            what:
                "A list of a Settings.bundle has a type or a key that is not known.",
            why: "It has no effect.",
            mend: "Correct the spelling, or remove it."),
        .plugin(
            .settingSecret, .standard, .settings,
            what:
                "A secret setting has a default.",
            why: "Everybody can read it in the bundle, so it is not used.",
            mend: "Remove the default; the application sets secret values, from a keyring."),
        .plugin(
            .settingUndeclared, .standard, .sources,
            what:
                "A source names a setting with a literal key, and the Settings.bundle does not declare the key, or declares it with another type.",
            why: "The default in the code counts, whatever people set.",
            mend: "Declare the setting, or correct the key or the type."),
    ]
}
