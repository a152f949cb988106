internal import HostBasics
@_spi(Tools) internal import PluginHost
import PropertyLists

/// The reason why a value cannot be found or written in a form.
///
/// **Threads.** A value; may be shared freely.
public struct ListFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The keys and indices that lead to the value.
    public let path: [String]
    /// What is wrong, as a full sentence.
    public let message: String

    /// A fault at a place.
    init(path: [String], message: String) {
        self.path = path
        self.message = message
    }

    /// A value that a form cannot hold.
    init(_ value: PropertyList, at path: [String], form: String) {
        let place = path.isEmpty ? "The list" : "The value at \(quoted(ListKeyPath(path).text))"
        self.init(path: path, message: "\(place) is \(value.typeName), which \(form) cannot hold.")
    }

    /// The message.
    public var description: String { message }
}
