import HostBasics

extension Manifest {
    /// A type of documents that a bundle opens: an item of `CFBundleDocumentTypes`, or all of `NSExtensions`.
    public struct DocumentType: Sendable, Hashable {
        /// What the bundle does with a document: `CFBundleTypeRole`.
        public enum Role: String, Sendable, Hashable, CaseIterable {
            /// It shows the document and can save it.
            case editor = "Editor"
            /// It shows the document; also if the list states no known role.
            case viewer = "Viewer"
            /// It runs the document, or what it names.
            case shell = "Shell"
            /// It makes a preview of the document.
            case previewer = "QLGenerator"
            /// It only describes the type, for example with an icon.
            case none = "None"
        }

        /// How suitable the bundle is among those that open the type, best first: `LSHandlerRank`.
        public enum Rank: String, Sendable, Hashable, CaseIterable, Comparable {
            /// The bundle made this type of documents.
            case owner = "Owner"
            /// Also if the list states no known rank.
            case `default` = "Default"
            /// Another bundle should be preferred.
            case alternate = "Alternate"
            /// The bundle does not want to be offered for the type.
            case none = "None"

            /// Whether a rank is better than another.
            public static func < (a: Self, b: Self) -> Bool { a.position < b.position }

            package var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        }

        /// `CFBundleTypeName`: the name of the type, not translated.
        public let name: String?
        /// `CFBundleTypeExtensions`: extensions of file names without the first dot; `*` for any file.
        ///
        /// As on Apple's systems, they have no effect if there are ``contentTypes``.
        public let extensions: [String]
        /// `CFBundleTypeMIMETypes`, such as `audio/midi` or `audio/*`; without effect if there are ``contentTypes``.
        public let mimeTypes: [String]
        /// `LSItemContentTypes`: identifiers of types, such as `public.midi-audio`.
        public let contentTypes: [String]
        /// `CFBundleTypeRole`.
        public let role: Role
        /// `LSHandlerRank`.
        public let rank: Rank
        /// `CFBundleTypeIconFile`.
        public let iconFile: String?

        package init(
            name: String?, extensions: [String], mimeTypes: [String] = [], contentTypes: [String] = [],
            role: Role = .viewer, rank: Rank = .default, iconFile: String? = nil
        ) {
            self.name = name
            self.extensions = extensions
            self.mimeTypes = mimeTypes
            self.contentTypes = contentTypes
            self.role = role
            self.rank = rank
            self.iconFile = iconFile
        }
    }

    /// A type of documents that a bundle declares: an item of `UTExportedTypeDeclarations` or
    /// `UTImportedTypeDeclarations`.
    public struct TypeDeclaration: Sendable, Hashable {
        /// `UTTypeIdentifier`.
        public let identifier: String
        /// `UTTypeConformsTo`: the types of which this is a special one.
        public let conformsTo: [String]
        /// The extensions in `UTTypeTagSpecification`.
        public let extensions: [String]
        /// The MIME types in `UTTypeTagSpecification`.
        public let mimeTypes: [String]
        /// Whether the bundle owns the type, and does not only know it.
        public let isExported: Bool

        package init(
            identifier: String, conformsTo: [String], extensions: [String], mimeTypes: [String], isExported: Bool
        ) {
            self.identifier = identifier
            self.conformsTo = conformsTo
            self.extensions = extensions
            self.mimeTypes = mimeTypes
            self.isExported = isExported
        }
    }
}

extension Manifest {
    /// The types of documents that the list names, and that neither it declares nor every host knows, with their keys.
    ///
    /// Each is returned once, at most 100.
    @_spi(Tools) public var unknownTypes: [(key: String, type: String)] {
        var table = TypeTable()
        for declaration in typeDeclarations { table.add(declaration) }
        let named =
            documentTypes.lazy.flatMap(\.contentTypes).map { (ManifestKey.documentTypes, $0) }
            + typeDeclarations.flatMap { declaration in
                declaration.conformsTo.map { (declaration.isExported ? .exportedTypes : .importedTypes, $0) }
            }
        var seen: Set<String> = []
        return named.filter { !table.knows($0.1) && seen.count < 100 && seen.insert($0.1.lowercased()).inserted }
            .map { ($0.0.spelling, $0.1) }
    }
}

extension Manifest.DocumentType {
    /// Whether questions about documents can be answered with this type.
    package var isOffered: Bool { role != .none && rank != .none }

    /// Everything by which this type is found; nothing if it is not offered.
    package var keys: [OpeningKey] {
        guard isOffered else { return [] }
        if !contentTypes.isEmpty { return contentTypes.map { OpeningKey(.identifier, $0) } }
        return extensions.filter(OpeningKey.isUsable(extension:)).map { OpeningKey(.fileExtension, $0) }
            + mimeTypes.filter(OpeningKey.isUsable(mimeType:)).flatMap { type in
                [OpeningKey(.mimeType, type)] + [OpeningKey(familyOf: type)].compactMap(\.self)
            }
    }
}
