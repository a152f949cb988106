import PluginHost

/// The documents that a bundle opens, and the types that it declares.
struct DocumentFacts {
    private let manifest: Manifest

    init(_ manifest: Manifest) { self.manifest = manifest }

    func write(to page: inout Page) {
        if !manifest.documentTypes.isEmpty {
            page.line(("Opens", .faint), indent: 2)
            page.table(manifest.documentTypes.map(row), indent: 4)
        }
        if !manifest.typeDeclarations.isEmpty {
            page.line(("Declares the types", .faint), indent: 2)
            page.table(manifest.typeDeclarations.map(row), indent: 4)
        }
    }

    private func row(_ type: Manifest.DocumentType) -> [String] {
        let extensions = type.extensions.map { $0 == "*" ? "any file" : "." + $0 }
        return [
            (type.contentTypes + extensions + type.mimeTypes).joined(separator: ", "),
            type.name.map { "“\($0)”" } ?? "", type.role.rawValue,
            type.rank == .default ? "" : "rank \(type.rank.rawValue)",
        ]
    }

    private func row(_ type: Manifest.TypeDeclaration) -> [String] {
        let tags = type.extensions.map { "." + $0 } + type.mimeTypes
        let conforms = type.conformsTo.isEmpty ? "" : "conforms to " + type.conformsTo.joined(separator: ", ")
        return [type.identifier, tags.joined(separator: ", "), conforms]
    }
}

extension JSONValue {
    init(_ type: Manifest.DocumentType) {
        self = .object([
            "name": JSONValue(type.name), "extensions": JSONValue(type.extensions),
            "mimeTypes": JSONValue(type.mimeTypes), "contentTypes": JSONValue(type.contentTypes),
            "role": .string(type.role.rawValue), "rank": .string(type.rank.rawValue),
            "icon": JSONValue(type.iconFile),
        ])
    }

    init(_ type: Manifest.TypeDeclaration) {
        self = .object([
            "identifier": .string(type.identifier), "conformsTo": JSONValue(type.conformsTo),
            "extensions": JSONValue(type.extensions), "mimeTypes": JSONValue(type.mimeTypes),
            "exported": .bool(type.isExported),
        ])
    }
}
