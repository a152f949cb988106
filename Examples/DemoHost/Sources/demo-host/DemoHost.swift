import Foundation
import PluginHost

/// An application for documents in which plug-ins do all of the work: it runs documents through filters and analysers, and
/// writes one report.
///
/// It exits with 0 if everything worked, with 1 if it left something out, and with 2 after wrong usage or if it cannot start.
@main
struct DemoHost {
    static func main() async {
        // The name of its directories, and of the option --application of the command pluginhost.
        HostEnvironment.current.name = "demo-host"
        HostEnvironment.current.version = "1.0"
        SummaryCards.registerElements()
        guard !CommandLine.arguments.isEmpty else {
            // The runtime reads them from /proc/self.
            Journal().write(localized("The arguments of the call cannot be read. Try again."))
            exit(2)
        }
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(Journal.isComplete ? status : 2)
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        let journal = Journal()
        do throws(UsageError) {
            let options = try Options(arguments)
            if options.showsHelp {
                Journal.announce(Options.help)
                return 0
            }
            options.isolation.apply()
            let abilities = try Abilities(folder: options.plugins, journal: journal)
            if options.lists {
                abilities.printList()
                return journal.problems.isEmpty ? 0 : 1
            }
            // The values last as long as the bundles.
            let bundles = try options.settings.apply(to: abilities.catalog)
            defer { withExtendedLifetime(bundles) {} }
            if let page = options.settingsPage {
                try writeSettings(of: abilities.catalog, to: page, journal)
                return journal.problems.isEmpty ? 0 : 1
            }
            announceLoads()
            if options.watches { return await watch(options, abilities.catalog, journal) }
            return try work(options, abilities, journal) ? 0 : 1
        } catch {
            journal.write(error.message)
            return 2
        }
    }

    /// Runs the documents through the pipeline once.
    ///
    /// - Returns: whether nothing was left out.
    private static func work(_ options: Options, _ abilities: Abilities, _ journal: Journal) throws(UsageError) -> Bool
    {
        let pipeline = try Pipeline(names: options.pipeline, abilities: abilities, journal: journal)
        let output = try ReportFile(path: options.output, documents: options.documents)
        var workbench = Workbench(
            pipeline: pipeline, wordLists: abilities.wordLists(journal), nib: options.nib, journal: journal)
        for document in options.documents { workbench.process(document) }
        let isWritten = workbench.write(to: output)
        return isWritten && journal.problems.isEmpty
    }

    /// Writes the page with the settings of the plug-ins.
    private static func writeSettings(
        of catalog: PluginCatalog, to path: String, _ journal: Journal
    ) throws(UsageError) {
        let output = try ReportFile(path: path, documents: [])
        let document = SettingsDocument(catalog, journal: journal)
        if document.isEmpty { journal.report(localized("No plug-in has settings.")) }
        do throws(SystemFailure) {
            try output.write(document.html)
        } catch {
            throw UsageError(message: error.sentence(about: output.path))
        }
        Journal.announce(localized("The settings are in {0}.", output.path))
    }

    private static func watch(_ options: Options, _ catalog: PluginCatalog, _ journal: Journal) async -> Int32 {
        do {
            try await WatchMode(catalog: catalog, documents: options.documents).run {
                // Problems are reported again in each round, because the user is fixing them.
                let journal = Journal()
                do throws(UsageError) {
                    let abilities = try Abilities(catalog, folder: options.plugins, journal: journal)
                    _ = try work(options, abilities, journal)
                } catch {
                    journal.write(error.message)
                }
            }
            return 0
        } catch {
            journal.write("\(error)")
            return 2
        }
    }

    /// Prints what each bundle registers when its code is loaded, which is at its first use.
    private static func announceLoads() {
        _ = NotificationCenter.default.addObserver(
            forName: PluginBundle.didLoadNotification, object: nil, queue: nil
        ) { notification in
            guard let bundle = notification.object as? PluginBundle else { return }
            let classes = notification.userInfo?[PluginBundle.loadedClassesKey] as? [String] ?? []
            if let worker = PluginWorker.all.first(where: { $0.bundles.contains { $0 === bundle } }) {
                Journal.announce(
                    localized("Loaded {0} in the process {1}.", bundle.displayName, "\(worker.processIdentifier)"))
            } else if classes.isEmpty {
                Journal.announce(localized("Loaded {0}.", bundle.displayName))
            } else {
                Journal.announce(localized("Loaded {0}: {1}.", bundle.displayName, classes.joined(separator: ", ")))
            }
        }
    }
}

/// Why the program cannot start.
struct UsageError: Error {
    var message: String
}
