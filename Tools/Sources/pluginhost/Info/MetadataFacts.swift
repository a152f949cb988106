import PluginHost

/// What a bundle says about itself for people, in the user's language.
struct MetadataFacts {
    private let metadata: PluginMetadata

    init(_ bundle: PluginBundle) { metadata = bundle.metadata() }

    /// One sentence about the bundle; empty if it has none.
    var description: String { metadata.description ?? "" }

    var json: JSONValue {
        .object([
            "description": JSONValue(metadata.description), "authors": JSONValue(metadata.authors),
            "copyright": JSONValue(metadata.copyright), "license": JSONValue(metadata.license),
            "website": JSONValue(metadata.website), "bugs": JSONValue(metadata.bugs),
            "category": JSONValue(metadata.category), "keywords": JSONValue(metadata.keywords),
        ])
    }

    func write(to page: inout Page) {
        page.field("Description", metadata.description)
        page.field("Authors", metadata.authors.joined(separator: ", "))
        page.field("Copyright", metadata.copyright)
        page.field("License", metadata.license)
        page.field("Website", metadata.website)
        page.field("Report bugs to", metadata.bugs)
        page.field("Category", metadata.category)
        page.field("Keywords", metadata.keywords.joined(separator: ", "))
    }
}
