extension PluginError.Code {
    /// There is no directory at the bundle's path.
    public static let bundleNotFound = Self(rawValue: "bundleNotFound")
    /// Info.plist is missing, is not a regular file, is too large, or is not a property list.
    public static let manifestUnreadable = Self(rawValue: "manifestUnreadable")
    /// A key in Info.plist has a value that cannot be used.
    public static let manifestInvalid = Self(rawValue: "manifestInvalid")
    /// The identifier has a character that Apple's systems do not allow.
    ///
    /// A warning for the author.
    public static let identifierUnusual = Self(rawValue: "identifierUnusual")
    /// The identifier has an underscore, which Apple's systems do not allow.
    ///
    /// A warning for the author.
    public static let identifierUnderscore = Self(rawValue: "identifierUnderscore")
    /// The executable named in Info.plist is not in any of the searched places.
    public static let executableMissing = Self(rawValue: "executableMissing")
    /// The executable is outside of the bundle, because of its name or a link.
    public static let executableOutsideBundle = Self(rawValue: "executableOutsideBundle")
    /// The bundle has no code to load.
    public static let notCode = Self(rawValue: "notCode")
    /// The executable is not a shared object for this machine, or loading it would harm the host.
    public static let notLoadable = Self(rawValue: "notLoadable")
    /// The file was changed between its check and its load, or during the load.
    public static let executableChanged = Self(rawValue: "executableChanged")
    /// A library that the executable needs was not found, or cannot be used.
    public static let dependencyMissing = Self(rawValue: "dependencyMissing")
    /// The executable looks for its libraries in an unsafe way (RUNPATH, or a path as a library's name).
    public static let unsafeSearchPath = Self(rawValue: "unsafeSearchPath")
    /// The entry symbol, or a symbol that the executable uses, is not defined.
    public static let symbolMissing = Self(rawValue: "symbolMissing")
    /// The plug-in uses another major version of the ABI.
    public static let abiMismatch = Self(rawValue: "abiMismatch")
    /// Host and plug-in were built by different Swift toolchains.
    public static let toolchainMismatch = Self(rawValue: "toolchainMismatch")
    /// A library that the bundle carries has the name of another library in the process, and cannot get a name of its own.
    public static let libraryClash = Self(rawValue: "libraryClash")
    /// A library that the bundle carries is not used, because the application has another one of the same name.
    ///
    /// A warning.
    public static let libraryShadowed = Self(rawValue: "libraryShadowed")
    /// The bundle's code defines and uses a symbol that the application or its libraries define too, and gets theirs.
    ///
    /// A warning.
    public static let symbolReplaced = Self(rawValue: "symbolReplaced")
    /// The bundle's code defines symbols that have one definition in the whole process.
    ///
    /// A warning.
    public static let symbolsMerged = Self(rawValue: "symbolsMerged")
    /// The code changed something that belongs to the whole process or to the host's thread.
    ///
    /// A warning.
    public static let processChanged = Self(rawValue: "processChanged")
    /// A protocol's requirements have changed since the plug-in that conforms to it was compiled, or the plug-in in a
    /// worker lacks a method of its remote interface.
    public static let interfaceMismatch = Self(rawValue: "interfaceMismatch")
    /// Nothing records the interfaces that code was compiled against, or those that an application's library has.
    ///
    /// A warning.
    public static let interfaceUnrecorded = Self(rawValue: "interfaceUnrecorded")
    /// The plug-in contains its own copy of PluginABI, or two ELF files contain the application's API module.
    public static let duplicateABI = Self(rawValue: "duplicateABI")
    /// The application lacks the version or a capability that the bundle requires.
    public static let hostIncompatible = Self(rawValue: "hostIncompatible")
    /// A bundle that this one requires is missing, has the wrong version, or cannot be used.
    public static let requirementUnmet = Self(rawValue: "requirementUnmet")
    /// No bundle with the requested identifier is in use.
    public static let pluginMissing = Self(rawValue: "pluginMissing")
    /// An index file of a catalogue cannot be used or saved.
    ///
    /// A warning: the catalogue works without it.
    public static let indexUnusable = Self(rawValue: "indexUnusable")
    /// Every user of the system may change a file of the bundle, or a directory that contains it.
    ///
    /// A warning.
    public static let writableByOthers = Self(rawValue: "writableByOthers")
    /// A file of the bundle belongs to neither root nor the user who runs the process.
    ///
    /// A warning.
    public static let foreignOwner = Self(rawValue: "foreignOwner")
    /// Two bundles share one executable file, or its entry was called before and failed.
    public static let alreadyEntered = Self(rawValue: "alreadyEntered")
    /// The dynamic linker refused the executable for another reason.
    public static let loadFailed = Self(rawValue: "loadFailed")
    /// The plug-in's entry function returned a failure.
    public static let entryFailed = Self(rawValue: "entryFailed")
    /// The entry succeeded but registered nothing.
    public static let nothingRegistered = Self(rawValue: "nothingRegistered")
    /// A registration has an unusable name, signature or table, or was made outside of the entry.
    public static let registrationInvalid = Self(rawValue: "registrationInvalid")
    /// Two factories of one bundle, or two providers of one extension point, have the same name.
    public static let duplicateFactory = Self(rawValue: "duplicateFactory")
    /// The entry registered something at an extension point, but `PHFactories` does not declare it, or declares it
    /// differently.
    public static let undeclaredRegistration = Self(rawValue: "undeclaredRegistration")
    /// `PHFactories` declares something that the entry did not register.
    ///
    /// A warning, unless the application is strict.
    public static let unfulfilledDeclaration = Self(rawValue: "unfulfilledDeclaration")
    /// A thread tried to load or unload a bundle that it was already loading or unloading.
    public static let loadReentered = Self(rawValue: "loadReentered")
    /// The entry succeeded, but a hook of the plug-in, `activate`, failed.
    public static let activationFailed = Self(rawValue: "activationFailed")
    /// Bundles wait for one another to load.
    public static let dependencyCycle = Self(rawValue: "dependencyCycle")
    /// `PHReplaces` of a bundle has no effect: another plug-in replaces the same identifier, or the replacements lead in
    /// a circle or over too many identifiers.
    public static let replacementAmbiguous = Self(rawValue: "replacementAmbiguous")
    /// The load or unload was in progress in the process from which this one was forked.
    public static let loadInterrupted = Self(rawValue: "loadInterrupted")
    /// There is no principal class, or it does not have the requested type.
    public static let principalClassMissing = Self(rawValue: "principalClassMissing")
    /// A factory or provider failed to create an object.
    public static let instantiationFailed = Self(rawValue: "instantiationFailed")
    /// A plug-in requested a service that its Info.plist does not declare in `PHUses`.
    public static let serviceUndeclared = Self(rawValue: "serviceUndeclared")
    /// A service that a plug-in requested has no provider.
    public static let serviceMissing = Self(rawValue: "serviceMissing")
    /// A C function is unknown, is not exported, or belongs to a bundle that was unloaded.
    public static let functionUnavailable = Self(rawValue: "functionUnavailable")
    /// A text is not a valid signature of a C function.
    public static let signatureInvalid = Self(rawValue: "signatureInvalid")
    /// The signature of a C function differs from the requested one, or its signature in `PHFunctions` differs from the
    /// one in the code.
    public static let signatureMismatch = Self(rawValue: "signatureMismatch")
    /// A C function was called with too many or too few arguments, or with an argument of the wrong type.
    ///
    /// The function did not run.
    public static let argumentInvalid = Self(rawValue: "argumentInvalid")
    /// A C function returned NULL, or text that is not UTF-8, contrary to its signature.
    public static let resultInvalid = Self(rawValue: "resultInvalid")
    /// A C function returned a failure, or a C++ exception escaped from it.
    public static let functionFailed = Self(rawValue: "functionFailed")

    /// The user has disabled the plug-in.
    ///
    /// A warning.
    public static let disabledByUser = Self(rawValue: "disabledByUser")
    /// The file with the user's choices about plug-ins cannot be read or written; nothing is disabled.
    public static let choicesUnreadable = Self(rawValue: "choicesUnreadable")
    /// A list of a Settings.bundle, or a file with values of settings, cannot be read or written.
    public static let settingsUnreadable = Self(rawValue: "settingsUnreadable")
    /// An element of a Settings.bundle cannot be used as it is written.
    public static let settingsMalformed = Self(rawValue: "settingsMalformed")
    /// A Settings.bundle has a type or a key that this version does not know.
    ///
    /// A warning.
    public static let settingUnknown = Self(rawValue: "settingUnknown")
    /// A secret setting has a value in a file, or was to be written to one.
    public static let settingSecret = Self(rawValue: "settingSecret")
    /// A value of a setting has the wrong type or is not allowed; the one of the layer below counts.
    public static let settingInvalid = Self(rawValue: "settingInvalid")
    /// The administrator does not let the user change a setting.
    public static let settingLocked = Self(rawValue: "settingLocked")
    /// Code uses a setting that the Settings.bundle lacks, or declares with another type.
    public static let settingUndeclared = Self(rawValue: "settingUndeclared")

    /// An entry of a strings table is malformed; the other entries are used.
    public static let stringsTableFaulty = Self(rawValue: "stringsTableFaulty")
    /// A strings table exists but cannot be read; it counts as empty.
    ///
    /// If the system refused to open it, it is read again at the next look-up.
    public static let stringsTableUnreadable = Self(rawValue: "stringsTableUnreadable")
    /// No table has a requested string; reported only under NSShowNonLocalizedStrings.
    public static let stringNotLocalized = Self(rawValue: "stringNotLocalized")
    /// A localised format does not match the arguments that were passed.
    public static let stringFormatMismatch = Self(rawValue: "stringFormatMismatch")

    /// A directory cannot be watched for changes.
    public static let watchFailed = Self(rawValue: "watchFailed")
    /// The private copy of a bundle, from which its code is loaded, cannot be made.
    public static let copyFailed = Self(rawValue: "copyFailed")
    /// A private copy of a bundle lacks files that cannot be copied: a FIFO, socket or device.
    ///
    /// A warning.
    public static let copyIncomplete = Self(rawValue: "copyIncomplete")
    /// A newer generation of the bundle has replaced this one.
    public static let superseded = Self(rawValue: "superseded")

    /// A directory of resources cannot be read at the moment.
    ///
    /// It counts as empty for this look-up, and is read again at the next.
    public static let resourcesUnreadable = Self(rawValue: "resourcesUnreadable")

    // Nibs, images and sounds

    /// No nib has the requested name.
    public static let nibMissing = Self(rawValue: "nibMissing")
    /// The nib's file cannot be read: it is not a regular file, is too large, is not XML, or exceeds a limit.
    public static let nibUnreadable = Self(rawValue: "nibUnreadable")
    /// The nib has an unsupported format, or a kind of connection for which no connector is registered.
    public static let nibUnsupported = Self(rawValue: "nibUnsupported")
    /// The nib uses a class or element that is not registered for it.
    public static let nibClassMissing = Self(rawValue: "nibClassMissing")
    /// Two objects have the same id, a destination does not exist, or a connection has no name.
    public static let nibReferenceInvalid = Self(rawValue: "nibReferenceInvalid")
    /// An outlet is not declared, or does not accept its destination.
    public static let nibOutletInvalid = Self(rawValue: "nibOutletInvalid")
    /// An action or event is not declared, or the action does not accept its sender.
    public static let nibActionInvalid = Self(rawValue: "nibActionInvalid")
    /// A runtime attribute is not declared, or does not accept its value.
    public static let nibAttributeInvalid = Self(rawValue: "nibAttributeInvalid")
    /// The nib does not connect a required outlet.
    public static let nibOutletUnconnected = Self(rawValue: "nibOutletUnconnected")
    /// The nib connects File's Owner but there is no owner, or the owner has an unsuitable class.
    public static let nibOwnerInvalid = Self(rawValue: "nibOwnerInvalid")
    /// The nib connects a placeholder that the caller did not supply.
    public static let nibPlaceholderMissing = Self(rawValue: "nibPlaceholderMissing")
    /// An initialiser or a connector failed while a nib was instantiated.
    public static let nibObjectFailed = Self(rawValue: "nibObjectFailed")
    /// Nibs instantiate one another too deeply.
    public static let nibNested = Self(rawValue: "nibNested")
    /// A nib with main-actor classes was not instantiated on the main thread.
    public static let nibThread = Self(rawValue: "nibThread")
    /// An image or sound that a nib names is missing.
    ///
    /// A warning: the attribute keeps its value.
    public static let nibResourceMissing = Self(rawValue: "nibResourceMissing")
    /// A class's NibInterface declares a name twice, or inherits from a class that is not its superclass.
    public static let nibInterfaceInvalid = Self(rawValue: "nibInterfaceInvalid")

    // Plug-ins in worker processes

    /// `PHPermissions` asks for a permission without a reason.
    ///
    /// A warning of the checker.
    public static let reasonMissing = Self(rawValue: "reasonMissing")

    /// The application's decision contradicts the requirement in the bundle's `PHExecution`.
    public static let executionConflict = Self(rawValue: "executionConflict")
    /// This machine or this application cannot confine a worker as decided.
    ///
    /// The plug-in is not loaded: it never runs with less protection than was decided.
    public static let sandboxUnavailable = Self(rawValue: "sandboxUnavailable")
    /// No worker process could be started, or it was not ready in time.
    public static let workerUnavailable = Self(rawValue: "workerUnavailable")
    /// The worker process ended during the call or before it.
    ///
    /// The plug-in's objects in it are gone. No call is repeated.
    public static let workerEnded = Self(rawValue: "workerEnded")
    /// The plug-in, running in a worker, threw an error that is not a `PluginFailure`.
    public static let callFailed = Self(rawValue: "callFailed")
    /// A call was not answered in time; its worker was ended.
    public static let callTimedOut = Self(rawValue: "callTimedOut")
    /// A call was not made: it is a callback after the end of its call, or the same call with the same values has ended
    /// workers before.
    public static let callRefused = Self(rawValue: "callRefused")
    /// The values of a call or of its answer exceed the limit `message`.
    public static let messageTooLarge = Self(rawValue: "messageTooLarge")
    /// A worker violated the protocol between it and the host; it was ended.
    public static let protocolViolation = Self(rawValue: "protocolViolation")
    /// A principal class, or an extension point without a remote interface, cannot be used from a worker.
    public static let notRemote = Self(rawValue: "notRemote")
    /// The catalogue requires a trial of the plug-in before its first use, and the trial failed or was not possible.
    ///
    /// The other findings state why.
    public static let probeFailed = Self(rawValue: "probeFailed")
    /// The plug-in is in quarantine, because its code ended processes.
    ///
    /// A warning of `pluginhost doctor` if it did so, but not yet often enough for the quarantine.
    public static let quarantined = Self(rawValue: "quarantined")
    /// The file that lists the plug-ins in quarantine cannot be read or written, or was damaged.
    ///
    /// A warning if the file's copy is used instead; an error if there is no usable copy, so that no plug-in is used.
    public static let quarantineUnusable = Self(rawValue: "quarantineUnusable")
    /// The administrator's list of where plug-ins run cannot be used.
    public static let executionListUnusable = Self(rawValue: "executionListUnusable")
    /// The file with the user's consents (what plug-ins may access) cannot be read or written, or is damaged.
    ///
    /// A warning: plug-ins get less access, never more.
    public static let consentsUnusable = Self(rawValue: "consentsUnusable")
    /// A safe start skips the plug-in.
    ///
    /// A warning.
    public static let leftOutBySafeStart = Self(rawValue: "leftOutBySafeStart")
    /// A crash journal cannot be read or written.
    ///
    /// A warning, unless the call that begins the journal is invalid.
    public static let journalUnusable = Self(rawValue: "journalUnusable")
}
