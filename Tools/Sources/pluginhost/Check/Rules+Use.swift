import PluginHost

extension Rule {
    static let use: [Rule] = [
        .plugin(
            .lateRegistration, .standard, .use,
            what: "The code registered something after plugin_entry had returned.",
            why: "The host ignores such a registration, so the plug-in lacks it in every application.",
            mend: "Finish all registrations before plugin_entry returns."),
        .plugin(
            .registrationsVary, .standard, .use,
            what: "Two loads of the same bundle registered different things.",
            why: "What an application finds would depend on chance.",
            mend: "Register the same items in every process; decide about the environment when an object is made."),
        .plugin(
            .reloadFailed, .standard, .use,
            what: "The bundle was unloaded, and could not be loaded again with the same registrations.",
            why: "An application cannot switch the plug-in off and on.",
            mend: "Undo in deactivate everything that activate did, so that activate succeeds each time."),
        .plugin(
            .principalClassMissing, .standard, .use,
            what: "The class that NSPrincipalClass names does not exist, or cannot be created.",
            why: "An application that uses the principal class gets an error instead of an object.",
            mend: "Register the class in plugin_entry, or correct NSPrincipalClass."),
        .plugin(
            .instantiationFailed, .standard, .use,
            what: "A factory, a provider or the principal class could not create an object.",
            why: "An application offers it, and fails when it is used.",
            mend: "Correct the cause that the message states."),
        .plugin(
            .objectsKept, .strict, .use,
            what: "Objects still exist after everyone who requested them has released them.",
            why:
                "An application that makes and releases objects needs ever more memory, and the plug-in is never idle.",
            mend: "Keep no strong references to objects that were handed out; use weak ones."),
        .plugin(
            .memoryKept, .strict, .use,
            what: "Each object that was created and released left memory behind.",
            why: "An application that makes and releases objects needs ever more memory.",
            mend:
                "Free in release, or in deinit, everything that create allocated. AddressSanitizer shows what is left."),
        .plugin(
            .slowEntry, .strict, .use,
            what: "plugin_entry took longer than 100 ms in several processes.",
            why: "Every start of the application waits for it.",
            mend: "Only register in plugin_entry; open files and prepare tables when the first object is made."),
        .plugin(
            .outputInEntry, .strict, .use,
            what: "The code wrote to standard output while it was loaded.",
            why: "The output of a command-line application belongs to the application; the plug-in's text damages it.",
            mend: "Use the host's log()."),
        .plugin(
            .threadInEntry, .strict, .use,
            what: "The code started a thread that was still running when plugin_entry returned.",
            why:
                "The thread runs even if the load fails afterwards, and code that was never activated cannot be stopped.",
            mend: "Start threads in activate, and end them in deactivate."),
        .plugin(
            .processChanged, .strict, .use,
            what: """
                The code changed something that belongs to the whole process or to the thread that called it: the locale, \
                the action of a signal, the signal mask or stack, the working directory, the umask, the environment, a \
                limit, a timer, a descriptor, how floating-point numbers are treated, the personality, or who may trace \
                the process.
                """,
            why: """
                The application and all other plug-ins share it, and behave differently afterwards. The host undoes only \
                changes of floating-point numbers.
                """,
            mend: """
                Follow the advice of the message: most of these have a form for one thread, one file or one process. Link \
                without -ffast-math.
                """),
    ]
}
