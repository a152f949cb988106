import HostBasics
import PluginABI
import PropertyLists

/// The type and range that each kind of element gives its values.
extension ElementReader {
    /// - Returns: nil if the element cannot be used; the reason is among the faults.
    mutating func rule(_ kind: SettingsElement.Kind, _ element: inout SettingsElement) -> Rule? {
        switch kind {
        case .toggle: toggleRule(&element)
        case .textField: textFieldRule(&element)
        case .slider: sliderRule(&element)
        case .titleValue: titleValueRule(&element)
        case .multiValue, .radioGroup: choiceRule(kind, &element)
        case .group, .childPane: nil
        }
    }

    private mutating func toggleRule(_ element: inout SettingsElement) -> Rule? {
        let on = scalar("TrueValue"), off = scalar("FalseValue")
        guard on.isPresent || off.isPresent else { return Rule(type: .boolean, fallback: .boolean(false)) }
        guard let on = on.value, let off = off.value, on.type == off.type, on != off else {
            fault(
                "TrueValue", "has no usable pair of TrueValue and FalseValue", "Write two different values of one type."
            )
            return nil
        }
        (element.trueValue, element.falseValue) = (on, off)
        return Rule(type: on.type, allowed: .values([on, off]), fallback: off)
    }

    private mutating func textFieldRule(_ element: inout SettingsElement) -> Rule? {
        element.isSecret = boolean("IsSecure")
        for key in ["KeyboardType", "AutocapitalizationType", "AutocorrectionType"] {
            if let hint = text(key) { element.hints[key] = hint }
        }
        element.minimum = number("MinimumValue")
        element.maximum = number("MaximumValue")
        let type = content["DefaultValue"].flatMap { SettingScalar($0)?.type } ?? .text
        guard type == .integer || type == .real, !element.isSecret else {
            if element.minimum != nil || element.maximum != nil {
                fault(
                    "MinimumValue", "has a range, but its values are texts",
                    "Remove the range, or write a number as DefaultValue.")
                (element.minimum, element.maximum) = (nil, nil)
            }
            return Rule(type: .text, fallback: .text(""))
        }
        guard let range = range(&element) else { return nil }
        let least = max(element.minimum ?? 0, -0x1p62)
        let fallback = min(element.maximum ?? least, least)
        return Rule(
            type: type, allowed: range,
            fallback: type == .real ? .real(fallback) : .integer(Int(fallback.rounded(.up))))
    }

    private mutating func sliderRule(_ element: inout SettingsElement) -> Rule? {
        element.minimum = number("MinimumValue") ?? 0
        element.maximum = number("MaximumValue") ?? 1
        element.minimumImage = text("MinimumValueImage")
        element.maximumImage = text("MaximumValueImage")
        guard let range = range(&element), let minimum = element.minimum else { return nil }
        return Rule(type: .real, allowed: range, fallback: .real(minimum))
    }

    private mutating func range(_ element: inout SettingsElement) -> SettingDeclaration.Allowed? {
        if let minimum = element.minimum, let maximum = element.maximum, minimum > maximum {
            fault(
                "MinimumValue", "has a range from \(minimum) to \(maximum), which is empty",
                "Make MinimumValue the smaller one.")
            return nil
        }
        return element.minimum == nil && element.maximum == nil
            ? .any : .range(minimum: element.minimum, maximum: element.maximum)
    }

    private mutating func titleValueRule(_ element: inout SettingsElement) -> Rule? {
        let values = scalars("Values"), titles = texts("Titles")
        if values != nil || titles != nil {
            if let values, let titles, values.count == titles.count {
                element.choices = zip(values, titles).map { .init(value: $0, title: $1) }
            } else {
                unequal("Titles", titles?.count, values?.count)
            }
        }
        let type = content["DefaultValue"].flatMap { SettingScalar($0)?.type } ?? .text
        let fallback: SettingScalar =
            switch type {
            case .boolean: .boolean(false)
            case .integer: .integer(0)
            case .real: .real(0)
            case .text: .text("")
            }
        return Rule(type: type, fallback: fallback)
    }

    private mutating func choiceRule(_ kind: SettingsElement.Kind, _ element: inout SettingsElement) -> Rule? {
        element.isSorted = boolean("DisplaySortedByTitle")
        let titles = texts("Titles"), shortTitles = kind == .multiValue ? texts("ShortTitles") : nil
        guard var values = scalars("Values") else {
            if content["Values"] == nil { fault("Values", "has no Values", "Write the array of its values.") }
            return nil
        }
        // 0, 0.5 and 1 are reals: a whole number is one too.
        if values.contains(where: { $0.type == .real }) {
            values = values.map { if case .integer(let value) = $0 { .real(Double(value)) } else { $0 } }
        }
        var seen: Set<SettingScalar> = []
        if let other = values.first(where: { $0.type != values[0].type }) {
            fault(
                "Values", "has Values of several types: \(other.shown) is of another type than \(values[0].shown)",
                "Give all the same type.")
            return nil
        }
        if let equal = values.first(where: { !seen.insert($0).inserted }) {
            fault("Values", "has the value \(equal.shown) twice in Values", "Remove one, with its title.")
            return nil
        }
        guard values.allSatisfy({ Self.isShort($0) }) else {
            fault(
                "Values", "has a text of more than \(SettingsLimits.longestText) bytes in Values", "Use a shorter text."
            )
            return nil
        }
        guard let titles, titles.count == values.count else {
            unequal("Titles", titles?.count, values.count)
            return nil
        }
        if let shortTitles, shortTitles.count != values.count {
            unequal("ShortTitles", shortTitles.count, values.count)
        }
        element.choices = values.indices.map { index in
            .init(
                value: values[index], title: titles[index],
                shortTitle: shortTitles?.count == values.count ? shortTitles?[index] : nil)
        }
        return Rule(type: values[0].type, allowed: .values(values), fallback: values[0])
    }

    private static func isShort(_ value: SettingScalar) -> Bool {
        if case .text(let text) = value { text.utf8.count <= SettingsLimits.longestText } else { true }
    }

    private mutating func unequal(_ key: String, _ count: Int?, _ values: Int?) {
        fault(
            key, "has \(count.map { "\($0)" } ?? "no") \(key) for \(values.map { "\($0)" } ?? "no") Values",
            "Write one text for each value.")
    }

    private mutating func scalar(_ key: String) -> (value: SettingScalar?, isPresent: Bool) {
        note(key)
        return (content[key].flatMap { SettingScalar($0) }, content[key] != nil)
    }
}
