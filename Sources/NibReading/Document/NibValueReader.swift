import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// Reads the values of a XIB document.
struct NibValueReader {
    let xml: XMLDocument

    /// A value that cannot be read; `reason` is the end of a sentence about it.
    struct Fault: Error {
        let reason: String
        /// In bytes.
        let offset: Int
    }

    /// The value that an element represents.
    func value(ofElement element: Int) throws(Fault) -> NibValue {
        let name = xml.name(ofElement: element)
        switch name {
        case "string", "mutableString": return .string(try text(ofElement: element))
        case "url": return .string(xml.value("string", ofElement: element) ?? "")
        case "integer": return .integer(try integer("value", element))
        case "real": return .real(try number("value", element))
        case "bool", "boolean":
            let (text, offset) = try attribute("value", element)
            guard let flag = Bool.reading(text) else {
                throw Fault(reason: "is \(quoted(text)); YES or NO is expected", offset: offset)
            }
            return .boolean(flag)
        case "nil": return .none
        case "point": return .point(NibPoint(x: try number("x", element), y: try number("y", element)))
        case "size":
            return .size(NibSize(width: try number("width", element), height: try number("height", element)))
        case "rect":
            return .rect(
                NibRect(
                    x: try number("x", element), y: try number("y", element), width: try number("width", element),
                    height: try number("height", element)))
        case "range":
            return .range(NibRange(location: try count("location", element), length: try count("length", element)))
        case "color": return .color(try color(element))
        case "date":
            return .date(NibDate(secondsSinceReferenceDate: try number("timeIntervalSinceReferenceDate", element)))
        default:
            var attributes: [String: String] = [:]
            for attribute in xml.attributes(ofElement: element) where !xml.isAttribute(attribute, named: "key") {
                attributes[xml.name(ofAttribute: attribute)] = xml.value(ofAttribute: attribute)
            }
            return .record(NibRecord(element: name, attributes: attributes))
        }
    }

    /// The value of a user-defined runtime attribute, from its `type` and `value`, or from a child with the key
    /// `value`.
    func value(ofRuntimeAttribute element: Int) throws(Fault) -> NibValue {
        if let child = xml.children(of: element).first(where: { xml.value("key", ofElement: $0) == "value" }) {
            return try value(ofElement: child)
        }
        let type = xml.value("type", ofElement: element) ?? "string"
        if type == "nil" { return .none }
        let (text, offset) = try attribute("value", element)
        switch type {
        case "string", "localizedString", "image": return .string(text)
        case "boolean":
            guard let flag = Bool.reading(text) else {
                throw Fault(reason: "is \(quoted(text)); YES or NO is expected", offset: offset)
            }
            return .boolean(flag)
        case "number":
            if let whole = Int.nibAttribute(.string(text)) { return .integer(Int64(whole)) }
            guard let number = Double.finite(text) else {
                throw Fault(reason: "is \(quoted(text)); a number is expected", offset: offset)
            }
            return .real(number)
        default:
            throw Fault(
                reason: "is of the type \(quoted(type)), which needs an element of the key “value”", offset: offset)
        }
    }

    // MARK: Parts of values

    private func attribute(_ name: StaticString, _ element: Int) throws(Fault) -> (text: String, offset: Int) {
        guard let attribute = xml.attribute(name, ofElement: element) else {
            throw Fault(reason: "lacks the attribute “\(name)”", offset: xml.offset(ofElement: element))
        }
        return (xml.value(ofAttribute: attribute), xml.offset(ofAttribute: attribute))
    }

    private func number(_ name: StaticString, _ element: Int) throws(Fault) -> Double {
        let (text, offset) = try attribute(name, element)
        guard let number = Double.finite(text) else {
            throw Fault(reason: "is \(quoted(text)); a finite number is expected", offset: offset)
        }
        return number
    }

    private func integer(_ name: StaticString, _ element: Int) throws(Fault) -> Int64 {
        let (text, offset) = try attribute(name, element)
        guard let number = Int.nibAttribute(.string(text)) else {
            throw Fault(reason: "is \(quoted(text)); a whole number of 64 bits is expected", offset: offset)
        }
        return Int64(number)
    }

    private func count(_ name: StaticString, _ element: Int) throws(Fault) -> Int {
        let number = try integer(name, element)
        guard number >= 0 else {
            throw Fault(
                reason: "is \(number); a number of at least 0 is expected", offset: try attribute(name, element).offset)
        }
        return Int(number)
    }

    /// A component of a colour; `missing` if the element does not have it.
    private func component(_ name: StaticString, _ element: Int, missing: Double = 0) throws(Fault) -> Double {
        xml.attribute(name, ofElement: element) == nil ? missing : try number(name, element)
    }

    private func color(_ element: Int) throws(Fault) -> NibColor {
        var color = NibColor(alpha: try component("alpha", element, missing: 1))
        color.name =
            xml.value("name", ofElement: element) ?? xml.value("systemColor", ofElement: element)
            ?? xml.value("cocoaTouchSystemColor", ofElement: element)
        if xml.attribute("white", ofElement: element) != nil {
            let white = try component("white", element)
            (color.red, color.green, color.blue) = (white, white, white)
        } else if xml.attribute("cyan", ofElement: element) != nil {
            let light = 1 - (try component("black", element))
            color.red = (1 - (try component("cyan", element))) * light
            color.green = (1 - (try component("magenta", element))) * light
            color.blue = (1 - (try component("yellow", element))) * light
        } else {
            color.red = try component("red", element)
            color.green = try component("green", element)
            color.blue = try component("blue", element)
        }
        return color
    }

    private func text(ofElement element: Int) throws(Fault) -> String {
        let text = xml.text(ofElement: element)
        guard let attribute = xml.attribute("base64-UTF8", ofElement: element),
            Bool.reading(xml.value(ofAttribute: attribute)) ?? false
        else { return text }
        guard let bytes = Base64.decoding(text), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Fault(reason: "is not base64 of UTF-8 text", offset: xml.offset(ofElement: element))
        }
        return decoded
    }
}
