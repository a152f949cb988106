import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

extension NibPlanner {
    /// The XML attributes of an object's element that are not attributes of the object.
    static let reserved: Set<String> = [
        "id", "key", "customClass", "customModule", "customModuleProvider", "userLabel", "sceneMemberID",
        "placeholderIdentifier",
    ]

    /// Sets the attributes of every object, in the order of the document: first those of its element, then the values
    /// inside it.
    mutating func setAttributes() {
        let (steps, known) = (steps(.attributes), knownAttributes)
        for number in graph.objects.indices where graph.objects[number].isMade {
            guard case .object(let slot, let aClass) = resolved[number] else { continue }
            setAttributes(ofElement: graph.objects[number].element, slot, number, aClass, known, steps)
        }
        let reader = NibValueReader(xml: xml)
        for part in graph.values {
            guard case .object(let slot, let aClass) = resolved[part.object], graph.objects[part.object].isMade,
                let name = xml.value("key", ofElement: part.element),
                let declared = classes[aClass].table.attributes[name]
            else { continue }
            do throws(NibValueReader.Fault) {
                set(
                    declared, of: slot, part.object, aClass, try reader.value(ofElement: part.element),
                    key: (part.object, name), at: xml.offset(ofElement: part.element), .attributes)
            } catch {
                add(
                    .nibAttributeInvalid, at: error.offset, subject: name,
                    "The value of the attribute \(quoted(name)) of \(quoted(classes[aClass].table.name)) \(error.reason).",
                    "Correct the value.")
            }
        }
    }

    private mutating func setAttributes(
        ofElement element: Int, _ slot: NibPlan.Slot, _ object: Int, _ aClass: Int, _ known: Rows<KnownAttribute>,
        _ steps: Rows<NibPlan.Step>
    ) {
        for attribute in xml.attributes(ofElement: element) {
            let row = knownAttribute(attribute, of: aClass)
            let reading = known.all[row].reading
            if reading == .undeclared { continue }
            if let value = known.all[row].converted(value(ofAttribute: attribute, reading)) {
                steps.append(.attribute(slot, value: value, setter: known.all[row].setter))
                continue
            }
            guard let declared = known.all[row].declared else { continue }
            set(
                declared, of: slot, object, aClass, .string(xml.value(ofAttribute: attribute)),
                key: (object, declared.name), at: xml.offset(ofAttribute: attribute), .attributes)
        }
    }

    /// The value of an XML attribute.
    ///
    /// Ordinary numbers and flags are read without making a string; any other value is the text.
    private func value(ofAttribute attribute: Int, _ reading: KnownAttribute.Reading) -> NibValue {
        switch reading {
        case .number: if let number = xml.integer(ofAttribute: attribute) { return .integer(Int64(number)) }
        case .flag:
            if xml.isValue(ofAttribute: attribute, "YES") { return .boolean(true) }
            if xml.isValue(ofAttribute: attribute, "NO") { return .boolean(false) }
        case .text, .undeclared: break
        }
        return .string(xml.value(ofAttribute: attribute))
    }

    /// The index in ``knownAttributes`` of an object's class for the name of an attribute.
    private mutating func knownAttribute(_ attribute: Int, of aClass: Int) -> Int {
        let places = 64
        let name = xml.numberedName(ofAttribute: attribute)
        let place = aClass * places + name.number & (places - 1)
        if place >= attributePlaces.count {
            attributePlaces += Array(repeating: nil, count: classes.count * places - attributePlaces.count)
        }
        if let known = attributePlaces[place], knownAttributes.all[known].name == name { return known }
        // Names that share a place may replace one another there.
        if let known = displacedAttributes[AttributeKey(aClass: aClass, name: name.number)] {
            attributePlaces[place] = known
            return known
        }
        let text = xml.name(ofAttribute: attribute)
        let declared = Self.reserved.contains(text) ? nil : classes[aClass].table.attributes[text]
        let isPlain = declared?.role == .other || declared?.role == .text && resources.translate == nil
        let values = isPlain ? declared?.makeValues(classes[aClass].count) : nil
        let reading: KnownAttribute.Reading =
            switch declared?.typeName {
            case nil: .undeclared
            case "Int", "Int?": .number
            case "Bool", "Bool?": .flag
            default: .text
            }
        let known = knownAttributes.append(
            KnownAttribute(
                name: name, declared: declared, reading: reading,
                setter: values.map { functions.attributes.append(NibPlan.AttributeSetter($0.set)) } ?? 0,
                convert: values?.add ?? { _ in nil }))
        if attributePlaces[place] != nil {
            displacedAttributes[AttributeKey(aClass: aClass, name: name.number)] = known
        }
        attributePlaces[place] = known
        return known
    }

    /// Converts a value once, and adds the step that sets it.
    ///
    /// `key`: the two parts of the key for the text's translation, which a dot separates: the object's prefix and the
    /// attribute's name.
    private mutating func set(
        _ declared: NibAttributeSlot, of slot: NibPlan.Slot, _ object: Int, _ aClass: Int, _ value: NibValue,
        key: (object: Int, name: String), at offset: Int, _ phase: Phase
    ) {
        var value = value
        if declared.role != .other, case .string(let text) = value {
            if declared.role == .text {
                if let translate = resources.translate {
                    if let object = graph.textKey(of: key.object, attribute: key.name) {
                        if let text = Self.translation(object + "." + key.name, translate) { value = .string(text) }
                    } else {
                        findings.add(.warning) { .untranslatable(declared.name, at: offset) }
                    }
                }
            } else {
                // If it is missing, the attribute stays unchanged.
                guard let found = media(declared.role == .image, text, at: offset) else { return }
                value = found
            }
        }
        let values = declared.makeValues(1)
        guard let number = values.add(value) else {
            return add(
                .nibAttributeInvalid, at: offset, subject: declared.name,
                "The attribute \(quoted(declared.name)) of \(quoted(classes[aClass].table.name)) takes \(Self.shown(declared.typeName)); it is \(value.shown).",
                "Correct the value, or declare the attribute with another type.")
        }
        let setter = functions.attributes.append(NibPlan.AttributeSetter(values.set))
        append(.attribute(slot, value: number, setter: setter), phase, source: object)
    }

    private static func translation(_ key: String, _ translate: (String) -> String?) -> String? {
        if let text = translate(key) { return text }
        // The name that Interface Builder uses for a tool tip.
        guard key.hasSuffix(".toolTip") else { return nil }
        return translate(String(key.dropLast("toolTip".count)) + "ibShadowedToolTip")
    }

    private static func shown(_ typeName: String) -> String {
        let plain = typeName.hasSuffix("?") ? String(typeName.dropLast()) : typeName
        if plain.hasPrefix("Enum("), plain.hasSuffix(")"), plain.utf8.count <= longestEnumeration {
            return "one of "
                + quotedList(plain.dropFirst(5).dropLast().split(separator: "|").map(String.init), or: "no text")
        }
        return plain == "Enum" || plain.hasPrefix("Enum(")
            ? "one of its texts"
            : "\(["I", "A", "E", "O", "U"].contains(plain.prefix(1)) ? "an" : "a") \(displayed(plain))"
    }

    /// In bytes.
    ///
    /// The texts of a longer enumeration are not shown.
    private static let longestEnumeration = 4_096

    // MARK: User-defined runtime attributes

    mutating func setRuntimeAttributes() {
        let reader = NibValueReader(xml: xml)
        /// The number of texts so far, by object.
        var texts: [Int: Int] = [:]
        for part in graph.runtimeAttributes {
            let type = xml.value("type", ofElement: part.element) ?? "string"
            let isText = type == "string" || type == "localizedString"
            let textNumber = texts[part.object, default: 0]
            if isText { texts[part.object] = textNumber + 1 }
            guard let path = xml.value("keyPath", ofElement: part.element), !path.isEmpty else {
                add(
                    .nibAttributeInvalid, at: xml.offset(ofElement: part.element),
                    "A runtime attribute has no keyPath.", "Give it the name of an attribute.")
                continue
            }
            let place = xml.attribute("keyPath", ofElement: part.element).map(xml.offset(ofAttribute:))
            guard let (object, name) = follow(path, from: part.object, at: place),
                case .object(let slot, let aClass) = resolved[object]
            else { continue }
            let table = classes[aClass].table
            guard let declared = table.attributes[name] else {
                add(
                    .nibAttributeInvalid, at: place, subject: name,
                    "\(quoted(table.name)) has no attribute \(quoted(name)).",
                    "It has \(attributes(near: name, in: table)); correct keyPath, or declare the attribute in \(displayed(table.name)).nibInterface."
                )
                continue
            }
            do throws(NibValueReader.Fault) {
                var value = try reader.value(ofRuntimeAttribute: part.element)
                if type == "image", case .string(let imageName) = value {
                    guard let found = media(true, imageName, at: xml.offset(ofElement: part.element)) else { continue }
                    value = found
                }
                let key = (
                    part.object,
                    "ibExternalUserDefinedRuntimeAttributesLocalizableStrings[\(textNumber)]"
                )
                if !isText, case .string = value, declared.role == .text {
                    // Not one of the text types of runtime attributes, so it has no key.
                    add(
                        .nibAttributeInvalid, at: xml.offset(ofElement: part.element), subject: name,
                        "The attribute \(quoted(name)) of \(quoted(table.name)) takes a String, and the value is of the type \(quoted(type)).",
                        "Correct the type.")
                    continue
                }
                set(
                    declared, of: slot, object, aClass, value, key: key, at: xml.offset(ofElement: part.element),
                    graph.objects[part.object].isMade ? .runtimeAttributes : .externals)
            } catch {
                add(
                    .nibAttributeInvalid, at: error.offset, subject: name,
                    "The value of the attribute \(quoted(name)) of \(quoted(table.name)) \(error.reason).",
                    "Correct the value.")
            }
        }
    }

    /// The attributes that were probably meant; all attributes if none is similar, although that list may be cut off.
    private func attributes(near name: String, in table: NibClassTable) -> String {
        let close = findings.suggestions.names(near: name, among: table.attributes.keys)
        return close.isEmpty ? quotedList(table.attributes.keys, or: "none") : quotedList(close, or: "none")
    }

    /// Follows a path through outlets that the nib connects; returns the last object and the attribute at the end of
    /// the path.
    ///
    /// Nil if the path leads nowhere, which is reported, or if a class on the way is not known.
    ///
    /// A class may declare the rest of the path as one attribute: `layer.cornerRadius`.
    private mutating func follow(_ path: String, from start: Int, at offset: Int?) -> (object: Int, name: String)? {
        var object = start
        var last = path[...]
        while let dot = last.firstIndex(of: ".") {
            var table: NibClassTable?
            if case .object(_, let aClass) = resolved[object] { table = classes[aClass].table }
            if let table, last.utf8.count <= Self.longestPath, table.attributes[String(last)] != nil { break }
            let name = String(last[..<dot])
            guard let next = destination(ofOutlet: name, of: object) else {
                // An unknown class may declare the attribute.
                if case .unknown = resolved[object] { return nil }
                add(
                    .nibAttributeInvalid, at: offset, subject: path,
                    "The path \(quoted(path)) goes through the outlet \(quoted(name)) of \(shown(object)), which the nib does not connect.",
                    table?.outlets[name] == nil
                        ? "Declare the attribute \(quoted(String(last)))\(table.map { " in \($0.name).nibInterface" } ?? ""), or correct keyPath."
                        : "Connect the outlet, or set the attribute of the other object.")
                return nil
            }
            object = next
            last = last[last.index(after: dot)...]
        }
        if case .absent = resolved[object] {
            addAbsent(object, at: offset ?? 0)
            return nil
        }
        return (object, String(last))
    }

    /// In bytes.
    ///
    /// A longer rest of a path cannot be an attribute's name, so it is not looked up at each of its dots.
    private static let longestPath = 1_024
}

extension NibValue {
    /// The value for messages.
    fileprivate var shown: String {
        switch self {
        case .none: "nil"
        case .string(let text): quoted(text)
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): flag ? "YES" : "NO"
        case .point: "a point"
        case .size: "a size"
        case .rect: "a rectangle"
        case .range: "a range"
        case .color: "a colour"
        case .date: "a date"
        case .image: "an image"
        case .sound: "a sound"
        case .record(let record): "an element <\(record.element)>"
        @unknown default: "a value"
        }
    }
}
