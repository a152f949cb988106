@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

extension NibPlanner {
    /// The attributes of an object's element that are not the object's.
    private static let reserved: Set<String> = [
        "id", "key", "customClass", "customModule", "customModuleProvider", "userLabel", "sceneMemberID",
        "placeholderIdentifier",
    ]

    /// The attributes of every object, in the order of the document: those of its element, then the values in it.
    mutating func setAttributes() {
        for (number, object) in graph.objects.enumerated() where object.role == .made {
            guard case .object(let slot, let table, _) = resolved[number], !table.attributes.isEmpty else { continue }
            for attribute in xml.attributes(ofElement: object.element) {
                let name = xml.name(ofAttribute: attribute)
                guard let declared = table.attributes[name], !Self.reserved.contains(name) else { continue }
                set(
                    declared, of: slot, number, table, .string(xml.value(ofAttribute: attribute)),
                    key: object.textKey + "." + name, at: xml.offset(ofAttribute: attribute), .attributes)
            }
        }
        let reader = NibValueReader(xml: xml)
        for part in graph.values {
            guard case .object(let slot, let table, _) = resolved[part.object],
                graph.objects[part.object].role == .made,
                let name = xml.value("key", ofElement: part.element), let declared = table.attributes[name]
            else { continue }
            do throws(NibValueReader.Fault) {
                set(
                    declared, of: slot, part.object, table, try reader.value(ofElement: part.element),
                    key: graph.objects[part.object].textKey + "." + name, at: xml.offset(ofElement: part.element),
                    .attributes)
            } catch {
                add(
                    .nibAttributeInvalid, at: error.offset, subject: name,
                    "The value of the attribute \(quoted(name)) of \(quoted(table.name)) \(error.reason).",
                    "Correct the value.")
            }
        }
    }

    /// Converts a value once, and notes the step that sets it.
    ///
    /// `key`: of the text's translation.
    private mutating func set(
        _ declared: NibAttributeSlot, of slot: NibPlan.Slot, _ object: Int, _ table: NibClassTable, _ value: NibValue,
        key: String, at offset: Int, _ phase: Phase
    ) {
        var value = value
        if case .string(let text) = value {
            if declared.typeName.hasPrefix("String") {
                if let translation = translation(key) { value = .string(translation) }
            } else if declared.typeName.hasPrefix("Image") || declared.typeName.hasPrefix("Sound") {
                // A missing one leaves the attribute as it is.
                guard let found = media(declared.typeName.hasPrefix("Image"), text, at: offset) else { return }
                value = found
            }
        }
        guard let set = declared.prepare(value) else {
            return add(
                .nibAttributeInvalid, at: offset, subject: declared.name,
                "The attribute \(quoted(declared.name)) of \(quoted(table.name)) takes \(Self.shown(declared.typeName)); it is \(value.shown).",
                "Correct the value, or declare the attribute with another type.")
        }
        append(.attribute(slot, set), phase, source: object)
    }

    private func translation(_ key: String) -> String? {
        if let text = resources.translate(key) { return text }
        // Interface Builder's name of a tool tip.
        guard key.hasSuffix(".toolTip") else { return nil }
        return resources.translate(String(key.dropLast("toolTip".count)) + "ibShadowedToolTip")
    }

    private static func shown(_ typeName: String) -> String {
        let plain = typeName.hasSuffix("?") ? String(typeName.dropLast()) : typeName
        if plain.hasPrefix("Enum("), plain.hasSuffix(")") {
            return "one of "
                + quotedList(plain.dropFirst(5).dropLast().split(separator: "|").map(String.init), or: "no text")
        }
        return plain == "Enum"
            ? "one of its texts" : "\(["I", "A", "E", "O", "U"].contains(plain.prefix(1)) ? "an" : "a") \(plain)"
    }

    // MARK: User-defined runtime attributes

    mutating func setRuntimeAttributes() {
        let reader = NibValueReader(xml: xml)
        /// How many texts there were, by object.
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
                case .object(let slot, let table, _) = resolved[object]
            else { continue }
            guard let declared = table.attributes[name] else {
                add(
                    .nibAttributeInvalid, at: place, subject: name,
                    "\(quoted(table.name)) has no attribute \(quoted(name)).",
                    "It has \(quotedList(table.attributes.keys, or: "none")); correct keyPath, or declare the attribute in \(table.name).nibInterface."
                )
                continue
            }
            do throws(NibValueReader.Fault) {
                var value = try reader.value(ofRuntimeAttribute: part.element)
                if type == "image", case .string(let imageName) = value {
                    guard let found = media(true, imageName, at: xml.offset(ofElement: part.element)) else { continue }
                    value = found
                }
                let key =
                    graph.objects[part.object].textKey
                    + ".ibExternalUserDefinedRuntimeAttributesLocalizableStrings[\(textNumber)]"
                if !isText, case .string = value, declared.typeName.hasPrefix("String") {
                    // No text of the runtime attributes: it has no key.
                    add(
                        .nibAttributeInvalid, at: xml.offset(ofElement: part.element), subject: name,
                        "The attribute \(quoted(name)) of \(quoted(table.name)) takes a String, and the value is of the type \(quoted(type)).",
                        "Correct the type.")
                    continue
                }
                set(
                    declared, of: slot, object, table, value, key: key, at: xml.offset(ofElement: part.element),
                    graph.objects[part.object].role == .made ? .runtimeAttributes : .externals)
            } catch {
                add(
                    .nibAttributeInvalid, at: error.offset, subject: name,
                    "The value of the attribute \(quoted(name)) of \(quoted(table.name)) \(error.reason).",
                    "Correct the value.")
            }
        }
    }

    /// The object that a path leads to by outlets that the nib connects, and the attribute at its end.
    private mutating func follow(_ path: String, from start: Int, at offset: Int?) -> (object: Int, name: String)? {
        var object = start
        var names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let last = names.removeLast()
        for name in names {
            guard let next = destination(ofOutlet: name, of: object) else {
                add(
                    .nibAttributeInvalid, at: offset, subject: path,
                    "The path \(quoted(path)) goes through the outlet \(quoted(name)) of \(shown(object)), which the nib does not connect.",
                    "Connect the outlet, or set the attribute of the other object.")
                return nil
            }
            object = next
        }
        if case .absent = resolved[object] {
            addAbsent(object, at: offset ?? 0)
            return nil
        }
        return (object, last)
    }
}

extension NibValue {
    /// The value as it stands in a message.
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
