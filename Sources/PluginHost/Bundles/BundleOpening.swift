import Glibc

/// What is read when a bundle is opened.
struct BundleContents {
    let path: String
    let layout: BundleLayout
    /// Where Info.plist was found, or would be.
    let manifestPath: String
    let manifest: Result<Manifest, PluginFinding>
}

/// Finds bundles: at a path, by identifier, of a class, of the program.
enum BundleOpening {
    static func bundle(path: String) throws(PluginError) -> PluginBundle {
        let normalized = BundlePath.normalized(path)
        if let normalized {
            if let existing = existing(normalized) { return existing }
            if let contents = usualContents(normalized) {
                return BundleTable.shared.insert(PluginBundle(contents: contents))
            }
        }
        guard let resolved = BundlePath.resolved(normalized ?? path) else {
            throw notFound(path, describe(errno: errno))
        }
        if let existing = existing(resolved) { return existing }
        guard let identity = FileIdentity(path: resolved) else { throw notFound(path, describe(errno: errno)) }
        guard identity.isDirectory else { throw notFound(path, "it is \(identity.kind), not a directory") }
        return BundleTable.shared.insert(PluginBundle(contents: contents(resolved)))
    }

    /// The object of a directory that is still there.
    private static func existing(_ path: String) -> PluginBundle? {
        guard let bundle = BundleTable.shared.bundle(atPath: path),
            FileIdentity(path: path)?.isDirectory ?? false
        else { return nil }
        return bundle
    }

    /// The contents where `Contents/Info.plist` can be opened and no link is in the path: then the path is the
    /// directory's one spelling, and nothing else need be looked at. This is nearly every bundle.
    private static func usualContents(_ path: String) -> BundleContents? {
        let list = path + "/Contents/Info.plist"
        guard !path.hasSuffix(".framework"), let file = try? OpenedFile(path: list), !file.passedLinks else {
            return nil
        }
        return BundleContents(
            path: path, layout: .contents, manifestPath: list, manifest: ManifestReader.result(file, path: list))
    }

    private static func contents(_ path: String) -> BundleContents {
        let layout = BundleLayout.detect(root: path)
        var reasons: [String] = []
        for relative in layout.infoLists {
            let list = BundlePath.join(path, relative)
            do throws(OpenedFile.Failure) {
                let file = try OpenedFile(path: list)
                return BundleContents(
                    path: path, layout: layout, manifestPath: list, manifest: ManifestReader.result(file, path: list))
            } catch OpenedFile.Failure.missing {
                reasons.append(quoted(list))
            } catch {
                return BundleContents(
                    path: path, layout: layout, manifestPath: list,
                    manifest: .failure(ManifestReader.unreadable(list, error.reason)))
            }
        }
        let missing = PluginFinding(
            .manifestUnreadable, filePath: BundlePath.join(path, layout.infoLists[0]),
            message:
                "There is no Info.plist: \(reasons.joined(separator: " and ")) do\(reasons.count == 1 ? "es" : "") not exist.",
            remedy: "Add Contents/Info.plist with at least CFBundleIdentifier and NSExecutable.")
        return BundleContents(
            path: path, layout: layout, manifestPath: BundlePath.join(path, layout.infoLists[0]),
            manifest: .failure(missing))
    }

    private static func notFound(_ path: String, _ reason: String) -> PluginError {
        PluginError(
            bundlePath: path,
            PluginFinding(
                .bundleNotFound, filePath: path, message: "There is no bundle directory at \(quoted(path)): \(reason).",
                remedy: "Check the path and the permissions of the directories above it."))
    }

    // MARK: By class, by identifier, the program's

    static func bundle(definingClass aClass: AnyClass) -> PluginBundle {
        guard let base = ImageClasses.base(ofImageDefining: aClass) else { return main }
        return BundleTable.shared.bundle(imageBase: base)
            ?? LoadedImages.path(ofImageAt: base).flatMap(framework(containing:)) ?? main
    }

    static func bundle(identifier: String) -> PluginBundle? {
        let candidates = ([main] + BundleTable.shared.all).filter { $0.bundleIdentifier == identifier }
        return candidates.reduce(nil as PluginBundle?) { best, next in
            guard let best else { return next }
            if best.isLoaded != next.isLoaded { return best.isLoaded ? best : next }
            // >= because of the tie: the list is in the order of creation, and the last created wins.
            return BundleVersion(next.manifest.version) >= BundleVersion(best.manifest.version) ? next : best
        }
    }

    /// The framework whose directory a library stands in.
    static func framework(containing path: String) -> PluginBundle? {
        guard let end = path.range(of: ".framework/") else { return nil }
        return try? bundle(path: String(path[..<path.index(before: end.upperBound)]))
    }

    static let main: PluginBundle = {
        let program = BundlePath.resolved("/proc/self/exe") ?? "/"
        var directory = program.split(separator: "/").dropLast()
        let isContents = directory.count >= 3 && directory.dropLast().last == "Contents"
        if isContents { directory = directory.dropLast(2) }
        let path = "/" + directory.joined(separator: "/")
        if let bundle = try? bundle(path: path) { return bundle }
        // The program's directory was removed while it runs. There is always a main bundle.
        let gone = ManifestReader.unreadable(path, "is gone")
        return PluginBundle(
            contents: BundleContents(path: path, layout: .flat, manifestPath: path, manifest: .failure(gone)))
    }()
}

extension String {
    fileprivate func range(of part: String) -> Range<String.Index>? { ranges(of: part).first }
}
