import HostBasics

/// The functions that a file defines: all of them, or only the exported ones if the other symbols were stripped.
struct LibraryFunctions {
    private let symbols: [ELFSymbol]
    private let strings: [UInt8]

    private static let mostSymbols = 200_000
    private static let mostSymbolBytes: UInt64 = 16 << 20
    /// The maximum number of bytes that are read of a name: no entry has a longer name, mangled or not, and few
    /// functions do.
    ///
    /// Names may share bytes, so their total length could be far greater than that of the file.
    private static let mostNameBytes = 256

    init(of file: ELFFile) {
        let isFunction = { (symbol: ELFSymbol) in symbol.isDefined && symbol.type == ELF.functionType }
        if let table = file.section(named: ".symtab").flatMap({ file.content(of: $0, limit: Self.mostSymbolBytes) }),
            let names = file.section(named: ".strtab").flatMap({ file.content(of: $0, limit: Self.mostSymbolBytes) })
        {
            strings = names
            symbols = table.withUnsafeBytes { table in
                (0..<min(table.count / ELF.symbolSize, Self.mostSymbols)).lazy
                    .map { ELFSymbol(table, at: $0 * ELF.symbolSize) }.filter(isFunction)
            }
        } else if let table = file.symbols {
            strings = table.strings
            symbols = table.numbers(atMost: Self.mostSymbols).lazy.map { table[$0] }.filter(isFunction)
        } else {
            (symbols, strings) = ([], [])
        }
    }

    /// The names that contain a text.
    package func names(holding text: String) -> [String] {
        let text = Array(text.utf8)
        return symbols.compactMap { symbol in
            withName(of: symbol) { Self.holds($0, text) ? String(decoding: $0, as: UTF8.self) : nil }
        }
    }

    /// The name of the function that contains an address, and the address's distance from its start.
    ///
    /// A symbol's size may be missing, so this is the last function that begins at or before the address.
    package func function(at address: UInt64) -> (name: String, distance: UInt64)? {
        let before = symbols.lazy.filter { $0.value <= address && $0.value != 0 }
        guard let symbol = before.max(by: { $0.value < $1.value }),
            let name = withName(of: symbol, { String(decoding: $0, as: UTF8.self) })
        else { return nil }
        return (name, address - symbol.value)
    }

    private func withName<Result>(of symbol: ELFSymbol, _ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
        guard Int(symbol.name) < strings.count else { return nil }
        return strings.withUnsafeBytes { strings in
            let tail = UnsafeRawBufferPointer(rebasing: strings[Int(symbol.name)...].prefix(Self.mostNameBytes))
            return body(UnsafeRawBufferPointer(rebasing: tail[..<(tail.offset(of: 0) ?? tail.count)]))
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
}
