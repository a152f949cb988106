import HostBasics
import PropertyLists

extension CompleteInspection {
    /// How many undefined symbols are reported; the rest is only counted.
    private static let symbolLimit = 100
    /// How many symbols are examined; only a file designed to be slow has more.
    static let examinedLimit = 200_000

    /// Reports all used symbols that nothing defines (fault 68).
    mutating func checkUndefinedSymbols() {
        // A missing library, which is reported by its name, or a library in the scope that cannot be read may define any
        // symbol, so nothing can be reported.
        guard closure.missing.isEmpty, !(host.globalScope + closure.present).contains(where: Self.isUnknown) else {
            return
        }
        let scope = searchScope()
        for file in closure.newFiles {
            let (undefined, isComplete) = Self.undefined(
                in: file, scope: scope, satisfied: versionsNotFound(of: file))
            if !isComplete { addUnexamined(in: file) }
            addUndefined(undefined, in: file)
        }
    }

    /// Whether a loaded file may define symbols that cannot be read.
    ///
    /// The kernel's library (vDSO) has no file, and no symbol that plug-ins use.
    static func isUnknown(_ image: HostLibraries.Library) -> Bool {
        guard let file = image.file else { return image.path.utf8.contains(UInt8(ascii: "/")) }
        return !file.hasReadableStrings || file.dynamic.gnuHash != 0 && file.symbols == nil
    }

    /// The files that the dynamic linker searches: the program and its libraries, then the plug-in and its libraries.
    private func searchScope() -> [ELFFile] {
        var scope: [ELFFile] = []
        for file in (host.globalScope + closure.present).compactMap(\.file) + closure.newFiles
        where !scope.contains(where: { $0 === file }) {
            scope.append(file)
        }
        return scope
    }

    /// The indices of needed versions that the library lacks; the version is reported as missing, not its symbols.
    private func versionsNotFound(of file: ELFFile) -> Set<UInt16> {
        Set(
            file.versions.needed.filter { _, version in
                guard let provider = closure.providers[version.library] else { return false }
                return provider.versions.isDefiner && !provider.versions.defined.values.contains(version.name)
            }.keys)
    }

    /// The symbols that nothing defines.
    ///
    /// A name that several symbols share is looked up once, and the total length of the names is limited by the size of
    /// the file.
    private static func undefined(
        in file: ELFFile, scope: [ELFFile], satisfied: Set<UInt16>
    ) -> (names: [String], isComplete: Bool) {
        guard let symbols = file.symbols else { return ([], true) }
        var budget = ReadingBudget(inputSize: Int(clamping: file.file.identity.size))
        var names: [String] = []
        var seen: Set<UInt64> = []
        for index in 1..<max(min(symbols.count, examinedLimit), 1) {
            let symbol = symbols[index]
            guard !symbol.isDefined, symbol.binding != ELF.weakBinding, symbol.binding != ELF.localBinding else {
                continue
            }
            let version = file.versions.index(ofSymbol: index).index
            guard !satisfied.contains(version), seen.insert(UInt64(symbol.name) << 16 | UInt64(version)).inserted else {
                continue
            }
            let text = symbols.name(of: symbol)
            guard budget.take(bytes: text.utf8.count) else { return (names, false) }
            let name = SymbolName(text)
            guard !name.bytes.isEmpty else { continue }
            let wanted = file.versions.needed[version]?.name
            if !scope.contains(where: { defines(name, version: wanted, in: $0) }) { names.append(name.text) }
        }
        return (names, true)
    }

    /// As in glibc's check_match(): a requested version must equal the definition's version, unless the definition has
    /// none.
    static func defines(_ name: SymbolName, version: String?, in file: ELFFile) -> Bool {
        guard let symbols = file.symbols else { return false }
        return symbols.definitions(of: name).contains { index in
            let own = file.versions.index(ofSymbol: index)
            guard let version else { return !own.isHidden || own.index <= 2 }
            guard file.versions.isDefiner, let defined = file.versions.defined[own.index] else { return !own.isHidden }
            return defined == version
        }
    }

    private mutating func addUnexamined(in file: ELFFile) {
        warn(
            .symbolMissing, path: file.path,
            "\(quoted(file.path)) has symbol names that are far longer in total than the file; not all were looked up.",
            QuickInspection.rebuild)
    }

    private mutating func addUndefined(_ names: [String], in file: ELFFile) {
        for name in names.prefix(Self.symbolLimit) {
            if let shadowed = shadowedDefinition(of: name) {
                addShadowed(name, in: file, shadowed.file, shadowedBy: shadowed.image)
                continue
            }
            if let image = hiddenDefinition(of: name) {
                addHidden(name, in: file, definedBy: image)
                continue
            }
            add(
                .symbolMissing, path: file.path, subject: name,
                "\(quoted(file.path)) uses the symbol \(SymbolNames.described(name)), which nothing in the process "
                    + "defines.",
                "Link the plug-in with the library that defines it; if the host's program does, link that with "
                    + "-Xlinker --export-dynamic; if it did in an earlier version, build the plug-in against the "
                    + "current one."
            )
        }
        guard names.count > Self.symbolLimit else { return }
        add(
            .symbolMissing, path: file.path,
            "\(quoted(file.path)) uses \(names.count - Self.symbolLimit) more symbols that nothing in the process "
                + "defines.",
            "Link the plug-in with the libraries that define them.")
    }

    /// Reports a symbol that only a file outside of the search defines: most often a library that another plug-in
    /// brought.
    ///
    /// The dynamic linker searches that file only if it was opened with RTLD_GLOBAL. Then the plug-in works by chance.
    private mutating func addHidden(_ name: String, in file: ELFFile, definedBy image: String) {
        let what =
            "\(quoted(file.path)) uses the symbol \(SymbolNames.described(name)), which only \(quoted(image)) defines: "
            + "a library to which the plug-in is not linked"
        let library = quoted(Path.lastComponent(image))
        if host.isVisibleToAll(name) {
            warn(
                .symbolMissing, path: file.path, subject: name,
                what + ", and which it sees only because something opened it with RTLD_GLOBAL.",
                "Link the plug-in with \(library).")
        } else {
            add(
                .symbolMissing, path: file.path, subject: name,
                what + ", so the dynamic linker does not search it.",
                "Link the plug-in with \(library); if another plug-in brought that file, put a copy into "
                    + "Contents/Frameworks.")
        }
    }

    /// The path of a file in the process that defines a symbol in any version, outside of the plug-in's scope.
    private func hiddenDefinition(of symbol: String) -> String? {
        let name = SymbolName(symbol)
        return host.libraries.first { $0.file?.symbols?.definitions(of: name).isEmpty == false }?.path
    }
}
