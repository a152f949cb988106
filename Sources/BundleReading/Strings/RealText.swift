import Glibc

/// Formats floating-point numbers as C does, independent of the program's locale.
enum RealText {
    /// The C locale: the program may have set a locale in which numbers have commas.
    // nonisolated(unsafe): a pointer that is created once and only passed to uselocale().
    nonisolated(unsafe) private static let plain = newlocale(1 << LC_NUMERIC, "C", nil)

    /// The text of a number, as printf() writes it in the C locale.
    ///
    /// `type`: one of `fFeEgGaA`. `precision`: nil for printf()'s default. Both precision and width are below 1,000.
    package static func text(
        of number: Double, type: Unicode.Scalar, precision: Int? = nil, width: Int = 0, flags: Conversion.Flags = []
    ) -> String {
        let letters = Conversion.Flags.letters.filter { flags.contains($0.flag) && $0.flag != .grouping }
        let marks = String(letters.map { Character(Unicode.Scalar($0.letter)) })
        let format = "%\(marks)*\(precision == nil ? "" : ".*")\(type)"
        let arguments: [any CVarArg] = [CInt(width)] + (precision.map { [CInt($0)] } ?? []) + [number]
        // 309 digits before the decimal point, a sign, an exponent, and at most 999 digits after the point or blanks
        // before.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2048) { buffer in
            let before = plain.map { uselocale($0) }
            defer { if let before { uselocale(before) } }
            let length = withVaList(arguments) { vsnprintf(buffer.baseAddress!, buffer.count, format, $0) }
            guard length >= 0, length < buffer.count else { return "\(number)" }
            return String(
                decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<Int(length)]),
                as: UTF8.self)
        }
    }
}
