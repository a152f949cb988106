import BundleReading
import HostBasics

extension PluginBundle {
    /// Keys for people that are not shown, or not as a whole.
    static func metadataAdvice(on manifest: Manifest, path: String) -> [PluginFinding] {
        func warning(_ key: ManifestKey, _ message: String, _ remedy: String) -> PluginFinding {
            PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key.spelling,
                message: "The key \(key.spelling) \(message).", remedy: remedy)
        }
        let metadata = manifest.metadata
        let addresses = [(ManifestKey.website, metadata.website), (.bugs, metadata.bugs)]
        var findings: [PluginFinding] = addresses.compactMap { key, text in
            guard let text, !text.isEmpty, !PluginMetadata.isAddress(text) else { return nil }
            return warning(
                key, "is \(quoted(NameRules.shortened(text))), which is no address that applications show",
                "Write an address that begins with https:// or mailto: and has no blanks.")
        }
        let texts: [(ManifestKey, [String?])] = [
            (.shortDescription, [metadata.description]), (.copyright, [metadata.copyright]),
            (.license, [metadata.license]), (.category, [metadata.category]), (.authors, metadata.authors),
            (.keywords, metadata.keywords),
        ]
        for (key, texts) in texts {
            if let length = texts.lazy.compactMap({ $0?.utf8.count }).first(where: { $0 > PluginMetadata.longestText })
            {
                findings.append(
                    warning(
                        key, "has a text of \(length) bytes; only \(PluginMetadata.longestText) are shown",
                        "Write a shorter text."))
            }
            if texts.count > PluginMetadata.mostItems {
                findings.append(
                    warning(
                        key, "has \(texts.count) items; only \(PluginMetadata.mostItems) are shown",
                        "Write fewer items."))
            }
        }
        return findings
    }
}
