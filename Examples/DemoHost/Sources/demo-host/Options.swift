import Foundation
import PluginHost

/// The options of the command line.
struct Options {
    /// Nil for the standard search paths.
    var plugins: String?
    /// Nil for the default pipeline.
    var pipeline: [String]?
    var output = "report.html"
    /// A XIB document to use in place of the exporter's card; nil for the exporter's.
    var nib: String?
    var isolation = Isolation()
    var settings = RunSettings()
    /// Where the page with the plug-ins' settings goes; nil for none.
    var settingsPage: String?
    var documents: [String] = []
    var lists = false
    var watches = false
    var showsHelp = false

    init(_ arguments: [String]) throws(UsageError) {
        plugins = ProcessInfo.processInfo.environment["DEMO_PLUGINS"]

        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                documents.append(argument)
                continue
            }
            // Both --output FILE and --output=FILE.
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            func value() throws(UsageError) -> String {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError(message: localized("The option {0} needs a value.", argument) + "\n" + Self.usage)
                }
                return value
            }
            switch parts[0] {
            case "--plugins": plugins = try value()
            case "--pipeline":
                pipeline = try value().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            case "--output", "-o": output = try value()
            case "--nib": nib = try value()
            // Without a value: the next argument is a document.
            case "--isolate":
                isolation.everywhere = parts.count == 2 ? try Isolation.execution(parts[1]) : .isolated
            case "--plugin":
                let choice = try value().split(separator: "=", maxSplits: 1).map(String.init)
                isolation.plugins[choice[0]] = try Isolation.execution(choice.count == 2 ? choice[1] : "")
            case "--setting": try settings.add(value())
            case "--settings": settingsPage = try value()
            case "--list": lists = true
            case "--watch": watches = true
            case "--help", "-h": showsHelp = true
            case "--":
                documents += rest
                rest = []
            default: throw UsageError(message: localized("There is no option {0}.", argument) + "\n" + Self.usage)
            }
        }
        if documents.isEmpty, !lists, settingsPage == nil, !showsHelp {
            throw UsageError(message: localized("No document was named.") + "\n" + Self.usage)
        }
    }

    static var usage: String {
        """
        demo-host [--plugins DIR] [--pipeline a,b,c] [--output FILE] [--nib FILE] [--isolate[=sandboxed]] \
        [--plugin ID=EXECUTION] [--setting ID.KEY=VALUE] [--settings FILE] [--list] [--watch] DOCUMENT…
        """
    }

    static var help: String {
        """
        \(usage)

        \(localized("Runs text documents through plug-ins and writes one report."))

          --plugins DIR     \(localized("the bundles' directory; else $DEMO_PLUGINS, else the standard search paths"))
          --pipeline a,b,c  \(localized("what to run, by the names that --list prints"))
          --output FILE     \(localized("where the report goes; report.html by default"))
          --nib FILE        \(localized("a XIB document for the card at the head of the report"))
          --isolate         \(localized("runs plug-ins in processes of their own; =sandboxed confines them"))
          --plugin ID=WHERE \(localized("where one plug-in runs: in-process, isolated or sandboxed"))
          --setting ID.KEY=VALUE
                            \(localized("a setting of a plug-in for this run"))
          --settings FILE   \(localized("writes a page with the plug-ins' settings, and no report"))
          --list            \(localized("prints what the bundles provide and their states, without loading them"))
          --watch           \(localized("runs again when a plug-in or a document changes"))
        """
    }
}
