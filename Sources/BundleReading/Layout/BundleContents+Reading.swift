import Glibc
package import HostBasics

extension BundleContents {
    /// Reads the current contents of the bundle at a directory.
    ///
    /// The base is an open directory on the path.
    package static func read(_ path: String, from base: PathBase = .none) throws(PluginError) -> BundleContents {
        let normalized = Path.normalized(path)
        if let normalized, let contents = usual(normalized, from: normalized == path ? base : .none) {
            return contents
        }
        return try read(resolved: try resolved(normalized ?? path, askedFor: path), askedFor: path)
    }

    /// The only spelling of the path of a directory, which contains no link.
    package static func resolved(_ path: String, askedFor: String) throws(PluginError) -> String {
        if let resolved = Path.resolved(path) { return resolved }
        throw notFound(askedFor, errno: errno)
    }

    /// The contents of a bundle with the usual layout and no links; nil for any other bundle.
    ///
    /// This is the case if `Contents/Info.plist` can be opened and the path contains no link, as for nearly every
    /// bundle. The path is then the only spelling of the directory. One more check is needed: whether a list for this
    /// platform replaces that Info.plist.
    package static func usual(_ path: String, from base: PathBase = .none) -> BundleContents? {
        // These have other places for Info.plist, before the usual one or in addition to it.
        if path.hasSuffix(".framework") || path.hasSuffix(".resources") { return nil }
        let list = Path.join(path, "Contents", file: "Info", ".plist", "")
        guard let file = try? OpenedFile(path: list, from: base), !file.passedLinks,
            !FileIdentity.mayExist(list, withEnding: "-linux.plist", insteadOf: ".plist", from: base)
        else { return nil }
        return BundleContents(path: path, layout: .contents, manifestPath: list, list: file)
    }

    /// Reads the contents of any directory.
    ///
    /// All parts come from the same bundle: if the directory is replaced while it is read, it is read again.
    package static func read(resolved path: String, askedFor: String) throws(PluginError) -> BundleContents {
        var contents = BundleContents?.none
        var before: FileIdentity?
        // A directory that changes this often may never stop changing; then the last contents are as good as any.
        for _ in 0..<8 {
            guard let now = FileIdentity(path: path) else { throw notFound(askedFor, errno: errno) }
            guard now.isDirectory else { throw notFound(askedFor, "it is \(now.kind), not a directory") }
            if let before, before.isSameFile(as: now) { break }
            before = now
            var failure: OpenedDirectory.Failure?
            let layout = BundleLayout.detect(root: path, failure: &failure)
            contents = findInfoList(path, layout, failure)
        }
        return contents.take() ?? findInfoList(path, .flat, nil)
    }

    /// `failure`: what could not be examined when the layout was detected.
    private static func findInfoList(
        _ path: String, _ layout: BundleLayout, _ failure: OpenedDirectory.Failure?
    ) -> BundleContents {
        // A directory that may be entered but not listed still opens files by name. After any other failure it is
        // unknown which layout the bundle has.
        if let failure, failure.errno != EACCES { return unlisted(path, layout, failure) }
        for directory in layout.infoDirectories {
            for name in BundleLayout.infoNames {
                let list = Path.join(Path.join(path, directory), name)
                do throws(OpenedFile.Failure) {
                    let file = try OpenedFile(path: list)
                    return BundleContents(path: path, layout: layout, manifestPath: list, list: file)
                } catch .missing {
                    continue
                } catch {
                    // If the directory may not be entered, it is unknown which of the names exist in it; report the
                    // usual one.
                    let named = FileIdentity(path: list) == nil ? Path.join(path, layout.usualInfoList) : list
                    return BundleContents(
                        path: path, layout: layout, manifestPath: named,
                        finding: ManifestReader.unreadable(named, error))
                }
            }
        }
        let expected = Path.join(path, layout.usualInfoList)
        return BundleContents(
            path: path, layout: layout, manifestPath: expected,
            finding: missingInfoList(path, layout, expected).refused(by: failure?.errno))
    }

    private static func unlisted(
        _ path: String, _ layout: BundleLayout, _ failure: OpenedDirectory.Failure
    ) -> BundleContents {
        let expected = Path.join(path, layout.usualInfoList)
        let finding = PluginFinding(
            .manifestUnreadable, filePath: expected,
            message: """
                Info.plist cannot be searched for: \(quoted(failure.path)) cannot be read \
                (\(describe(errno: failure.errno))).
                """)
        return BundleContents(
            path: path, layout: layout, manifestPath: expected, finding: finding.refused(by: failure.errno))
    }

    private static func missingInfoList(_ path: String, _ layout: BundleLayout, _ expected: String) -> PluginFinding {
        let places = layout.infoDirectories.map { quoted(Path.join(Path.join(path, $0), "Info.plist")) }
        let verb = places.count == 1 ? "does" : "do"
        if let (link, target) = danglingLink(path, layout) {
            return PluginFinding(
                .manifestUnreadable, filePath: link, subject: target,
                message:
                    "There is no Info.plist: \(quoted(link)) is a broken link to \(quoted(target)).",
                remedy: "Create that file, or install the bundle again.")
        }
        // Not joined(): its first call searches all conformances of the process, and a program without Info.plist gets
        // here when it first uses its main bundle.
        let list = places.dropFirst().reduce(places.first ?? "") { $0 + " and " + $1 }
        return PluginFinding(
            .manifestUnreadable, filePath: expected,
            message: "There is no Info.plist: \(list) \(verb) not exist.",
            remedy: "Add \(layout.usualInfoList) with at least CFBundleIdentifier and NSExecutable.")
    }

    /// The first link to a missing target, among the places of Info.plist and their folders, with its target.
    private static func danglingLink(_ path: String, _ layout: BundleLayout) -> (link: String, target: String)? {
        let folders = ["Contents", "Resources", "Support Files"] + layout.infoDirectories.filter { !$0.isEmpty }
        let lists = layout.infoDirectories.flatMap { folder in
            BundleLayout.infoNames.map { Path.join(Path.join(path, folder), $0) }
        }
        for link in folders.map({ Path.join(path, $0) }) + lists {
            if let target = Path.linkTarget(link), FileIdentity(path: link) == nil { return (link, target) }
        }
        return nil
    }

    private static func notFound(_ path: String, errno: CInt) -> PluginError {
        if ErrorNumber.leadsNowhere(errno) { return notFound(path, describe(errno: errno)) }
        let closed = errno == EACCES ? Path.closedDirectory(above: path) : nil
        let cause = closed.map { ": the directory \(quoted($0)) may not be opened by this user" } ?? ""
        let finding = PluginFinding(
            .bundleNotFound, filePath: closed ?? path,
            message: "The bundle directory \(quoted(path)) cannot be read\(cause).")
        return PluginError(bundlePath: path, finding.refused(by: errno))
    }

    private static func notFound(_ path: String, _ reason: String) -> PluginError {
        if let target = Path.linkTarget(path) {
            return PluginError(
                bundlePath: path,
                PluginFinding(
                    .bundleNotFound, filePath: path, subject: target,
                    message: """
                        \(quoted(path)) is a link to \(quoted(target)), and there is no bundle directory: \(reason).
                        """,
                    remedy: "Correct the link or remove it, or install the bundle to which it leads."))
        }
        return PluginError(
            bundlePath: path,
            PluginFinding(
                .bundleNotFound, filePath: path, message: "There is no bundle directory at \(quoted(path)): \(reason).",
                remedy: "Check the path and the permissions of the directories above it."))
    }
}
