import BundleReading

extension PluginBundle {
    /// What the bundle says about itself for people: a description, authors, terms, addresses.
    ///
    /// `InfoPlist.strings` translates each value by the name of its key, except the authors; it has the keywords as one
    /// text with commas. A text longer than 4 KiB is cut and ends in “…”, and at most 100 authors and keywords are
    /// returned. Addresses that do not begin with `https:` or `mailto:` are left out.
    ///
    /// - Parameter languages: the wanted languages, best first; nil for those of the user.
    /// - Returns: the values; all are empty for a bundle whose Info.plist cannot be read.
    ///
    /// **Cost.** Reads the tables of the language at the first use; with `languages`, at each.
    public func metadata(languages: [String]? = nil) -> PluginMetadata {
        guard let languages else { return manifest.metadata.localized { resources.localizedInfo(forKey: $0) } }
        let translations = resources.localizedInfo(languages: languages)
        return manifest.metadata.localized { translations[$0] }
    }
}
