import HostBasics

/// Computes the length of the longest text of an entry without creating the text: variables inside variables can
/// describe a text of any length in a few lines, or even one that contains itself.
struct FormatSizes {
    /// The measurements of a format.
    struct Measure {
        /// The bytes of its longest text.
        package var size: Int
        /// The maximum number of its pieces.
        package var pieces: Int
        /// How many texts are nested in it, including itself.
        package var height: Int

        /// The memory for the longest text and its pieces.
        package var memory: Int { size + pieces * MemoryLayout<FormatString.Piece>.stride }
    }

    package let variables: [String: LocalizedFormat]
    private var known: [String: Measure] = [:]
    /// The variables that are currently being measured.
    private var open: Set<String> = []
    /// The number of enclosing texts that are being measured.
    private var depth: Int

    /// In bytes.
    package static let longest = 1 << 20
    /// Conversions, variables and texts between them.
    static let mostPieces = 10_000
    /// How deep texts may be nested in the variables of texts.
    ///
    /// Translators need two or three levels, and reading them is recursive.
    package static let deepest = 64

    init(variables: [String: LocalizedFormat], depth: Int) {
        self.variables = variables
        self.depth = depth
    }

    package mutating func measure(_ format: LocalizedFormat) throws(LocalizedFormat.Fault) -> Measure {
        switch format {
        case .text(let format, let own):
            guard own.isEmpty else {
                var inner = FormatSizes(variables: own, depth: depth)
                return try inner.measure(.text(format, variables: [:]))
            }
            depth += 1
            defer { depth -= 1 }
            var total = Measure(size: 0, pieces: 0, height: 0)
            for piece in format.pieces {
                total.pieces += 1
                switch piece {
                case .text(let text): total.size += text.utf8.count
                // Room for the positions that may be added to it.
                case .conversion(let conversion): total.size += conversion.source.utf8.count + 12
                case .variable(let name, _, _):
                    let inner = try measure(variable: name)
                    total.size += inner.size
                    total.pieces += inner.pieces
                    total.height = max(total.height, inner.height)
                }
                guard total.size <= Self.longest else {
                    throw LocalizedFormat.Fault(message: "The text grows beyond \(Self.longest) bytes.")
                }
                guard total.pieces <= Self.mostPieces else {
                    throw LocalizedFormat.Fault(
                        message:
                            "The text grows beyond \(Self.mostPieces) conversions, variables and pieces between them.")
                }
            }
            total.height += 1
            return total
        case .plural(let forms, _): return try longest(forms.values)
        case .widths(let variants): return try longest(variants.map(\.format))
        case .devices(let variants, _): return try longest(variants.values)
        }
    }

    private mutating func longest(_ variants: some Sequence<LocalizedFormat>) throws(LocalizedFormat.Fault) -> Measure {
        var longest = Measure(size: 0, pieces: 0, height: 0)
        for variant in variants {
            let measure = try measure(variant)
            longest = Measure(
                size: max(longest.size, measure.size), pieces: max(longest.pieces, measure.pieces),
                height: max(longest.height, measure.height))
        }
        return longest
    }

    private mutating func measure(variable name: String) throws(LocalizedFormat.Fault) -> Measure {
        let measured: Measure
        if let known = known[name] {
            measured = known
        } else {
            guard depth < Self.deepest else { throw Self.tooDeep(name) }
            guard let variable = variables[name] else {
                throw LocalizedFormat.Fault(message: "The variable \(quoted(name)) is not defined.")
            }
            guard open.insert(name).inserted else {
                throw LocalizedFormat.Fault(path: [name], message: "The variable contains itself.")
            }
            measured = try measure(variable)
            open.remove(name)
            known[name] = measured
        }
        // Checked again, because it may have been measured at a smaller depth.
        guard depth + measured.height <= Self.deepest else { throw Self.tooDeep(name) }
        return measured
    }

    private static func tooDeep(_ name: String) -> LocalizedFormat.Fault {
        LocalizedFormat.Fault(
            path: [name], message: "Variables nest more than \(deepest) deep in the texts of variables.")
    }
}
