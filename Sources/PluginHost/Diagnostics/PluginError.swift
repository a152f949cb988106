/// Why a bundle could not be opened, checked or loaded.
///
/// It holds every problem that was found, not only the first: ``findings`` lists them, and ``description`` states the
/// first in full and the number of the others; one other is stated in full as well.
public struct PluginError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of error it is. Open: a later version adds codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }
    }

    /// The absolute path of the bundle directory.
    public let bundlePath: String
    /// All that was found, the deciding error first; at least one of severity `error`.
    public let findings: [PluginFinding]

    /// - Precondition: `findings` is not empty.
    public init(bundlePath: String, findings: [PluginFinding]) {
        precondition(!findings.isEmpty, "a PluginError tells at least one finding")
        self.bundlePath = bundlePath
        let findings = findings.map(CopiedPaths.told)
        self.findings = findings.filter { $0.severity == .error } + findings.filter { $0.severity != .error }
    }

    init(bundlePath: String, _ finding: PluginFinding) {
        self.init(bundlePath: bundlePath, findings: [finding])
    }

    /// Whether any of it holds for this moment only.
    var isProvisional: Bool { findings.contains(where: \.isProvisional) }
    /// Whether the same try may succeed in a moment, though nobody changes anything.
    var isPassing: Bool { findings.contains(where: \.isPassing) }

    /// The deciding finding's code.
    public var code: Code { findings[0].code }
    /// The file concerned.
    public var filePath: String? { findings[0].filePath }
    /// The symbol, library, key, class or extension point concerned.
    public var subject: String? { findings[0].subject }
    /// What the system, the dynamic linker or the plug-in said.
    public var systemMessage: String? { findings[0].systemMessage }

    /// Full sentences: which bundle, what went wrong with which file, what to do.
    public var description: String {
        let first = findings[0]
        // A watch is of directories that hold bundles, and of none alone.
        var text = code == .watchFailed ? first.message : "The bundle \(quoted(bundlePath)): \(first.message)"
        if let said = first.systemMessage, !first.message.contains(said) { text += " The system said: \(said)." }
        if !first.remedy.isEmpty { text += " " + first.remedy }
        switch findings.count {
        case 1: return text
        case 2:
            // As short as a number, and nobody has to look elsewhere for it.
            let other = findings[1]
            return "\(text) One more problem: \(other.message)" + (other.remedy.isEmpty ? "" : " \(other.remedy)")
        default: return "\(text) \(findings.count - 1) more problems were found."
        }
    }
}

extension PluginError.Code {
    /// There is no directory at the bundle's path.
    public static let bundleNotFound = Self(rawValue: "bundleNotFound")
    /// Info.plist is missing, is no regular file, is too large, or is not a property list.
    public static let manifestUnreadable = Self(rawValue: "manifestUnreadable")
    /// A key of Info.plist has a value that cannot be used.
    public static let manifestInvalid = Self(rawValue: "manifestInvalid")
    /// The executable that Info.plist names is in none of the places where it is looked for.
    public static let executableMissing = Self(rawValue: "executableMissing")
    /// The executable stands outside of the bundle, by its name or by a link.
    public static let executableOutsideBundle = Self(rawValue: "executableOutsideBundle")
    /// The bundle has no code to load.
    public static let notCode = Self(rawValue: "notCode")
    /// The executable is no shared object of this machine, or one that would harm the host.
    public static let notLoadable = Self(rawValue: "notLoadable")
    /// The file was changed between its check and its loading, or while it was loaded.
    public static let executableChanged = Self(rawValue: "executableChanged")
    /// A library that the executable needs is not found, or cannot be used.
    public static let dependencyMissing = Self(rawValue: "dependencyMissing")
    /// The way the executable looks for its libraries is unsafe (RUNPATH, a path as a library's name).
    public static let unsafeSearchPath = Self(rawValue: "unsafeSearchPath")
    /// The entry symbol, or a symbol that the executable uses, is not defined.
    public static let symbolMissing = Self(rawValue: "symbolMissing")
    /// The plug-in speaks another major version of the ABI.
    public static let abiMismatch = Self(rawValue: "abiMismatch")
    /// Host and plug-in were built by different Swift toolchains.
    public static let toolchainMismatch = Self(rawValue: "toolchainMismatch")
    /// The plug-in carries its own copy of PluginABI, or the application's API module stands in two images.
    public static let duplicateABI = Self(rawValue: "duplicateABI")
    /// The application is not of the version that the bundle requires, or does not offer what it requires.
    public static let hostIncompatible = Self(rawValue: "hostIncompatible")
    /// A bundle that this one requires is missing, of another version, or unusable itself.
    public static let requirementUnmet = Self(rawValue: "requirementUnmet")
    /// No bundle is used under the identifier that was asked for.
    public static let pluginMissing = Self(rawValue: "pluginMissing")
    /// An index file of a catalogue cannot be used or kept. A warning: the catalogue is made without it.
    public static let indexUnusable = Self(rawValue: "indexUnusable")
    /// Every user of the system may change a file of the bundle, or a directory that it stands in. A warning.
    public static let writableByOthers = Self(rawValue: "writableByOthers")
    /// A file of the bundle belongs to neither root nor the user of the process. A warning.
    public static let foreignOwner = Self(rawValue: "foreignOwner")
    /// One file is the executable of two bundles, or was entered before and failed.
    public static let alreadyEntered = Self(rawValue: "alreadyEntered")
    /// The dynamic linker refused the executable for another reason.
    public static let loadFailed = Self(rawValue: "loadFailed")
    /// The plug-in's entry function returned a failure.
    public static let entryFailed = Self(rawValue: "entryFailed")
    /// The entry succeeded but registered nothing.
    public static let nothingRegistered = Self(rawValue: "nothingRegistered")
    /// A registration has an unusable name, signature or table, or came outside of the entry.
    public static let registrationInvalid = Self(rawValue: "registrationInvalid")
    /// Two factories of one bundle, or two providers of one extension point, have the same name.
    public static let duplicateFactory = Self(rawValue: "duplicateFactory")
    /// The entry registered something at an extension point that `PHFactories` does not declare so.
    public static let undeclaredRegistration = Self(rawValue: "undeclaredRegistration")
    /// `PHFactories` declares what the entry did not register. A warning, unless the application is strict.
    public static let unfulfilledDeclaration = Self(rawValue: "unfulfilledDeclaration")
    /// The bundle was asked to load or unload while the same thread was loading or unloading it.
    public static let loadReentered = Self(rawValue: "loadReentered")
    /// The entry succeeded, and a hook of the plug-in, `activate`, failed.
    public static let activationFailed = Self(rawValue: "activationFailed")
    /// Bundles wait for one another to load.
    public static let dependencyCycle = Self(rawValue: "dependencyCycle")
    /// The load or unload was under way in the process that this one was forked from.
    public static let loadInterrupted = Self(rawValue: "loadInterrupted")
    /// There is no principal class, or it is not what was asked for.
    public static let principalClassMissing = Self(rawValue: "principalClassMissing")
    /// A factory or provider failed to make an object.
    public static let instantiationFailed = Self(rawValue: "instantiationFailed")
    /// A plug-in asked for a service that its Info.plist does not declare in `PHUses`.
    public static let serviceUndeclared = Self(rawValue: "serviceUndeclared")
    /// Nobody offers a service that a plug-in asked for.
    public static let serviceMissing = Self(rawValue: "serviceMissing")
    /// A C function is unknown, or its signature or arguments do not fit.
    public static let functionUnavailable = Self(rawValue: "functionUnavailable")
}
