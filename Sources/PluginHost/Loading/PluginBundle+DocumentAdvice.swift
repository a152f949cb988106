import BundleReading
import HostBasics
internal import PropertyLists

extension PluginBundle {
    /// Document types, or parts of them, that no question about documents finds.
    static func documentAdvice(on manifest: Manifest, path: String) -> [PluginFinding] {
        func warning(_ key: ManifestKey, _ message: String, _ remedy: String) -> PluginFinding {
            PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key.spelling,
                message: "The key \(key.spelling) \(message).", remedy: remedy)
        }
        let isHandled = manifest.dictionary[ManifestKey.handledExtensions.spelling] != nil
        var findings: [PluginFinding] = []
        for (number, type) in manifest.documentTypes.enumerated() {
            // NSExtensions is one more type, the last one.
            let isLast = number == manifest.documentTypes.count - 1
            let key = isHandled && isLast && type.name == nil ? ManifestKey.handledExtensions : .documentTypes
            if let text = type.extensions.first(where: { !OpeningKey.isUsable(extension: $0) }) {
                findings.append(
                    warning(
                        key, "has the extension \(quoted(NameRules.shortened(text))), which no file's name has",
                        "Write the extension without a dot before it, a slash or a blank, such as mid."))
            }
            if let text = type.mimeTypes.first(where: { !OpeningKey.isUsable(mimeType: $0) }) {
                findings.append(
                    warning(
                        key, "has the MIME type \(quoted(NameRules.shortened(text))), which is none",
                        "Write two words with a slash between them, such as audio/midi or audio/*."))
            }
            if !type.contentTypes.isEmpty, !(type.extensions + type.mimeTypes).isEmpty {
                findings.append(
                    warning(
                        key, "has a type with LSItemContentTypes, so its extensions and MIME types have no effect",
                        "Remove them, or LSItemContentTypes."))
            }
            if findings.count >= ReadingBudget.mostFindings { break }
        }
        return findings + valueAdvice(on: manifest, warning)
    }

    /// Roles and ranks that are not known.
    private static func valueAdvice(
        on manifest: Manifest, _ warning: (ManifestKey, String, String) -> PluginFinding
    ) -> [PluginFinding] {
        let key = ManifestKey.documentTypes
        let items = manifest.dictionary[key.spelling]?.array ?? []
        let known = [
            ("CFBundleTypeRole", Manifest.DocumentType.Role.allCases.map(\.rawValue)),
            ("LSHandlerRank", Manifest.DocumentType.Rank.allCases.map(\.rawValue)),
        ]
        return known.compactMap { name, values in
            let unknown = items.lazy.compactMap { $0.dictionary?[name]?.string }.first { !values.contains($0) }
            guard let unknown else { return nil }
            return warning(
                key, "has the \(name) \(quoted(NameRules.shortened(unknown))), which is unknown and ignored",
                "Write one of: " + values.joined(separator: ", ") + ".")
        }
    }
}
