import HostBasics

/// One thing by which a document type is found: an extension, a MIME type or an identifier, in small letters.
package struct OpeningKey: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        case fileExtension
        /// Also with an asterisk after the slash.
        case mimeType
        /// The part of a MIME type before its slash, for questions such as `audio/*`.
        case mimeFamily
        case identifier
    }

    package let kind: Kind
    package let text: String

    package init(_ kind: Kind, _ text: some StringProtocol) {
        self.kind = kind
        self.text = text.lowercased()
    }

    /// The family of a MIME type; nil without a slash.
    package init?(familyOf mimeType: String) {
        guard let slash = mimeType.firstIndex(of: "/") else { return nil }
        self.init(.mimeFamily, mimeType[..<slash])
    }

    /// The extension of a document type that opens any file.
    package static let anyFile = OpeningKey(.fileExtension, "*")

    /// A number that is the same in every process; other keys may have it too.
    package var hash: UInt32 {
        let hash = text.utf8.nameHash &* 0x100_0000_01B3 ^ UInt64(kind.rawValue) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    /// Whether a file name can have an extension: it has no slash, no blank and no empty part between dots.
    ///
    /// Nothing is trimmed: `.mid` is not taken for `mid`.
    package static func isUsable(extension text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text.first != "." && text.last != "."
            && !text.contains("..")
            && !text.unicodeScalars.contains {
                $0 == "/" || NameRules.isBlank($0) || $0.properties.generalCategory == .control
            }
    }

    /// Whether a text has the form of a MIME type: two parts that are not empty, around one slash.
    package static func isUsable(mimeType text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && text.utf8.count <= 255 && parts.allSatisfy { !$0.isEmpty }
            && !text.unicodeScalars.contains { NameRules.isBlank($0) || $0.properties.generalCategory == .control }
    }
}
