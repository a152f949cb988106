internal import PropertyLists

extension PluginBundle {
    /// The files of the bundle's icon, the one for the host's device and scale first.
    ///
    /// The names, the first that leads to files decides: those of `CFBundleIconFiles`, all of them in their order; that
    /// of `CFBundleIconFile`; of `NSIcon`; `Icon.png`. A name without extension is tried as it stands, then with `png`,
    /// `svg`, `tiff`, `tif` and `icns`. Each is looked for as a resource is, and its variants in the same directory:
    /// `Icon@2x.png`, `Icon~phone.png`, `Icon~phone@2x.png`, `Icon-linux.png` in the place of `Icon.png`.
    ///
    /// - Returns: empty if there is no icon. For a scale other than the host's choose by ``ResourceVariant/scale``.
    ///
    /// **Threads.** Any. **Cost.** Looks through the names of the directory at each call; opens no file.
    public var iconFiles: [ResourceVariant] {
        let declared = manifest.iconFiles.isEmpty ? [] : [manifest.iconFiles]
        let single = [manifest.dictionary["CFBundleIconFile"]?.string, manifest.dictionary["NSIcon"]?.string]
        for names in declared + single.map({ [$0 ?? ""] }) + [["Icon.png"]] {
            var listed: Set<ResourceVariant> = []
            let files = names.flatMap(iconFiles(named:)).filter { listed.insert($0).inserted }
            if !files.isEmpty { return files }
        }
        return []
    }

    private static let iconTypes = ["png", "svg", "tiff", "tif", "icns"]

    private func iconFiles(named name: String) -> [ResourceVariant] {
        guard !name.isEmpty else { return [] }
        let exact = resources.variants(of: name, type: nil)
        guard exact.isEmpty else { return exact }
        return Self.iconTypes.lazy.map { self.resources.variants(of: name, type: $0) }.first { !$0.isEmpty } ?? []
    }

    /// The files of the picture to show while the application starts, the one for the host's device and scale first.
    ///
    /// - Parameter scheme: the scheme of the URL that the application is started to open: then `Default-<scheme>.png`,
    ///   the scheme in small letters as RFC 3986 recommends, goes before `Default.png`.
    /// - Returns: the variants of the file, chosen and ordered as for ``iconFiles``; empty if there is none.
    ///
    /// **Threads.** Any. **Cost.** As ``iconFiles``.
    public func launchImages(forScheme scheme: String? = nil) -> [ResourceVariant] {
        if let scheme, !scheme.isEmpty {
            let images = resources.variants(of: "Default-" + scheme.lowercased(), type: "png")
            if !images.isEmpty { return images }
        }
        return resources.variants(of: "Default", type: "png")
    }
}
