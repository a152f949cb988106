/// The values in angle brackets in old-style lists: data, and GNUstep's typed values.
enum OldStyleAngle {
    /// Reads the value whose `<` is at the position.
    ///
    /// `<0fbd77 1c>` is data in hexadecimal, `<[aGk=]>` data in base64. Typed are `<*BY>` and `<*BN>` (booleans),
    /// `<*I1>` (integer), `<*R1.5>` (real) and `<*D2001-01-01 00:00:00 +0000>` (date); their text may be in quotes.
    static func read(_ scanner: inout OldStyleScanner) throws(TextFault) -> PropertyList {
        switch scanner.byte(at: scanner.position + 1) {
        case UInt8(ascii: "*"): return try readTyped(&scanner)
        case UInt8(ascii: "["): return .data(try readBase64(&scanner))
        default: return .data(try readHexadecimal(&scanner))
        }
    }

    private static func readTyped(_ scanner: inout OldStyleScanner) throws(TextFault) -> PropertyList {
        let start = scanner.position
        let content = try readContent(&scanner, from: start + 2)
        guard let type = content.first else {
            throw TextFault(.unknownType, at: start, "The typed value has no type; B, I, R or D is expected.")
        }
        var text = content.dropFirst()
        if text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") {
            text = text.dropFirst().dropLast()
        }
        let bytes = UnsafeBufferPointer(rebasing: text)
        func fault(_ code: PropertyListFault.Code, _ expected: String) -> TextFault {
            TextFault(code, at: start, "The typed value holds \(Excerpt.of(bytes, 0..<bytes.count)); \(expected).")
        }
        switch type {
        case UInt8(ascii: "B"):
            guard bytes.count == 1, bytes[0] == UInt8(ascii: "Y") || bytes[0] == UInt8(ascii: "N") else {
                throw fault(.unknownType, "a boolean is <*BY> or <*BN>")
            }
            return .boolean(bytes[0] == UInt8(ascii: "Y"))
        case UInt8(ascii: "I"):
            switch NumberText.integer(bytes) {
            case .value(let value): return value
            case .malformed: throw fault(.invalidInteger, "a whole number is expected")
            case .overflow: throw fault(.integerOverflow, "it must fit 64 bits")
            }
        case UInt8(ascii: "R"):
            switch NumberText.real(bytes) {
            case .value(let value): return .real(value)
            case .malformed: throw fault(.invalidReal, "a number is expected")
            case .notFinite: throw fault(.notFinite, "a finite number is expected")
            }
        case UInt8(ascii: "D"):
            guard let date = CalendarTime.openStep(bytes) else {
                throw fault(.invalidDate, "a date such as 2001-01-01 00:00:00 +0000 is expected")
            }
            return .date(date)
        default:
            throw TextFault(
                .unknownType, at: start,
                "The typed value has the type \(Excerpt.character(scanner.text, at: start + 2)); B, I, "
                    + "R or D is expected."
            )
        }
    }

    /// The bytes up to the closing bracket; the position moves past it.
    private static func readContent(
        _ scanner: inout OldStyleScanner, from first: Int
    ) throws(TextFault) -> Slice<UnsafeBufferPointer<UInt8>> {
        var end = first
        while end < scanner.text.count, scanner.text[end] != UInt8(ascii: ">") { end += 1 }
        guard end < scanner.text.count else {
            throw TextFault(.truncated, at: scanner.position, "The value that begins here is never closed with \">\".")
        }
        scanner.position = end + 1
        return scanner.text[first..<end]
    }

    private static func readBase64(_ scanner: inout OldStyleScanner) throws(TextFault) -> [UInt8] {
        let start = scanner.position
        let content = try readContent(&scanner, from: start + 2)
        guard content.last == UInt8(ascii: "]"),
            let bytes = Base64.decode(UnsafeBufferPointer(rebasing: content.dropLast()))
        else { throw TextFault(.invalidData, at: start, "Data in \"<[\" and \"]>\" is expected to be padded base64.") }
        return bytes
    }

    private static func readHexadecimal(_ scanner: inout OldStyleScanner) throws(TextFault) -> [UInt8] {
        let start = scanner.position
        var bytes: [UInt8] = []
        var high: UInt8?
        scanner.position += 1
        while scanner.next != UInt8(ascii: ">") {
            let byte = scanner.next
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                scanner.position += 1
                continue
            }
            guard let digit = NumberText.hexadecimalDigit(byte) else {
                throw scanner.isAtEnd
                    ? TextFault(.truncated, at: start, "The data that begins here is never closed with \">\".")
                    : TextFault(
                        .invalidData, at: scanner.position,
                        "Found \(Excerpt.character(scanner.text, at: scanner.position)) inside data; "
                            + "a hexadecimal digit is expected."
                    )
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
            scanner.position += 1
        }
        guard high == nil else {
            throw TextFault(
                .invalidData, at: start, "The data that begins here has an odd number of hexadecimal digits.")
        }
        scanner.position += 1
        return bytes
    }
}
