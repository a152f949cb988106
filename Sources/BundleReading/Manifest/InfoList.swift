import HostBasics
internal import PropertyLists
import Synchronization

/// The complete content of an Info.plist.
///
/// ``Manifest`` has everything that the host needs. The dictionary of all values is created at its first use, which for
/// most bundles never happens.
///
/// **Threads.** Any.
final class InfoList: Sendable {
    private enum Content {
        /// A list that was recognised, so it can always be read.
        case text(ListText, interfaces: ListPlace?)
        case dictionary([String: PropertyList])
    }

    private let content: Lock<Content>

    init(_ dictionary: [String: PropertyList]) {
        content = Lock(.dictionary(dictionary))
    }

    /// - Parameters:
    ///   - text: a list that ``ListText/forEachItem(_:)`` recognised, without platform-specific keys.
    ///   - interfaces: where the value of `PHInterfaces` is in it.
    init(_ text: ListText, interfaces: ListPlace?) {
        content = Lock(.text(text, interfaces: interfaces))
    }

    /// The value of `PHInterfaces`, which each load needs, without creating the others.
    var interfaces: PropertyList? {
        content.withLock { content in
            switch content {
            case .dictionary(let dictionary): dictionary[ManifestKey.interfaces.spelling]
            case .text(let text, let place): place.flatMap(text.value)
            }
        }
    }

    /// The values of the list for this platform.
    package var dictionary: [String: PropertyList] {
        content.withLock { content in
            switch content {
            case .dictionary(let dictionary): return dictionary
            case .text(let text, _):
                let list = try? PropertyListReader.read(UnsafeRawBufferPointer(text.buffer)).value
                let dictionary = list?.dictionary ?? [:]
                content = .dictionary(dictionary)
                return dictionary
            }
        }
    }
}
