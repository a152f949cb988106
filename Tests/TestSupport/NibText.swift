/// Texts of XIB documents.
public enum NibText {
    /// A document of some objects.
    public static func document(_ objects: String, _ more: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
            <dependencies><plugIn identifier="x" version="1"/></dependencies>
            <objects>
        \(objects)
            </objects>
        \(more)</document>
        """
    }

    /// `count` objects of a class without connections.
    public static func objects(_ count: Int, _ attributes: String = "") -> String {
        (0..<count).map { "<view id=\"v\($0)\"\(attributes)/>" }.joined(separator: "\n")
    }

    /// The shapes of ``large(_:)``.
    public static let largeShapes = ["small", "deep", "lost", "equal", "long"]

    /// Objects of a nib that is large in one way.
    public static func large(_ shape: String) -> String {
        let long = String(repeating: "n", count: 50_000)
        return switch shape {
        case "small": (0..<8_000).map { "<x\($0) id=\"v\($0)\"/>" }.joined()
        case "deep":
            // Only the outermost one has an id, without which nothing is an object whose class is unknown.
            (0..<20).map {
                "<view id=\"v\($0)\">" + String(repeating: "<view key=\"k\" title=\"t\">", count: 120)
                    + String(repeating: "</view>", count: 121)
            }.joined()
        case "lost": (0..<3_000).map { "<a><b><view id=\"v\($0)\"/></b></a>" }.joined()
        case "equal": String(repeating: "<view id=\"\(long)\"/>", count: 20)
        default: String(repeating: "<view id=\"v\" \(long.prefix(1_000))=\"\(long)\"/>", count: 10)
        }
    }
}
