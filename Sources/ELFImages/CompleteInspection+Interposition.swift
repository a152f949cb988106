import HostBasics
import PropertyLists

/// Symbols of the bundle in whose place the dynamic linker uses those of others.
extension CompleteInspection {
    /// The bundle's files, except those that the process has already.
    private var ownFiles: [ELFFile] { closure.newFiles.filter { $0 === file || isOfBundle($0.path) } }

    // MARK: Unique symbols

    /// How many names are listed.
    private static let listedNames = 3

    /// Reports unique symbols, which have one definition in the whole process (fault 716).
    mutating func checkUniqueSymbols() {
        for file in ownFiles {
            guard let symbols = file.symbols else { continue }
            let unique = symbols.numbers(atMost: Self.examinedLimit).filter {
                symbols[$0].binding == ELF.uniqueBinding && symbols[$0].isDefined
            }
            guard let first = unique.first else { continue }
            let names = unique.lazy.map { number in
                let name = symbols.name(of: symbols[number])
                return quoted(SymbolNames.demangled(name) ?? name)
            }
            warn(
                .symbolsMerged, path: file.path, subject: symbols.name(of: symbols[first]),
                "\(quoted(file.path)) defines \(counted(unique.count, "unique symbol")), which the "
                    + "dynamic linker merges with those of all other files in the process: "
                    + "\(shownList(names, atMost: Self.listedNames)).",
                // Not -fvisibility=hidden: the templates of the C++ library say that they are visible.
                "Compile it, and every static library in it, with -fno-gnu-unique.")
        }
    }

    // MARK: Symbols that others replace

    /// How many symbols of a file are reported; the rest is only counted.
    private static let replacedLimit = 10

    /// Reports symbols that a file defines and refers to, but that the program or its libraries define too (faults 718
    /// and 719).
    ///
    /// The dynamic linker searches these first, so the file uses their definitions instead of its own. Weak symbols are
    /// meant to be merged, and a symbol to which no relocation refers is reached directly.
    mutating func checkReplacedSymbols() {
        // The global scope of this process is known too, but not which application the bundle is for.
        guard host.isNamedProgram else { return }
        for file in ownFiles where !file.dynamic.isSymbolic {
            let replaced = replacedSymbols(of: file)
            for (name, library) in replaced.prefix(Self.replacedLimit) {
                warn(
                    .symbolReplaced, path: file.path, subject: name,
                    "\(quoted(file.path)) defines and uses the symbol \(SymbolNames.described(name)), but \(quoted(library)) "
                        + "defines it too, and is used instead.",
                    "Hide it, with “static” or -fvisibility=hidden, or link with -Wl,-Bsymbolic.")
            }
            if replaced.count > Self.replacedLimit {
                warn(
                    .symbolReplaced, path: file.path,
                    "\(quoted(file.path)) defines and uses \(replaced.count - Self.replacedLimit) more symbols that the "
                        + "application defines too.",
                    "Hide them with -fvisibility=hidden, or link with -Wl,-Bsymbolic.")
            }
        }
    }

    private func replacedSymbols(of file: ELFFile) -> [(name: String, library: String)] {
        guard let symbols = file.symbols else { return [] }
        var budget = ReadingBudget(inputSize: Int(clamping: file.file.identity.size))
        var found: [(name: String, library: String)] = []
        for number in file.symbolsOfRelocations(atMost: min(symbols.count, Self.examinedLimit)) {
            let symbol = symbols[number]
            guard symbol.isDefined, symbol.binding == ELF.globalBinding, symbol.visibility == ELF.defaultVisibility
            else {
                continue
            }
            let text = symbols.name(of: symbol)
            guard budget.take(bytes: text.utf8.count) else { break }
            let name = SymbolName(text)
            if name.bytes.isEmpty { continue }
            let version = file.versions.defined[file.versions.index(ofSymbol: number).index]
            let library = host.globalScope.first { library in
                library.file.map { Self.defines(name, version: version, in: $0) } ?? false
            }
            if let library { found.append((text, library.path)) }
        }
        return found
    }
}

extension ELFFile {
    /// The numbers of the symbols below a limit that the dynamic linker looks up for this file's own relocations, in
    /// order.
    fileprivate func symbolsOfRelocations(atMost limit: Int) -> [Int] {
        var isUsed = [Bool](repeating: false, count: limit)
        for (address, size) in [
            (dynamic.relocations, dynamic.relocationsSize), (dynamic.pltRelocations, dynamic.pltRelocationsSize),
        ] where size > 0 {
            guard let bytes = bytes(atAddress: address, count: size) else { continue }
            bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, through: bytes.count - ELF.relocationSize, by: ELF.relocationSize) {
                    let kind = RelocationKind(type: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
                    let symbol = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                    if kind != .none, kind != .relative, kind != .indirect, symbol < limit { isUsed[symbol] = true }
                }
            }
        }
        return isUsed.indices.dropFirst().filter { isUsed[$0] }
    }
}
