import CPluginSupport
import HostBasics

extension CompleteInspection {
    // MARK: - An entry that is not exported

    /// Explains why the entry is not exported, if the file shows the reason: the function is hidden, or the compiler
    /// gave it another name (fault 81).
    mutating func explainMissingEntry() {
        let entry = ELFInspector.entrySymbol
        replaceFirst({ $0.code == .symbolMissing && $0.subject == entry && $0.severity == .error }) { inspection in
            let names = LibraryFunctions(of: inspection.file).names(holding: entry)
            // If the name belongs to data, the quick inspection has already reported that.
            if names.contains(entry), !inspection.file.exports(entry) { return inspection.hiddenEntry }
            return names.firstNonNil(inspection.mangledEntry)
        }
    }

    private var hiddenEntry: PluginFinding {
        finding(
            .symbolMissing, subject: ELFInspector.entrySymbol,
            "\(quoted(file.path)) defines the function \(quoted(ELFInspector.entrySymbol)) but does not export it.",
            file.isSwift
                ? "Write “public” before the function: @c(plugin_entry) public func …"
                : "Write PLUGIN_EXPORT before the function, and let no version script of the linker hide it.")
    }

    private func mangledEntry(_ name: String) -> PluginFinding? {
        let isCPlusPlus = name.hasPrefix("_Z")
        // In both languages, the mangled name contains the source name after its length.
        let inSource = "\(ELFInspector.entrySymbol.utf8.count)\(ELFInspector.entrySymbol)"
        guard isCPlusPlus || name.hasPrefix("$s"), name.contains(inSource) else { return nil }
        return finding(
            .symbolMissing, subject: ELFInspector.entrySymbol,
            "\(quoted(file.path)) does not export the C function \(quoted(ELFInspector.entrySymbol)); it has "
                + "\(SymbolNames.described(name)), a \(isCPlusPlus ? "C++" : "Swift") function.",
            isCPlusPlus
                ? "Declare it extern \"C\" and with the parameters of plugin_abi.h: PLUGIN_EXPORT plugin_status "
                    + "plugin_entry(const plugin_host *host). Other parameters make it another function."
                : "Write @c(plugin_entry) before the function, and “public”.")
    }

    // MARK: - A note that was removed

    /// Reports a plug-in that has lost its note.
    ///
    /// registerPlugin() is compiled into the plug-in together with the note. Tools that remove sections delete the note
    /// and leave zeros or a program header that points nowhere.
    mutating func checkRemovedNote() {
        guard quick.note == nil, !file.sections.isEmpty, file.section(named: PLUGIN_NOTE_SECTION) == nil,
            file.uses(symbolBeginningWith: Self.registerPlugin)
        else { return }
        let removed = finding(
            .abiMismatch, subject: PLUGIN_NOTE_SECTION,
            "\(quoted(file.path)) has lost its note: the section \(PLUGIN_NOTE_SECTION), which registerPlugin() put there, "
                + "was removed after the plug-in was linked.",
            "Build the plug-in again, and remove no section from it: strip keeps the note, “objcopy --remove-section” and "
                + "“objcopy --only-section” take it away.")
        var isNamed = false
        replaceFirst({ $0.message.contains("PT_NOTE") }) { _ in
            isNamed = true
            return removed
        }
        if !isNamed { add([removed]) }
    }

    /// The mangled beginning of PluginABI's `_registerPlugin(with:note:toolchain:_:)`.
    private static let registerPlugin = "$s9PluginABI09_registerA0"

    // MARK: -

    private mutating func replaceFirst(
        _ isWanted: (PluginFinding) -> Bool, by better: (CompleteInspection) -> PluginFinding?
    ) {
        guard let index = findings.firstIndex(where: isWanted), let better = better(self) else { return }
        replaceFinding(at: index, by: better)
    }

    private func finding(
        _ code: PluginError.Code, subject: String, _ message: String, _ remedy: String
    ) -> PluginFinding {
        PluginFinding(.error, code, filePath: file.path, subject: subject, message: message, remedy: remedy)
    }
}

extension ELFFile {
    /// The maximum number of symbols to search.
    private static let mostSymbols = 200_000

    package func exports(_ name: String) -> Bool { symbols?.definitions(of: SymbolName(name)).isEmpty == false }

    /// Whether the file uses a symbol that it does not define and whose name begins with a text.
    package func uses(symbolBeginningWith text: String) -> Bool {
        guard let symbols else { return false }
        let text = Array(text.utf8)
        return symbols.numbers(atMost: Self.mostSymbols).contains { number in
            let symbol = symbols[number]
            return !symbol.isDefined && Int(symbol.name) < symbols.strings.count
                && symbols.strings[Int(symbol.name)...].starts(with: text)
        }
    }
}
