internal import PropertyLists
import Synchronization

/// The whole of an Info.plist.
///
/// ``Manifest`` has what the host needs of it. The dictionary of everything is made when it is asked for first, which for
/// most bundles is never.
///
/// **Threads.** Any.
final class InfoList: Sendable {
    private enum Content {
        /// A list that was recognised, and so can be read.
        case text(ListText)
        case dictionary([String: PropertyList])
    }

    private let content: Lock<Content>

    init(_ dictionary: [String: PropertyList]) {
        content = Lock(.dictionary(dictionary))
    }

    /// - Parameter text: a list that ``ListText/forEachItem(_:)`` recognised, without keys for platforms.
    init(_ text: ListText) {
        content = Lock(.text(text))
    }

    /// What the list says on this platform.
    var dictionary: [String: PropertyList] {
        content.withLock { content in
            switch content {
            case .dictionary(let dictionary): return dictionary
            case .text(let text):
                let list = try? PropertyListReader.read(UnsafeRawBufferPointer(text.buffer)).value
                let dictionary = list?.dictionary ?? [:]
                content = .dictionary(dictionary)
                return dictionary
            }
        }
    }
}
