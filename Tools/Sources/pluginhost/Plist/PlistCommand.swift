import ArgumentParser

/// `pluginhost plist`: converts and shows property lists.
struct PlistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plist",
        abstract: "Converts and shows property lists.",
        discussion: "“pluginhost lint” checks them.",
        subcommands: [PlistConvertCommand.self, PlistGetCommand.self, PlistPrintCommand.self])
}
