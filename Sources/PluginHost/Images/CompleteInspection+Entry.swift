import CPluginSupport

extension CompleteInspection {
    // MARK: - An entry that is not exported

    /// States why the entry is not exported, if the file shows it: the function exists but is hidden, or the compiler
    /// gave it another name (fault 81).
    mutating func explainMissingEntry() {
        let entry = ImageInspector.entrySymbol
        replaceFirst({ $0.code == .symbolMissing && $0.subject == entry && $0.severity == .error }) { inspection in
            let names = inspection.file.functionNames(holding: entry)
            // If it is data with that name, the quick inspection has already reported it.
            if names.contains(entry), !inspection.file.exports(entry) { return inspection.hiddenEntry }
            return names.firstNonNil(inspection.mangledEntry)
        }
    }

    private var hiddenEntry: PluginFinding {
        finding(
            .symbolMissing, subject: ImageInspector.entrySymbol,
            "\(quoted(file.path)) defines the function \(quoted(ImageInspector.entrySymbol)) but does not export it.",
            file.isSwift
                ? "Write “public” before the function: @c(plugin_entry) public func …"
                : "Write PLUGIN_EXPORT before the function, and let no version script of the linker hide it.")
    }

    private func mangledEntry(_ name: String) -> PluginFinding? {
        let isCPlusPlus = name.hasPrefix("_Z")
        // In both languages, the mangled name contains the source name after its length.
        let inSource = "\(ImageInspector.entrySymbol.utf8.count)\(ImageInspector.entrySymbol)"
        guard isCPlusPlus || name.hasPrefix("$s"), name.contains(inSource) else { return nil }
        return finding(
            .symbolMissing, subject: ImageInspector.entrySymbol,
            "\(quoted(file.path)) does not export the C function \(quoted(ImageInspector.entrySymbol)); it has "
                + "\(SymbolNames.described(name)), a \(isCPlusPlus ? "C++" : "Swift") function.",
            isCPlusPlus
                ? "Declare it extern \"C\" and with the parameters of plugin_abi.h: PLUGIN_EXPORT plugin_status "
                    + "plugin_entry(const plugin_host *host). Other parameters make it another function."
                : "Write @c(plugin_entry) before the function, and “public”.")
    }

    // MARK: - A note that was removed

    /// Reports that a plug-in has lost the note that it must have.
    ///
    /// registerPlugin() is compiled into the plug-in together with the note. Tools that remove sections delete the
    /// note, and leave zeros in its place or a program header that points nowhere.
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

extension ImageFile {
    /// The limit of symbols to search.
    private static let mostSymbols = 200_000
    private static let mostSymbolBytes: UInt64 = 16 << 20

    /// The names of functions that the file defines, exported or not, and that contain a text, unless the symbols were
    /// stripped.
    func functionNames(holding text: String) -> [String] {
        let text = Array(text.utf8)
        guard let table = section(named: ".symtab").flatMap({ content(of: $0, limit: Self.mostSymbolBytes) }),
            let names = section(named: ".strtab").flatMap({ content(of: $0, limit: Self.mostSymbolBytes) })
        else {
            guard let symbols else { return [] }
            return symbols.numbers(atMost: Self.mostSymbols).compactMap {
                Self.name(of: symbols[$0], in: symbols.strings, holding: text)
            }
        }
        return table.withUnsafeBytes { table in
            (0..<min(table.count / ELF.symbolSize, Self.mostSymbols)).compactMap {
                Self.name(of: ELFSymbol(table, at: $0 * ELF.symbolSize), in: names, holding: text)
            }
        }
    }

    /// The longest name that is read for an entry, in bytes: no entry has a longer one, mangled or not.
    ///
    /// Names may share their bytes, so together they could be far longer than the file.
    private static let mostNameBytes = 256

    private static func name(of symbol: ELFSymbol, in strings: [UInt8], holding text: [UInt8]) -> String? {
        guard symbol.isDefined, symbol.type == ELF.functionType, Int(symbol.name) < strings.count else { return nil }
        return strings.withUnsafeBytes { strings in
            let tail = UnsafeRawBufferPointer(rebasing: strings[Int(symbol.name)...].prefix(mostNameBytes))
            let name = UnsafeRawBufferPointer(rebasing: tail[..<(tail.offset(of: 0) ?? tail.count)])
            return holds(name, text) ? String(decoding: name, as: UTF8.self) : nil
        }
    }

    private static func holds(_ name: UnsafeRawBufferPointer, _ text: [UInt8]) -> Bool {
        var rest = name
        while rest.count >= text.count, let start = rest.offset(of: text[0]) {
            rest = UnsafeRawBufferPointer(rebasing: rest[start...])
            if rest.starts(with: text) { return true }
            rest = UnsafeRawBufferPointer(rebasing: rest[1...])
        }
        return false
    }

    func exports(_ name: String) -> Bool { symbols?.definitions(of: SymbolName(name)).isEmpty == false }

    /// Whether the file uses a symbol of another file whose name begins with a text.
    func uses(symbolBeginningWith text: String) -> Bool {
        guard let symbols else { return false }
        let text = Array(text.utf8)
        return symbols.numbers(atMost: Self.mostSymbols).contains { number in
            let symbol = symbols[number]
            return !symbol.isDefined && Int(symbol.name) < symbols.strings.count
                && symbols.strings[Int(symbol.name)...].starts(with: text)
        }
    }
}
