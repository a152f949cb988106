@_spi(Tools) import PluginHost

/// What the user, the administrator and earlier crashes decide about a plug-in of an application.
struct DecidedFacts {
    /// Where the administrator's list demands that it runs at least; nil if it demands nothing.
    let demanded: String?
    /// What it did that may lead to its quarantine, and what follows from that, as sentences; nil for nothing.
    let strikes: String?
    /// What the user allowed it; nil if the user was not asked, or no application is known.
    let consent: PluginConsents.Consent?

    init(_ identifier: String, at path: String?, application: String?) {
        guard let application else {
            (demanded, strikes, consent) = (nil, nil, nil)
            return
        }
        demanded = PluginCatalog.demandedExecution(of: identifier, application: application)
        let suspect = Quarantine.of(application: application).suspects.first { $0.identifier == identifier }
        strikes = suspect.map { "\($0.reason) \(Self.consequence($0))" }
        consent = PluginConsents.of(application: application).consents.first {
            $0.identifier == identifier && (path == nil || $0.bundlePath == path)
        }
    }

    /// What follows from what a suspect did.
    static func consequence(_ suspect: Quarantine.Entry) -> String {
        let isOfWorkers = !suspect.deaths.isEmpty && suspect.deaths.allSatisfy(\.isOfWorker)
        return isOfWorkers
            ? "If it ends its process several times within minutes, it is put into quarantine."
            : """
            Its code runs in a process of its own until one of its files changes, if all of its extension points allow that; if it \
            ends the application once more within seven days, it is put into quarantine.
            """
    }

    var members: [String: JSONValue] {
        [
            "demandedExecution": JSONValue(demanded), "strikes": JSONValue(strikes), "consent": consent?.json ?? .null,
        ]
    }

    func write(to page: inout Page) {
        if let strikes { page.paragraph(strikes, indent: 2, .yellow) }
        if let demanded {
            page.paragraph("The administrator demands that it runs \(demanded), or safer.", indent: 2)
        }
        if let consent {
            let allowed = consent.allowed.isEmpty ? "nothing" : consent.allowed.items.joined(separator: ", ")
            page.paragraph("The user allowed it, where it is sandboxed: \(allowed).", indent: 2)
        }
    }
}
