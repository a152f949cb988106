import Glibc

/// Writes floating-point numbers as C does, whatever the program's locale.
enum RealText {
    /// The C locale: a program may have set one whose numbers have commas.
    // nonisolated(unsafe): a pointer that is made once and only handed to uselocale().
    nonisolated(unsafe) private static let plain = newlocale(1 << LC_NUMERIC, "C", nil)

    /// `type`: one of `fFeEgGaA`. `precision`: nil for what printf() takes without one. Below 1,000, as is the width.
    static func text(
        of number: Double, type: Unicode.Scalar, precision: Int? = nil, width: Int = 0, flags: Conversion.Flags = []
    ) -> String {
        let letters = Conversion.Flags.letters.filter { flags.contains($0.flag) && $0.flag != .grouping }
        let marks = String(letters.map { Character(Unicode.Scalar($0.letter)) })
        let format = "%\(marks)*\(precision == nil ? "" : ".*")\(type)"
        let arguments: [any CVarArg] = [CInt(width)] + (precision.map { [CInt($0)] } ?? []) + [number]
        // 309 digits before the point, a sign, an exponent, and at most 999 digits after the point or blanks before.
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
