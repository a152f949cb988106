internal import HostBasics
@_spi(Tools) internal import PluginHost
public import PropertyLists

/// The path to a value in a property list: keys and array indices, separated by dots.
///
/// A dot in a key is written `\.`, a backslash `\\`.
///
/// **Threads.** A value; may be shared freely.
public struct ListKeyPath: Sendable, Hashable {
    /// The keys and indices.
    public let parts: [String]

    /// A path of keys and indices.
    public init(_ parts: [String]) { self.parts = parts }

    /// Reads a path.
    ///
    /// An empty text leads to the list itself.
    ///
    /// - Returns: nil if the text has a backslash that is not followed by a dot or a backslash.
    public init?(reading text: String) {
        guard !text.isEmpty else {
            parts = []
            return
        }
        var parts = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case ".": parts.append("")
            case "\\":
                guard let next = rest.popFirst(), next == "." || next == "\\" else { return nil }
                parts[parts.count - 1].append(next)
            default: parts[parts.count - 1].append(character)
            }
        }
        self.parts = parts
    }

    /// The path in the form in which it is read.
    public var text: String {
        parts.map { $0.replacing("\\", with: "\\\\").replacing(".", with: "\\.") }.joined(separator: ".")
    }

    /// The value that the path leads to.
    ///
    /// - Throws: ``ListFault`` with the first part that does not exist.
    public func value(in list: PropertyList) throws(ListFault) -> PropertyList {
        var value = list
        for (index, part) in parts.enumerated() {
            let place = index == 0 ? "The list" : "The value at \(quoted(ListKeyPath(Array(parts[..<index])).text))"
            switch value {
            case .dictionary(let entries):
                guard let found = entries[part] else {
                    throw fault(index, "\(place) has no key \(quoted(part)).")
                }
                value = found
            case .array(let elements):
                guard let number = Int(part), elements.indices.contains(number) else {
                    let count = counted(elements.count, "element")
                    throw fault(index, "\(place) is an array of \(count), and has no index \(quoted(part)).")
                }
                value = elements[number]
            default: throw fault(index, "\(place) is \(value.typeName), and has no \(quoted(part)).")
            }
        }
        return value
    }

    private func fault(_ index: Int, _ message: String) -> ListFault {
        ListFault(path: Array(parts[...index]), message: message)
    }
}
