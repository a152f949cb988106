import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// Translates and converts values of attributes, and adds the steps that set them; shared by the stages for attributes.
struct NibValueSetting {
    private let nib: ResolvedNib
    /// Nil if no text is translated.
    let translate: ((String) -> String?)?
    private var media: NibMedia
    let steps: NibSteps
    /// The functions that the steps call.
    let setters = Rows<NibPlan.AttributeSetter>()

    init(_ nib: ResolvedNib, translate: ((String) -> String?)?, _ media: NibMedia, _ steps: NibSteps) {
        self.nib = nib
        self.translate = translate
        self.media = media
        self.steps = steps
    }

    /// The image with a name; nil if there is none, which is reported.
    mutating func image(_ name: String, at offset: Int) -> NibValue? { media.value(true, name, at: offset) }

    /// Converts a value once, and adds the step that sets it.
    ///
    /// `key`: the two parts of the key for the text's translation, which a dot separates: the object's prefix and the
    /// attribute's name.
    mutating func set(
        _ declared: NibAttributeSlot, of slot: NibPlan.Slot, _ object: Int, _ aClass: Int, _ value: NibValue,
        key: (object: Int, name: String), at offset: Int, _ phase: NibSteps.Phase
    ) {
        var value = value
        if declared.role != .other, case .string(let text) = value {
            if declared.role == .text {
                if let translate {
                    if let object = nib.graph.textKey(of: key.object, attribute: key.name) {
                        if let text = Self.translation(object + "." + key.name, translate) { value = .string(text) }
                    } else {
                        nib.findings.add(.warning) { .untranslatable(declared.name, at: offset) }
                    }
                }
            } else {
                // If it is missing, the attribute stays unchanged.
                guard let found = media.value(declared.role == .image, text, at: offset) else { return }
                value = found
            }
        }
        let values = declared.makeValues(1)
        guard let number = values.add(value) else {
            return nib.findings.add(
                .nibAttributeInvalid, at: offset, subject: declared.name,
                "The attribute \(quoted(declared.name)) of \(quoted(nib.classes[aClass].table.name)) takes \(Self.shown(declared.typeName)); it is \(value.shown).",
                "Correct the value, or declare the attribute with another type.")
        }
        let setter = setters.append(NibPlan.AttributeSetter(values.set))
        steps.append(
            .attribute(slot, value: number, setter: setter), phase, isMade: nib.graph.objects[object].isMade)
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
