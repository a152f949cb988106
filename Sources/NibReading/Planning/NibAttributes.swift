import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The stage of planning that sets the attributes of objects: those of their elements, and the values inside them.
struct NibAttributes {
    private let nib: ResolvedNib
    private let xml: XMLDocument
    /// The attributes of classes by name, as far as the document uses them.
    private let knownAttributes = Rows<KnownAttribute>()
    /// A cache of indices in ``knownAttributes``: a fixed number of places for each class, indexed by the numbers of
    /// names.
    ///
    /// If names share a place, it contains the one used last.
    private var attributePlaces: [Int?] = []
    /// The indices in ``knownAttributes`` of names that share their place with other names.
    private var displacedAttributes: [AttributeKey: Int] = [:]

    /// An attribute of a class, looked up by name.
    private struct KnownAttribute: ~Copyable {
        let name: XMLName
        /// Nil if the class does not declare it.
        let declared: NibAttributeSlot?
        /// How its text is converted.
        let reading: Reading
        /// The index of the function that sets it.
        let setter: Int
        private let convert: (NibValue) -> Int?

        enum Reading {
            case undeclared, text, number, flag
        }

        init(
            name: XMLName, declared: NibAttributeSlot?, reading: Reading, setter: Int,
            convert: @escaping (NibValue) -> Int?
        ) {
            self.name = name
            self.declared = declared
            self.reading = reading
            self.setter = setter
            self.convert = convert
        }

        /// The index of a converted value.
        ///
        /// Nil if the value does not fit, or must first be translated or looked up as a file.
        @inline(__always)
        borrowing func converted(_ value: NibValue) -> Int? { convert(value) }
    }

    private struct AttributeKey: Hashable {
        let aClass: Int
        let name: Int
    }

    init(_ nib: ResolvedNib) {
        self.nib = nib
        xml = nib.xml
    }

    /// Sets the attributes of every object, in the order of the document: first those of its element, then the values
    /// inside it.
    mutating func set(_ setting: inout NibValueSetting) {
        let (steps, known) = (setting.steps[.attributes], knownAttributes)
        for number in nib.graph.objects.indices where nib.graph.objects[number].isMade {
            guard case .object(let slot, let aClass) = nib.resolved[number] else { continue }
            set(
                attributesOfElement: nib.graph.objects[number].element, slot, number, aClass, known, steps, &setting)
        }
        let reader = NibValueReader(xml: xml)
        for part in nib.graph.values {
            guard case .object(let slot, let aClass) = nib.resolved[part.object], nib.graph.objects[part.object].isMade,
                let name = xml.value("key", ofElement: part.element),
                let declared = nib.classes[aClass].table.attributes[name]
            else { continue }
            do throws(NibValueReader.Fault) {
                setting.set(
                    declared, of: slot, part.object, aClass, try reader.value(ofElement: part.element),
                    key: (part.object, name), at: xml.offset(ofElement: part.element), .attributes)
            } catch {
                nib.findings.add(
                    .nibAttributeInvalid, at: error.offset, subject: name,
                    "The value of the attribute \(quoted(name)) of \(quoted(nib.classes[aClass].table.name)) \(error.reason).",
                    "Correct the value.")
            }
        }
    }

    private mutating func set(
        attributesOfElement element: Int, _ slot: NibPlan.Slot, _ object: Int, _ aClass: Int,
        _ known: Rows<KnownAttribute>,
        _ steps: Rows<NibPlan.Step>, _ setting: inout NibValueSetting
    ) {
        for attribute in xml.attributes(ofElement: element) {
            let row = knownAttribute(attribute, of: aClass, setting)
            let reading = known.all[row].reading
            if reading == .undeclared { continue }
            if let value = known.all[row].converted(value(ofAttribute: attribute, reading)) {
                steps.append(.attribute(slot, value: value, setter: known.all[row].setter))
                continue
            }
            guard let declared = known.all[row].declared else { continue }
            setting.set(
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
    private mutating func knownAttribute(
        _ attribute: Int, of aClass: Int, _ setting: borrowing NibValueSetting
    ) -> Int {
        let places = 64
        let name = xml.numberedName(ofAttribute: attribute)
        let place = aClass * places + name.number & (places - 1)
        if place >= attributePlaces.count {
            attributePlaces += Array(repeating: nil, count: nib.classes.count * places - attributePlaces.count)
        }
        if let known = attributePlaces[place], knownAttributes.all[known].name == name { return known }
        // Names that share a place may replace one another there.
        if let known = displacedAttributes[AttributeKey(aClass: aClass, name: name.number)] {
            attributePlaces[place] = known
            return known
        }
        let text = xml.name(ofAttribute: attribute)
        let declared = NibPlanner.reserved.contains(text) ? nil : nib.classes[aClass].table.attributes[text]
        let isPlain = declared?.role == .other || declared?.role == .text && setting.translate == nil
        let values = isPlain ? declared?.makeValues(nib.classes[aClass].count) : nil
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
                setter: values.map { setting.setters.append(NibPlan.AttributeSetter($0.set)) } ?? 0,
                convert: values?.add ?? { _ in nil }))
        if attributePlaces[place] != nil {
            displacedAttributes[AttributeKey(aClass: aClass, name: name.number)] = known
        }
        attributePlaces[place] = known
        return known
    }
}
