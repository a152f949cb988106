internal import CPluginSupport
@_spi(PluginHost) internal import PluginABI

/// A value in a nib, for an attribute of a C class.
struct ForeignNibValue: Sendable {
    /// The types of the C header.
    enum Kind: UInt32 {
        case none, string, integer, real, boolean, point, size, rect, range, color, image, sound

        /// The name of the type in NibClasses.plist and in messages.
        var typeName: String {
            switch self {
            case .none: ""
            case .string: String.nibTypeName
            case .integer: Int.nibTypeName
            case .real: Double.nibTypeName
            case .boolean: Bool.nibTypeName
            case .point: NibPoint.nibTypeName
            case .size: NibSize.nibTypeName
            case .rect: NibRect.nibTypeName
            case .range: NibRange.nibTypeName
            case .color: NibColor.nibTypeName
            case .image: NamedImage.nibTypeName
            case .sound: NamedSound.nibTypeName
            }
        }
    }

    private let kind: Kind
    private var integer: Int64 = 0
    private var numbers: (Double, Double, Double, Double) = (0, 0, 0, 0)
    private var text = ""

    /// Converts a value; nil if it does not fit the type.
    init?(_ value: NibValue, as kind: Kind) {
        if case .none = value {
            self.kind = .none
            return
        }
        self.kind = kind
        switch kind {
        case .none: return nil
        case .string:
            guard let text = String.nibAttribute(value) else { return nil }
            self.text = text
        case .integer:
            guard let number = Int.nibAttribute(value) else { return nil }
            integer = Int64(number)
        case .real:
            guard let number = Double.nibAttribute(value) else { return nil }
            numbers.0 = number
        case .boolean:
            guard let flag = Bool.nibAttribute(value) else { return nil }
            integer = flag ? 1 : 0
        case .point:
            guard let point = NibPoint.nibAttribute(value) else { return nil }
            numbers = (point.x, point.y, 0, 0)
        case .size:
            guard let size = NibSize.nibAttribute(value) else { return nil }
            numbers = (size.width, size.height, 0, 0)
        case .rect:
            guard let rect = NibRect.nibAttribute(value) else { return nil }
            numbers = (rect.x, rect.y, rect.width, rect.height)
        case .range:
            guard let range = NibRange.nibAttribute(value) else { return nil }
            numbers = (Double(range.location), Double(range.length), 0, 0)
        case .color:
            guard let color = NibColor.nibAttribute(value) else { return nil }
            numbers = (color.red, color.green, color.blue, color.alpha)
            text = color.name ?? ""
        case .image:
            guard let image = NamedImage.nibAttribute(value) else { return nil }
            text = image.path
        case .sound:
            guard let sound = NamedSound.nibAttribute(value) else { return nil }
            text = sound.path
        }
    }

    /// Passes the value to a call across the C ABI.
    func with(_ body: (UnsafePointer<plugin_nib_value>) -> Void) {
        withPluginString(text) { text in
            let value = plugin_nib_value(
                header: plugin_header(size: UInt32(MemoryLayout<plugin_nib_value>.size), version: 1),
                type: kind.rawValue,
                reserved: 0, integer: integer, numbers: numbers, text: text)
            withUnsafePointer(to: value, body)
        }
    }
}
