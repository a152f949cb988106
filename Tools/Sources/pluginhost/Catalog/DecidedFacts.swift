@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// The decisions about a plug-in of an application: by the user, by the administrator, and because of earlier crashes.
struct DecidedFacts {
    /// The least strict execution that the administrator's list allows; nil if the list demands nothing.
    let demanded: String?
    /// The crashes that may lead to its quarantine, and their consequence, as sentences; nil if there are none.
    let strikes: String?
    /// The permissions that the user allowed; nil if the user was not asked, or no application is known.
    let consent: PluginConsents.Consent?

    /// Whether it asks for permissions, and no answer of the user is kept.
    let isUnanswered: Bool

    init(_ identifier: String, _ bundle: PluginBundle?, application: String?) {
        guard let application else {
            isUnanswered = false
            (demanded, strikes, consent) = (nil, nil, nil)
            return
        }
        demanded = PluginCatalog.demandedExecution(of: identifier, application: application)
        let suspect = Quarantine.of(application: application).suspects.first { $0.identifier == identifier }
        strikes = suspect.map { "\($0.reason) \(Self.consequence($0))" }
        consent = PluginConsents.of(application: application).consents.first {
            $0.identifier == identifier && (bundle == nil || $0.bundlePath == bundle?.bundlePath)
        }
        isUnanswered = consent == nil && bundle?.manifest.permissions.isEmpty == false
    }

    /// The consequence for a suspect.
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
        if let consent {
            let allowed = PluginPermissions.listed(consent.allowed.items)
            page.paragraph("The user allowed it, where it is sandboxed: \(allowed).", indent: 2)
        }
        if isUnanswered { page.paragraph("No answer of the user is kept about what it may reach.", indent: 2) }
    }
}
