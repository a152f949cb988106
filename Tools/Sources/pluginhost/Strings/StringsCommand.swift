import ArgumentParser

/// `pluginhost strings`: the commands that authors and translators use on strings tables.
struct StringsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strings",
        abstract: "Makes strings tables from sources and nibs, and exchanges them with translators.",
        discussion: "No code of a bundle runs. Tables are replaced as a whole, or not at all.",
        subcommands: [
            ExtractCommand.self, StringsDiffCommand.self, StringsConvertCommand.self, StringsPseudoCommand.self,
            StringsExportCommand.self, StringsImportCommand.self, NibStringsCommand.self,
        ], defaultSubcommand: NibStringsCommand.self)
}
