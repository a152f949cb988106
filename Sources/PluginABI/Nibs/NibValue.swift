/// A value that stands in a nib.
public enum NibValue: Sendable, Hashable {
    /// `<nil/>`.
    case none
    /// Text: an attribute of an element, `<string>`, `<mutableString>` or `<url>`.
    case string(String)
    /// `<integer>`.
    case integer(Int64)
    /// `<real>`.
    case real(Double)
    /// `<bool>`.
    case boolean(Bool)
    /// `<point>`.
    case point(NibPoint)
    /// `<size>`.
    case size(NibSize)
    /// `<rect>`.
    case rect(NibRect)
    /// `<range>`.
    case range(NibRange)
    /// `<color>`.
    case color(NibColor)
    /// `<date>`.
    case date(NibDate)
    /// An image that was found by its name.
    case image(NamedImage)
    /// A sound that was found by its name.
    case sound(NamedSound)
    /// Any other element that stands for a value: a font, a mask.
    case record(NibRecord)
}

/// A point of a nib.
public struct NibPoint: Sendable, Hashable {
    /// The coordinates.
    public var x, y: Double
    /// A point of its coordinates.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A size of a nib.
public struct NibSize: Sendable, Hashable {
    /// The measures.
    public var width, height: Double
    /// A size of its measures.
    public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}

/// A rectangle of a nib.
public struct NibRect: Sendable, Hashable {
    /// The origin and the measures.
    public var x, y, width, height: Double
    /// A rectangle of its origin and measures.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// A range of a nib.
public struct NibRange: Sendable, Hashable {
    /// Where it begins, and how long it is; neither is negative.
    public var location, length: Int
    /// A range of its beginning and length.
    public init(location: Int, length: Int) { (self.location, self.length) = (location, length) }
}

/// A colour of a nib.
public struct NibColor: Sendable, Hashable {
    /// The components, from 0 to 1; those that the nib leaves out are 0, and alpha 1.
    public var red, green, blue, alpha: Double
    /// The name of a colour of the system's or a catalogue's, such as `textColor`.
    public var name: String?
    /// A colour of its components.
    public init(red: Double = 0, green: Double = 0, blue: Double = 0, alpha: Double = 1, name: String? = nil) {
        (self.red, self.green, self.blue, self.alpha, self.name) = (red, green, blue, alpha, name)
    }
}

/// A date of a nib.
public struct NibDate: Sendable, Hashable {
    /// Seconds since the beginning of 2001, UTC.
    public var secondsSinceReferenceDate: Double
    /// A date by the seconds since the beginning of 2001, UTC.
    public init(secondsSinceReferenceDate: Double) { self.secondsSinceReferenceDate = secondsSinceReferenceDate }
}

/// A value that the format has no type for: the attributes of its element.
public struct NibRecord: Sendable, Hashable {
    /// The name of the element, such as `font`.
    public var element: String
    /// Every attribute of the element but `key`.
    public var attributes: [String: String]
    /// A record of its parts.
    public init(element: String, attributes: [String: String]) {
        (self.element, self.attributes) = (element, attributes)
    }
    /// The value of an attribute of the element.
    public subscript(name: String) -> String? { attributes[name] }
}
