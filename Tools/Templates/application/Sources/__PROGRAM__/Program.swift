import Glibc
import __NAME__API
import PluginHost

/// The program: lists the filters that plug-ins add, or shows what one of them makes of a text.
@main
struct Program {
    /// Finds what keeps a plug-in from being used.
    private static let doctor = "pluginhost doctor --application __PROGRAM__"

    private let options: Options
    /// Finds and describes every plug-in; loads none.
    private let catalog: PluginCatalog
    /// Nil if plug-ins run in this process.
    private let sandbox: Sandbox?

    static func main() async {
        // The same name as the catalogue's: both name the directories with settings, choices and data.
        HostEnvironment.current.name = "__PROGRAM__"
        HostEnvironment.current.version = "1.0"
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            warn(Options.usage)
            exit(2)
        }
        if options.asksForHelp {
            say(Options.help)
            exit(0)
        }
        exit(await Program(options).run() ? 0 : 1)
    }

    private init(_ options: Options) {
        self.options = options
        // If a plug-in ended the program the last time, this start does without it.
        let start = CrashJournal.advice((try? CrashJournal.begin(application: "__PROGRAM__")) ?? [])
        switch start {
        case .normal: break
        case .without(let identifiers):
            for plugin in identifiers { complain(localized("“%@” ended the program and is left out this time.", plugin)) }
        case .noPlugins:
            complain(localized("The program crashed twice with plug-ins, and starts without them this time."))
        }
        catalog = PluginCatalog(application: "__PROGRAM__", options: .init(safeStart: start))
        sandbox = options.isSandboxed ? Sandbox() : nil
    }

    /// Does what the options say, and returns whether everything worked.
    private func run() async -> Bool {
        // A plug-in that cannot be used is no reason to stop: say why, and go on with the others.
        for candidate in catalog.unusable { if let error = candidate.error { complain("\(error)") } }
        guard let filter = options.filter else { return list() }
        if options.asksAgain, let plugin = catalog.extension(named: filter, of: .textFilter)?.plugin {
            sandbox?.forgetAnswer(about: plugin)
        }
        return options.watches ? await watch(filter) : show(filter)
    }

    private func list() -> Bool {
        for filter in catalog.extensions(of: .textFilter) {
            say("\(filter.name): \(filter.displayName) (\(filter.plugin.displayName))")
        }
        if catalog.extensions(of: .textFilter).isEmpty {
            complain(localized("No plug-in has a filter. To find out why: %@", Self.doctor))
        }
        return catalog.unusable.isEmpty
    }

    /// Loads the plug-in of a filter at its first use.
    private func show(_ name: String) -> Bool {
        guard let filter = catalog.extension(named: name, of: .textFilter) else {
            complain(localized("No plug-in has a filter “%@”. To find out why: %@", name, Self.doctor))
            return false
        }
        sandbox?.ask(about: filter.plugin)
        do {
            say(try filter.make().filter(options.text))
            return true
        } catch {
            complain("\(error)")  // which plug-in, which file, what is wrong, what to do
            return false
        }
    }

    /// Shows the text again whenever a plug-in changed, until the user interrupts the program.
    private func watch(_ name: String) async -> Bool {
        do {
            // Before the first use of a plug-in, which is then loaded from a copy that no build overwrites.
            let events = try catalog.watch()
            _ = show(name)
            for await event in events {
                if case .failed(let error) = event { complain("\(error)") } else { _ = show(name) }
            }
            return true
        } catch {
            complain("\(error)")
            return false
        }
    }
}
