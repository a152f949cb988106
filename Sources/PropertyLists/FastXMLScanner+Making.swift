extension FastXMLScanner {
    /// The element at the position as a value, in a text that was recognised; nil if there is none.
    mutating func makeValue() -> PropertyList? {
        if take("<string>") {
            guard let content = readText(), take("</string>") else { return nil }
            return .string(makeString(content))
        }
        if take("<true/>") { return .boolean(true) }
        if take("<false/>") { return .boolean(false) }
        if take("<array>") { return makeElements().map { .array($0) } }
        if take("<dict>") { return makeItems().map { .dictionary($0) } }
        if take("<integer>") {
            let start = position
            guard readDigits(), case .value(let number) = NumberText.integer(text.buffer(start..<position)),
                take("</integer>")
            else { return nil }
            return number
        }
        if take("<string/>") { return .string("") }
        if take("<array/>") { return .array([]) }
        return take("<dict/>") ? .dictionary([:]) : nil
    }

    private mutating func makeItems() -> [String: PropertyList]? {
        // The capacity of the smallest useful table.
        var entries = [String: PropertyList](minimumCapacity: 6)
        while skipBlanks(), take("<key>") {
            guard let key = readText(), take("</key>"), skipBlanks(), let value = makeValue() else { return nil }
            entries[makeString(key)] = value
        }
        return take("</dict>") ? entries : nil
    }

    private mutating func makeElements() -> [PropertyList]? {
        var elements: [PropertyList] = []
        while skipBlanks(), !take("</array>") {
            guard let value = makeValue() else { return nil }
            elements.append(value)
        }
        return elements
    }

    private mutating func makeString(_ content: Content) -> String {
        guard content.holdsReference else { return String(decoding: text.buffer(content.range), as: UTF8.self) }
        let after = position
        defer { position = after }
        position = content.range.lowerBound
        return String(unsafeUninitializedCapacity: content.range.count) { buffer in
            var count = 0
            while position < content.range.upperBound {
                if let character = bytes[position] == UInt8(ascii: "&") ? takeReference() : nil {
                    buffer[count] = character
                } else {
                    buffer[count] = bytes[position]
                    position &+= 1
                }
                count &+= 1
            }
            return count
        }
    }
}
