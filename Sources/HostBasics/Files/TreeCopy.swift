import CPluginSupport.Shims
package import Glibc

/// Makes a directory equal to another: copies new and different items, and removes those that are gone.
///
/// Equal files stay unchanged. Different files are replaced by renaming and never overwritten, so that a process that
/// has one open or mapped keeps the old content. Links stay links; a link that leads out of the tree leads to the same
/// place from the copy. FIFOs, sockets and devices are left out. Only the owner may read the copy, unless the caller
/// preserves permissions of the source for other users.
package struct TreeCopy {
    package typealias Name = OpenedDirectory.Name
    package typealias Failure = OpenedDirectory.Failure

    /// How much of a tree is copied or compared at most; docs/bundle-format.md, "Limits", lists the values.
    ///
    /// A file that does not belong in a bundle must not fill the disk, or the memory if the copies are in memory.
    package struct Limits {
        package var entries = 100_000
        package var bytes: Int64 = 1 << 30
        package var levels = 32

        package init(entries: Int = 100_000, bytes: Int64 = 1 << 30, levels: Int = 32) {
            self.entries = entries
            self.bytes = bytes
            self.levels = levels
        }
    }

    /// What a copy changed.
    package struct Report: Equatable {
        /// Whether anything was different.
        package var isChanged = false
        /// The first FIFOs, sockets and devices that were left out, by their paths in the tree.
        package var leftOut: [String] = []

        static let mostLeftOut = 16
    }

    /// The source directory, with links resolved.
    private let source: String
    private let target: String
    private let limits: Limits
    private let permissions: mode_t
    private let leaves: (String) -> Bool
    private var entries = 0
    private var bytes: Int64 = 0
    private var report = Report()

    /// Makes a directory equal to another one by copying the items that differ.
    ///
    /// `source`: the directory to copy, with links resolved. `target`: the existing directory that becomes equal to it.
    /// `permissions`: the permissions that the copy may take from the source. The owner can always read and write the
    /// copy. `leaves`: takes the path of a file or link in the tree; returns whether it stays unchanged.
    ///
    /// Returns what was changed. Throws the failure: `ENOENT` for a name that disappeared after it was read, `EFBIG` if
    /// a limit is reached.
    @discardableResult
    package static func run(
        from source: String, to target: String, limits: Limits = Limits(), permissions: mode_t = ownerOnly,
        leaving leaves: @escaping (String) -> Bool = { _ in false }
    ) throws(Failure) -> Report {
        var copy = TreeCopy(source: source, target: target, limits: limits, permissions: permissions, leaves: leaves)
        try copy.copy(OpenedDirectory(path: source), OpenedDirectory(path: target), at: "", levels: limits.levels)
        return copy.report
    }

    /// The permissions of a copy that no other user reads.
    package static let ownerOnly: mode_t = 0o700

    private init(
        source: String, target: String, limits: Limits, permissions: mode_t, leaves: @escaping (String) -> Bool
    ) {
        self.source = source
        self.target = target
        self.limits = limits
        self.permissions = permissions
        self.leaves = leaves
    }

    /// `place`: the path of both in the tree.
    private mutating func copy(
        _ from: consuming OpenedDirectory, _ to: consuming OpenedDirectory, at place: String, levels: Int
    ) throws(Failure) {
        guard levels > 0 else { throw Failure(path: from.path, errno: EFBIG) }
        try allow(from, to)
        let names = try from.names
        entries += names.count
        guard entries <= limits.entries else { throw Failure(path: from.path, errno: EFBIG) }
        for name in names {
            let path = Path.join(place, OpenedDirectory.text(name)).drop { $0 == "/" }
            guard let kind = try from.kind(name) else { continue }
            if kind == .other {
                if report.leftOut.count < Report.mostLeftOut { report.leftOut.append(String(path)) }
                continue
            }
            if kind != .directory, leaves(String(path)) { continue }
            if let old = try to.kind(name), old != kind { try remove(name, in: to) }
            switch kind {
            case .file: try copyFile(name, from, to)
            case .link: try copyLink(name, from, to, at: place)
            case .directory:
                try copy(from.directory(name), to.madeDirectory(name), at: String(path), levels: levels - 1)
            case .other: break
            }
        }
        let known = Set(names)
        for name in try to.names where !known.contains(name) {
            if !leaves(String(Path.join(place, OpenedDirectory.text(name)).drop { $0 == "/" })) {
                try remove(name, in: to)
            }
        }
    }

    /// Gives other users the access to a copied directory that they have to its source.
    private func allow(_ from: borrowing OpenedDirectory, _ to: borrowing OpenedDirectory) throws(Failure) {
        if permissions == Self.ownerOnly { return }
        var found = phs_file_identity()
        guard phs_fstat(from.descriptor, &found) == 0,
            fchmod(to.descriptor, mode_t(found.mode) & permissions | Self.ownerOnly) == 0
        else { throw Failure(path: to.path, errno: errno, operation: .write) }
    }

    private mutating func remove(_ name: Name, in directory: borrowing OpenedDirectory) throws(Failure) {
        try directory.remove(name)
        report.isChanged = true
    }

    // MARK: Files

    /// No file of a bundle has this name, because it ends with a control character.
    private static let temporaryName = OpenedDirectory.name(".new\u{1}")

    private mutating func copyFile(
        _ name: Name, _ from: borrowing OpenedDirectory, _ to: borrowing OpenedDirectory
    ) throws(Failure) {
        let source = try from.regularFile(name)
        if let old = try? to.regularFile(name), (try? source.hasSameContent(as: old)) ?? false { return }
        // Without the bits that let a program run as another user.
        let mode = mode_t(source.identity.mode) & permissions | 0o600
        try to.remove(Self.temporaryName)
        let copy = try to.file(Self.temporaryName, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        defer { close(copy) }
        // The umask of the process may have removed some permissions.
        if permissions != Self.ownerOnly, fchmod(copy, mode) != 0 { throw to.failure(name, to: .write) }
        do throws(OpenedFile.Failure) {
            bytes += try source.copyContent(to: copy, atMost: limits.bytes - bytes)
        } catch {
            let number = error.errno ?? EIO
            throw Failure(
                path: Path.join(from.path, OpenedDirectory.text(name)), errno: number,
                operation: [ENOSPC, EDQUOT].contains(number) ? .write : .read)
        }
        try to.rename(Self.temporaryName, to: name)
        report.isChanged = true
    }

    // MARK: Links

    private mutating func copyLink(
        _ name: Name, _ from: borrowing OpenedDirectory, _ to: borrowing OpenedDirectory, at place: String
    ) throws(Failure) {
        let target = try moved(
            from.linkTarget(name), of: Path.join(from.path, OpenedDirectory.text(name)), at: place)
        if let old = try? to.linkTarget(name), old == target { return }
        try to.remove(name)
        try to.makeLink(name, to: target)
        report.isChanged = true
    }

    /// The target that a link must have in the copy.
    ///
    /// A relative path inside the tree stays the same; any other path into the tree becomes the corresponding path in
    /// the copy; a path out of the tree becomes absolute.
    private func moved(_ target: Name, of link: String, at place: String) -> Name {
        let text = OpenedDirectory.text(target)
        var levels = place.isEmpty ? 0 : place.split(separator: "/").count
        let staysInside =
            !text.hasPrefix("/")
            && text.split(separator: "/").allSatisfy { component in
                if component == ".." { levels -= 1 } else if component != "." { levels += 1 }
                return levels >= 0
            }
        if staysInside { return target }
        guard let end = Path.resolved(link) else {
            return text.hasPrefix("/") ? target : OpenedDirectory.name(Path.join(Path.parent(link), text))
        }
        if let part = Path.part(of: end, in: source) {
            return OpenedDirectory.name(Path.join(self.target, String(part)))
        }
        return OpenedDirectory.name(end.utf8.elementsEqual(source.utf8) ? self.target : end)
    }
}
