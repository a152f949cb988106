/// A value in a nib.
public enum NibValue: Sendable, Hashable {
    /// `<nil/>`.
    case none
    /// A text: an XML attribute, `<string>`, `<mutableString>` or `<url>`.
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
    /// An image, which the host found by its name.
    case image(NamedImage)
    /// A sound, which the host found by its name.
    case sound(NamedSound)
    /// Any other element that represents a value, such as a font or a mask.
    case record(NibRecord)
}

/// A point in a nib.
public struct NibPoint: Sendable, Hashable {
    /// The coordinates.
    public var x, y: Double
    /// A point made from its coordinates.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A size in a nib.
public struct NibSize: Sendable, Hashable {
    /// The width and the height.
    public var width, height: Double
    /// A size made from width and height.
    public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}

/// A rectangle in a nib.
public struct NibRect: Sendable, Hashable {
    /// The origin and the size.
    public var x, y, width, height: Double
    /// A rectangle made from its origin and size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// A range in a nib.
public struct NibRange: Sendable, Hashable {
    /// The start and the length; neither is negative.
    public var location, length: Int
    /// A range made from its start and length.
    public init(location: Int, length: Int) { (self.location, self.length) = (location, length) }
}

/// A colour in a nib.
public struct NibColor: Sendable, Hashable {
    /// The components, from 0 to 1.
    ///
    /// Components missing in the nib are 0, a missing alpha is 1.
    public var red, green, blue, alpha: Double
    /// The name of a system or catalogue colour, such as `textColor`.
    public var name: String?
    /// A colour made from its components.
    public init(red: Double = 0, green: Double = 0, blue: Double = 0, alpha: Double = 1, name: String? = nil) {
        (self.red, self.green, self.blue, self.alpha, self.name) = (red, green, blue, alpha, name)
    }
}

/// A date in a nib.
public struct NibDate: Sendable, Hashable {
    /// Seconds since the start of 2001, UTC.
    public var secondsSinceReferenceDate: Double
    /// A date made from the seconds since the start of 2001, UTC.
    public init(secondsSinceReferenceDate: Double) { self.secondsSinceReferenceDate = secondsSinceReferenceDate }
}

/// A value for which the format has no type, kept as the attributes of its element.
public struct NibRecord: Sendable, Hashable {
    /// The name of the element, such as `font`.
    public var element: String
    /// Every attribute of the element except `key`.
    public var attributes: [String: String]
    /// A record made from its parts.
    public init(element: String, attributes: [String: String]) {
        (self.element, self.attributes) = (element, attributes)
    }
    /// The value of an attribute of the element.
    public subscript(name: String) -> String? { attributes[name] }
}
