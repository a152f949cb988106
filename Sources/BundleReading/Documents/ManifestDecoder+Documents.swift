import HostBasics
internal import PropertyLists

extension ManifestDecoder {
    /// The highest number of types in one key; far more than any bundle opens.
    static let mostTypes = 1_000

    /// `CFBundleDocumentTypes`, and as one more type `NSExtensions`.
    mutating func documentTypes(in values: ManifestValues) -> [Manifest.DocumentType] {
        let item = values[.documentTypes]
        var types: [Manifest.DocumentType] = dictionaries(item).map { documentType($0, item.key) }
        if let handled = handledExtensions(values[.handledExtensions]) { types.append(handled) }
        return types
    }

    private mutating func documentType(_ values: [String: PropertyList], _ key: String) -> Manifest.DocumentType {
        func item(_ name: String) -> ListItem { ListItem(key: key, value: values[name]) }
        return Manifest.DocumentType(
            name: string(item("CFBundleTypeName")), extensions: strings(item("CFBundleTypeExtensions")),
            mimeTypes: strings(item("CFBundleTypeMIMETypes")), contentTypes: strings(item("LSItemContentTypes")),
            role: string(item("CFBundleTypeRole")).flatMap(Manifest.DocumentType.Role.init) ?? .viewer,
            rank: string(item("LSHandlerRank")).flatMap(Manifest.DocumentType.Rank.init) ?? .default,
            iconFile: string(item("CFBundleTypeIconFile")))
    }

    /// An array of extensions, or a dictionary that has them as its keys.
    private mutating func handledExtensions(_ item: ListItem) -> Manifest.DocumentType? {
        let extensions: [String]
        switch item.value {
        case nil: return nil
        case .dictionary(let values): extensions = values.keys.sorted()
        case .array: extensions = strings(item)
        case let value?:
            return mismatch(item.key, value, expected: "an array of strings or a dictionary")
        }
        if extensions.isEmpty || !isFew(extensions.count, item.key) { return nil }
        return Manifest.DocumentType(name: nil, extensions: extensions)
    }

    /// `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`.
    mutating func typeDeclarations(in values: ManifestValues) -> [Manifest.TypeDeclaration] {
        declarations(values[.exportedTypes], isExported: true)
            + declarations(values[.importedTypes], isExported: false)
    }

    private mutating func declarations(_ item: ListItem, isExported: Bool) -> [Manifest.TypeDeclaration] {
        dictionaries(item).compactMap { values in
            guard let identifier = name(ListItem(key: item.key, value: values["UTTypeIdentifier"])) else {
                return values["UTTypeIdentifier"] == nil
                    ? invalid(item.key, "has a type without UTTypeIdentifier") : nil
            }
            var tags: [String: PropertyList] = [:]
            if let value = values["UTTypeTagSpecification"] {
                tags = value.dictionary ?? mismatch(item.key, value, expected: "a dictionary of tags") ?? [:]
            }
            return Manifest.TypeDeclaration(
                identifier: identifier, conformsTo: oneOrMany(values["UTTypeConformsTo"], item.key),
                extensions: oneOrMany(tags["public.filename-extension"], item.key),
                mimeTypes: oneOrMany(tags["public.mime-type"], item.key), isExported: isExported)
        }
    }

    /// A string, or an array of strings.
    private mutating func oneOrMany(_ value: PropertyList?, _ key: String) -> [String] {
        if let text = value?.string { return [text] }
        return strings(ListItem(key: key, value: value))
    }

    private mutating func dictionaries(_ item: ListItem) -> [[String: PropertyList]] {
        guard let value = item.value else { return [] }
        guard case .array(let values) = value else {
            return mismatch(item.key, value, expected: "an array of dictionaries") ?? []
        }
        guard isFew(values.count, item.key) else { return [] }
        return values.compactMap { element in
            element.dictionary ?? mismatch(item.key, element, expected: "dictionaries", in: "an array of")
        }
    }

    private mutating func isFew(_ count: Int, _ key: String) -> Bool {
        if count <= Self.mostTypes { return true }
        complain(key, "has \(count) items; the limit is \(Self.mostTypes)")
        return false
    }
}
