import PluginHost

extension Rule {
    static let bundle: [Rule] = [
        .plugin(
            .bundleNotFound, .load, .bundle,
            what: "There is no directory at the bundle's path.",
            why: "Nothing can be loaded from a path that leads to no directory.",
            mend: "Correct the path, or install the bundle again."),
        .plugin(
            .manifestUnreadable, .load, .bundle,
            what: "Info.plist is missing, is not a regular file, is too large, or is not a property list.",
            why:
                "Info.plist names the executable and what the plug-in offers. Without it the bundle cannot be found or loaded.",
            mend: "Run “pluginhost lint” on the file: it shows the line and column of each fault."),
        .plugin(
            .manifestInvalid, .load, .bundle,
            what: """
                A key in Info.plist has a value that cannot be used. As a warning: a key that begins with PH is unknown, has no \
                effect, or does not describe the executable; a known key has a blank around its name or is misspelt; a text or \
                address for people, a document type or a conflict is not used as written; PHRequires names the bundle itself; a name or version is empty, or has blanks around \
                it. A host ignores names and versions with build variables that were not expanded; here they are \
                errors.
                """,
            why: "The application would understand the key in another way than its author meant it, or not at all.",
            mend: "Correct the key. The page bundle-format.md lists all keys with their types."),
        .plugin(
            .identifierUnusual, .standard, .bundle,
            what: "The identifier has a character other than letters, digits, hyphens and dots.",
            why: "Apple's systems do not allow it, and shells, file systems and other tools read it in another way.",
            mend: "Use letters, digits, hyphens and dots only, such as org.example.Name."),
        .plugin(
            .identifierUnderscore, .strict, .bundle,
            what: "The identifier has an underscore.",
            why: "Apple's systems do not allow it.",
            mend: "Write a hyphen in its place."),
        .plugin(
            .reasonMissing, .strict, .bundle,
            what: "PHPermissions asks for something, and “reasons” has no sentence for it.",
            why: "A user who is asked whether to grant it cannot know what it is for.",
            mend:
                "Write a sentence into “reasons” of PHPermissions, and translate it in InfoPlist.strings as PHPermissions.NAME."
        ),
        .plugin(
            .executableMissing, .load, .bundle,
            what: "The executable that Info.plist names is in none of the places that are searched.",
            why: "There is no code to load.",
            mend: "Correct NSExecutable, or pack the bundle again with “pluginhost pack”."),
        .plugin(
            .executableOutsideBundle, .load, .bundle,
            what: "The executable is outside of the bundle, because of its name or a link.",
            why: "A bundle must not make an application load files that do not belong to the bundle.",
            mend: "Copy the file into the bundle, and write only a name into NSExecutable."),
        .plugin(
            .writableByOthers, .standard, .bundle,
            what: "Every user of the system may change a file of the bundle, or a directory that contains it.",
            why: "Any of them can decide which code the application runs.",
            mend: "Remove that permission: chmod o-w."),
        .plugin(
            .foreignOwner, .standard, .bundle,
            what: "A file of the bundle belongs to neither root nor the user who runs the check.",
            why: "The owner can change the code that the application runs.",
            mend: "Let root or the user of the application own it, unless you trust the owner."),
        .plugin(
            .nothingOffered, .standard, .bundle,
            what:
                "The bundle has code, but Info.plist declares nothing, or the code registers nothing that can be used.",
            why: "No application finds the plug-in, and no message says why.",
            mend: "Declare in PHFactories, PHFunctions or NSPrincipalClass what the code registers."),
    ]

    static let executable: [Rule] = [
        .plugin(
            .notLoadable, .load, .executable,
            what: "The executable is not a shared object for this machine, is damaged, or would harm the application.",
            why: "The dynamic linker refuses such a file, or the process crashes when the file is loaded.",
            mend: "Build the plug-in for this machine with “-shared -fPIC”, and copy the whole file."),
        .plugin(
            .dependencyMissing, .load, .executable,
            what: "A library that the executable needs was not found, or cannot be used.",
            why: "The dynamic linker loads all needed libraries or none.",
            mend: """
                Install the library, or put it into Contents/Frameworks. If the application brings it, name the application \
                with --host.
                """),
        .plugin(
            .libraryShadowed, .standard, .executable,
            what:
                "A library that the bundle carries is not used, because the application has another one of the same name.",
            why:
                "The plug-in runs with a library that it was not built with: symbols are missing, or structures differ.",
            mend: """
                Let the plug-in run in a process of its own (PHExecution: isolated), or link the library statically, with \
                -fvisibility=hidden.
                """),
        .plugin(
            .symbolReplaced, .standard, .executable,
            what: "The code defines and uses a symbol that the application or its libraries define too.",
            why: """
                The dynamic linker searches the application and its libraries first, so the code uses their definition \
                instead of its own.
                """,
            mend: "Hide the symbol, with “static” or -fvisibility=hidden, or link with -Wl,-Bsymbolic."),
        .plugin(
            .symbolsMerged, .strict, .executable,
            what: """
                The code defines unique symbols, which the dynamic linker merges with those of all other files: g++ makes \
                them for the statics of inline functions and templates.
                """,
            why: """
                Two plug-ins with such a symbol would share one variable, so the host loads the second one from a private \
                copy.
                """,
            mend: "Compile it, and every static library in it, with -fno-gnu-unique."),
        .plugin(
            .unsafeSearchPath, .load, .executable,
            what:
                "The executable looks for its libraries in an unsafe place: a relative path, or one that others may write to.",
            why: "Another user can make the application load a library of their own.",
            mend: "Link with “-rpath,$ORIGIN/…”, or without any RUNPATH."),
        .plugin(
            .symbolMissing, .load, .executable,
            what: "The function plugin_entry, or a symbol that the executable uses, is not defined.",
            why: "The load fails, or the process ends when the symbol is first used.",
            mend: """
                Export plugin_entry: “@c(plugin_entry) public” in Swift, PLUGIN_EXPORT in C, and extern "C" in C++. Link the \
                libraries that define the other symbols.
                """),
        .plugin(
            .abiMismatch, .load, .executable,
            what: "The plug-in was built for another version of the plug-in ABI, or its note is damaged.",
            why: "Host and plug-in would read each other's structures wrongly.",
            mend: "Build the plug-in again with the host's header or module, and keep the section .note.pluginhost."),
        .plugin(
            .toolchainMismatch, .load, .executable,
            what: "Host and plug-in were built by different Swift toolchains.",
            why: "Swift objects have another layout in each version of the compiler.",
            mend: "Build the plug-in with the host's Swift toolchain. “pluginhost --version” prints it."),
        .plugin(
            .interfaceMismatch, .load, .executable,
            what: """
                A protocol's requirements, or the layout of a type, have changed since the plug-in that uses them was compiled.
                """,
            why: "A call through the protocol would reach the wrong function, or a value would be read wrongly.",
            mend: "Build the plug-in against the application's present API, or raise the extension point's version."),
        .plugin(
            .interfaceUnrecorded, .standard, .executable,
            what: "The application's API has neither library evolution nor a record of its interfaces.",
            why: """
                Two requirements that change places, or another type of one, end in a wrong call or a crash, because only the \
                number of requirements is compared.
                """,
            mend: "Compile the API with library evolution, or write the record with “pluginhost record” or “stage”."),
        .plugin(
            .duplicateABI, .load, .executable,
            what: "The plug-in contains its own copy of PluginABI, or two files contain the same Swift module.",
            why: "The types of two copies are different types: casts fail, and registrations are lost.",
            mend: "Depend on the dynamic product of the module's package, and do not link the module statically."),
        .plugin(
            .undeclaredRegistration, .load, .executable,
            what: "The code registers something at an extension point that PHFactories does not declare.",
            why: "A catalogue reads only Info.plist, so applications do not find what is not declared.",
            mend: "Declare it in PHFactories with its name, extensionPoint and version."),
        .plugin(
            .unfulfilledDeclaration, .standard, .executable,
            what: "PHFactories or PHFunctions declares something that the code does not register.",
            why: "An application offers it to its user, and fails when the user chooses it.",
            mend: "Register it in plugin_entry under the declared name, or remove the declaration."),
    ]
}
