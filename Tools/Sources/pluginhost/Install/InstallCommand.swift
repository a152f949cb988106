import ArgumentParser
import PluginPacking

/// `pluginhost install`: installs a bundle in a folder of plug-ins.
struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Installs a plug-in from an archive, or upgrades it.",
        discussion: """
            FILE is an archive that “pluginhost pack --archive” made, a .tar.gz or .zip archive of a bundle, or its directory. It is unpacked beside its place, \
            checked as “check” does, and put in place in one step. The version that it replaces is kept; “rollback” goes back \
            to it. No code of the bundle runs. If the plug-in replaces an older identifier, “install” asks on a terminal \
            whether it takes over the choices, answers and data of that one.
            """)

    @OptionGroup var arguments: InstallationArguments

    @Flag(
        help: """
            Lets the plug-in take over the choices, answers and data of the older identifiers that it replaces, without a \
            question.
            """)
    var adopt = false

    @Argument(help: ArgumentHelp("The archive, or a bundle's directory.", valueName: "file"), completion: .file())
    var file: String

    mutating func run() throws {
        let (installer, file) = (try arguments.installer(), file)
        let takeOver = TakeOver(
            application: arguments.application, host: arguments.host, isAgreed: adopt, asks: !arguments.json)
        try arguments.report("install", "installed", takeOver) { () throws(PackingError) in try installer.install(file)
        }
    }
}

/// `pluginhost uninstall`: removes a bundle from a folder of plug-ins.
struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Removes a plug-in, with the version of it that was kept.")

    @OptionGroup var arguments: InstallationArguments

    @Argument(
        help: ArgumentHelp("The plug-in's identifier, or its bundle's name.", valueName: "plug-in"),
        completion: KnownNames.identifiers)
    var plugin: String

    mutating func run() throws {
        let (installer, plugin) = (try arguments.installer(), plugin)
        try arguments.report("uninstall", "removed") { () throws(PackingError) in try installer.uninstall(plugin) }
    }
}

/// `pluginhost rollback`: restores the previous version of a plug-in.
struct RollbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Puts the version of a plug-in in place that the last “install” replaced.",
        discussion: "A second time brings the later version back.")

    @OptionGroup var arguments: InstallationArguments

    @Argument(
        help: ArgumentHelp("The plug-in's identifier, or its bundle's name.", valueName: "plug-in"),
        completion: KnownNames.identifiers)
    var plugin: String

    mutating func run() throws {
        let (installer, plugin) = (try arguments.installer(), plugin)
        try arguments.report("rollback", "restored") { () throws(PackingError) in try installer.rollBack(plugin) }
    }
}
