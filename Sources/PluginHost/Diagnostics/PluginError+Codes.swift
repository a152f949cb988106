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
    /// A protocol has other requirements than when the plug-in that conforms to it was compiled.
    public static let interfaceMismatch = Self(rawValue: "interfaceMismatch")
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
    /// A C function is unknown, is not exported, or belongs to a bundle that was unloaded.
    public static let functionUnavailable = Self(rawValue: "functionUnavailable")
    /// The text of a C function's signature is none.
    public static let signatureInvalid = Self(rawValue: "signatureInvalid")
    /// A C function has another signature than was requested, or another in `PHFunctions` than in the code.
    public static let signatureMismatch = Self(rawValue: "signatureMismatch")
    /// A C function was called with too many or too few arguments, or one that is not of its type. It did not run.
    public static let argumentInvalid = Self(rawValue: "argumentInvalid")
    /// A C function gave NULL or text that is no UTF-8, against its signature.
    public static let resultInvalid = Self(rawValue: "resultInvalid")
    /// A C function returned a failure, or let an exception of C++ out.
    public static let functionFailed = Self(rawValue: "functionFailed")

    /// An entry of a strings table is malformed; the other entries are used.
    public static let stringsTableFaulty = Self(rawValue: "stringsTableFaulty")
    /// A strings table is there and cannot be read; it counts as empty. Where the system refused to open it, it is read
    /// again at the next question.
    public static let stringsTableUnreadable = Self(rawValue: "stringsTableUnreadable")
    /// A string was asked for that no table has; told only under NSShowNonLocalizedStrings.
    public static let stringNotLocalized = Self(rawValue: "stringNotLocalized")
    /// A localised format does not fit the arguments that it was given.
    public static let stringFormatMismatch = Self(rawValue: "stringFormatMismatch")

    /// A directory cannot be watched for changes.
    public static let watchFailed = Self(rawValue: "watchFailed")
    /// No private copy of a bundle can be made to load its code from.
    public static let copyFailed = Self(rawValue: "copyFailed")
    /// A private copy of a bundle lacks what no copy has: a FIFO, socket or device. A warning.
    public static let copyIncomplete = Self(rawValue: "copyIncomplete")
    /// A newer generation of the bundle has taken its place.
    public static let superseded = Self(rawValue: "superseded")

    /// A directory of resources cannot be read at present. It counts as empty for this one question, and is read again at
    /// the next.
    public static let resourcesUnreadable = Self(rawValue: "resourcesUnreadable")
}
