internal import PropertyLists

extension PluginBundle {
    /// The files of the bundle's icon, the one for the host's device and scale first.
    ///
    /// These names are tried in turn, and the first that leads to files is used: all names in `CFBundleIconFiles`, in
    /// their order; `CFBundleIconFile`; `NSIcon`; `Icon.png`. A name without an extension is tried unchanged, then with
    /// `png`, `svg`, `tiff`, `tif` and `icns`. Each is searched for like a resource. Its variants are found in the same
    /// directory: `Icon@2x.png`, `Icon~phone.png`, `Icon~phone@2x.png`, and `Icon-linux.png` instead of `Icon.png`.
    ///
    /// - Returns: empty if there is no icon. For a scale that differs from the host's, choose by
    ///   ``ResourceVariant/scale``.
    ///
    /// **Threads.** Any. **Cost.** Searches the directory's names at each call; opens no file.
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

    /// The files of the icon beside the bundle's settings; the one for the host's device and scale comes first.
    ///
    /// - Returns: the variants of `Icon-Settings.png`, else of `Icon-Small.png`, else ``iconFiles``.
    ///
    /// **Threads.** Any. **Cost.** As for ``iconFiles``.
    public var settingsIconFiles: [ResourceVariant] {
        for name in ["Icon-Settings", "Icon-Small"] {
            let files = resources.variants(of: name, type: "png")
            if !files.isEmpty { return files }
        }
        return iconFiles
    }

    private static let iconTypes = ["png", "svg", "tiff", "tif", "icns"]

    private func iconFiles(named name: String) -> [ResourceVariant] {
        guard !name.isEmpty else { return [] }
        let exact = resources.variants(of: name, type: nil)
        guard exact.isEmpty else { return exact }
        return Self.iconTypes.lazy.map { self.resources.variants(of: name, type: $0) }.first { !$0.isEmpty } ?? []
    }

    /// The files of the picture to show while the application starts; the one for the host's device and scale comes
    /// first.
    ///
    /// - Parameter scheme: the scheme of the URL that the application is started to open. `Default-<scheme>.png` then
    ///   takes precedence over `Default.png`. The scheme is written in lower case, as RFC 3986 recommends.
    /// - Returns: the variants of the file, chosen and ordered as for ``iconFiles``; empty if there are none.
    ///
    /// **Threads.** Any. **Cost.** As for ``iconFiles``.
    public func launchImages(forScheme scheme: String? = nil) -> [ResourceVariant] {
        if let scheme, !scheme.isEmpty {
            let images = resources.variants(of: "Default-" + scheme.lowercased(), type: "png")
            if !images.isEmpty { return images }
        }
        return resources.variants(of: "Default", type: "png")
    }
}
