public import PluginABI

/// A part of a card: a nib makes it, and it shows itself on a page and on a terminal.
///
/// The classes of this file stand for the elements `view`, `textField`, `imageView` and `button` in every nib of the
/// application's plug-ins. A plug-in may add classes of its own.
///
/// **Threads.** The thread that instantiated the nib.
public protocol ReportElement: NibObject {
    /// The part as HTML.
    var html: String { get }

    /// The part as lines of plain text.
    var lines: [String] { get }
}

/// A box with other parts in it: the element `view`.
public final class CardView: ReportElement {
    /// How the parts stand.
    public enum Layout: String, NibAttribute, CaseIterable {
        /// Below each other.
        case column
        /// Beside each other.
        case row
    }

    private var title = ""
    private var layout = Layout.column
    private var parts: [any ReportElement] = []

    /// An empty box.
    public init() {}

    /// What nibs may set: a title, the layout, and the parts.
    public static let nibInterface = NibInterface(for: CardView.self) { nib in
        nib.attribute("title") { $0.title = $1 }
        nib.attribute("layout") { $0.layout = $1 }
        nib.outlets("subviews", as: (any ReportElement).self) { $0.parts = $1 }
        nib.serves((any ReportElement).self) { $0 }
    }

    /// The box with its title and its parts.
    public var html: String {
        let head = title.isEmpty ? "" : "<h2>\(escaped(title))</h2>"
        return "<div class=\"\(layout.rawValue)\">\(head)\(parts.map(\.html).joined())</div>"
    }

    /// The title, then the lines of the parts; those of a row stand on one line.
    public var lines: [String] {
        let lines = parts.map(\.lines)
        let body =
            layout == .row ? [lines.joined().filter { !$0.isEmpty }.joined(separator: "   ")] : lines.flatMap(\.self)
        return (title.isEmpty ? [] : [title]) + body
    }
}

/// A value with its caption: the element `textField`.
public final class CardText: ReportElement {
    private var title = ""
    /// The value, which File's Owner sets.
    public var value = ""

    /// A text without caption and value.
    public init() {}

    /// What nibs may set: the caption, and a value to begin with.
    public static let nibInterface = NibInterface(for: CardText.self) { nib in
        nib.attribute("title") { $0.title = $1 }
        nib.attribute("value") { $0.value = $1 }
        nib.serves((any ReportElement).self) { $0 }
    }

    /// The caption above its value.
    ///
    /// In this order a caption such as “documents” fits every number, in every language.
    public var html: String {
        "<p class=\"value\"><span>\(escaped(title))</span> <b>\(escaped(value))</b></p>"
    }

    /// One line.
    public var lines: [String] { [title.isEmpty ? value : "\(title): \(value)"] }
}

/// An image of the plug-in: the element `imageView`.
public final class CardImage: ReportElement {
    private var image: NamedImage?
    private var description = ""

    /// A place without image.
    public init() {}

    /// What nibs may set: the image by its name, and what it shows.
    public static let nibInterface = NibInterface(for: CardImage.self) { nib in
        nib.attribute("image") { $0.image = $1 }
        nib.attribute("toolTip") { $0.description = $1 }
        nib.serves((any ReportElement).self) { $0 }
    }

    /// The image with its bytes, so that the page needs no other file; nothing if they cannot be read.
    public var html: String {
        guard let image, let bytes = try? image.bytes() else { return "" }
        let type = image.format == .svg ? "svg+xml" : image.format.rawValue
        let size = image.size.map { " width=\"\(Int($0.width))\" height=\"\(Int($0.height))\"" } ?? ""
        return "<img alt=\"\(escaped(description))\"\(size) src=\"data:image/\(type);base64,\(base64(bytes))\">"
    }

    /// Nothing: a terminal shows no images.
    public var lines: [String] { [] }
}

/// A link: the element `button`.
///
/// The host knows where it leads and answers its action.
public final class CardLink: ReportElement {
    private var title = ""
    private var onPress: NibAction?
    /// Where it leads, set by whoever answers the action.
    public var address = ""

    /// A link to nowhere.
    public init() {}

    /// What nibs may set: the title, and the action that finds the address.
    public static let nibInterface = NibInterface(for: CardLink.self) { nib in
        nib.attribute("title") { $0.title = $1 }
        nib.event { $0.onPress = $1 }
        nib.serves((any ReportElement).self) { $0 }
    }

    /// The address that the host answers with; empty if nobody answers.
    private var found: String {
        address = ""
        guard let onPress, onPress.isEnabled, (try? onPress.send(from: self)) == true else { return "" }
        return address
    }

    /// A link; plain text if nobody answers the action.
    public var html: String {
        let address = found
        guard !address.isEmpty else { return "<span class=\"link\">\(escaped(title))</span>" }
        return "<a class=\"link\" href=\"\(escaped(address))\">\(escaped(title))</a>"
    }

    /// The title and the address.
    public var lines: [String] {
        let address = found
        return [address.isEmpty ? title : "\(title): \(address)"]
    }
}

/// Bytes as text for a page.
private func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let count = min(3, bytes.count - start)
        let group = (0..<3).reduce(0) { $0 << 8 | ($1 < count ? Int(bytes[start + $1]) : 0) }
        for place in 0..<4 {
            text.append(place <= count ? digits[group >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
