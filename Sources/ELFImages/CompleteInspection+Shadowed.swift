import HostBasics

extension CompleteInspection {
    /// The libraries of the bundle that are not used, because the process has others with their names.
    private var shadowedLibraries: [(name: String, file: ELFFile, image: HostLibraries.Library)] {
        closure.shadowed.filter { isOfBundle($0.file.path) }
    }

    /// Reports libraries of the bundle in whose place the application's are used (fault 712).
    ///
    /// The dynamic linker searches the program and its libraries first in every look-up, so not even a name of its own
    /// would give the bundle its library.
    mutating func checkShadowedLibraries() {
        for (name, file, image) in shadowedLibraries {
            warn(
                .libraryShadowed, path: file.path, subject: name,
                "\(quoted(file.path)) is not used: the application has \(quoted(image.path)), a library of the same name.",
                "Let the plug-in run in a process of its own (PHExecution: isolated), which has only PluginHost and its "
                    + "libraries, or link the library statically, with -fvisibility=hidden.")
        }
    }

    /// The library of the bundle that defines a symbol, but is not used because the application has another one of its
    /// name.
    func shadowedDefinition(of symbol: String) -> (file: ELFFile, image: HostLibraries.Library)? {
        let name = SymbolName(symbol)
        let found = shadowedLibraries.first { $0.file.symbols?.definitions(of: name).isEmpty == false }
        return found.map { ($0.file, $0.image) }
    }

    /// Reports a symbol that only a library of the bundle defines which is not used.
    mutating func addShadowed(
        _ name: String, in file: ELFFile, _ library: ELFFile, shadowedBy image: HostLibraries.Library
    ) {
        add(
            .symbolMissing, path: file.path, subject: name,
            "\(quoted(file.path)) uses the symbol \(SymbolNames.described(name)), which \(quoted(library.path)) defines; but "
                + "the application has \(quoted(image.path)), a library of the same name, which is used instead and does "
                + "not define it.",
            "Let the plug-in run in a process of its own (PHExecution: isolated), link the library statically, with "
                + "-fvisibility=hidden, or build the plug-in with the application's version of it.")
    }
}
