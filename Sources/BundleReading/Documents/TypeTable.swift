import HostBasics

/// The known types of documents, and how they relate to extensions, MIME types and each other.
///
/// The declaration that was added first decides what a type conforms to and which tags it has, so a plug-in cannot
/// change one of the system's types or the application's. An extension or MIME type may belong to several types.
///
/// Nothing is asked of the system's database of MIME types: answers would differ between machines.
package struct TypeTable: Sendable {
    private struct Known {
        var conformsTo: [String]
        var tags: [OpeningKey]
    }

    /// By identifiers in small letters.
    private var types: [String: Known] = [:]
    /// The types that have a tag, in the order in which they were added.
    private var byTag: [OpeningKey: [String]] = [:]

    /// A chain of types may be this long; what lies beyond is not found.
    package static let deepest = 64
    /// The highest number of types that are considered for one question.
    private static let most = 1_000

    /// A table of Apple's most common types.
    package init() { for declaration in SystemTypes.declarations { add(declaration) } }

    /// Adds a type, unless it is known.
    package mutating func add(_ declaration: Manifest.TypeDeclaration) {
        let identifier = declaration.identifier.lowercased()
        guard types[identifier] == nil else { return }
        var tags = declaration.extensions.filter(OpeningKey.isUsable(extension:)).map {
            OpeningKey(.fileExtension, $0)
        }
        for type in declaration.mimeTypes where OpeningKey.isUsable(mimeType: type) {
            tags.append(OpeningKey(.mimeType, type))
            if let family = OpeningKey(familyOf: type) { byTag[family, default: []].append(identifier) }
        }
        for tag in tags { byTag[tag, default: []].append(identifier) }
        types[identifier] = Known(conformsTo: declaration.conformsTo.map { $0.lowercased() }, tags: tags)
    }

    /// Whether a type is known.
    package func knows(_ identifier: String) -> Bool { types[identifier.lowercased()] != nil }

    /// A key, and how many steps of conformance lead to it.
    package struct Step: Sendable, Hashable {
        package let key: OpeningKey
        /// The key's hash.
        package let hash: UInt32
        package let distance: Int

        init(key: OpeningKey, distance: Int) {
            self.key = key
            hash = key.hash
            self.distance = distance
        }
    }

    /// Everything by which a document with this key is found, the most special first.
    ///
    /// 1. The key itself. 2. The types that have it as a tag, and all of their tags. 3. The types to which these
    /// conform, nearest first.
    ///
    /// **Cost.** One step for each type on the way; a type is visited once, so circles end.
    package func steps(from key: OpeningKey) -> [Step] {
        var steps = [Step(key: key, distance: 0)]
        var level = key.kind == .identifier ? [key.text] : byTag[key, default: []]
        var seen: Set<String> = []
        for distance in 0...Self.deepest where !level.isEmpty {
            var next: [String] = []
            for identifier in level where seen.count < Self.most && seen.insert(identifier).inserted {
                let own = OpeningKey(.identifier, identifier)
                if own != key { steps.append(Step(key: own, distance: distance)) }
                guard let known = types[identifier] else { continue }
                if distance == 0 { steps += Self.steps(of: known.tags.filter { $0 != key }) }
                next += known.conformsTo
            }
            level = next
        }
        return steps
    }

    /// The tags of a type, and the families of its MIME types, which are one step more general.
    private static func steps(of tags: [OpeningKey]) -> [Step] {
        let families = Set(tags.lazy.filter { $0.kind == .mimeType }.compactMap { OpeningKey(familyOf: $0.text) })
        return tags.map { Step(key: $0, distance: 0) }
            + families.map { Step(key: OpeningKey(.mimeType, $0.text + "/*"), distance: 1) }
    }
}
