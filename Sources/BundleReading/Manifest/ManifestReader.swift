package import HostBasics
package import PropertyLists

/// Reads an Info.plist file into a ``Manifest``, within limits.
package enum ManifestReader {
    /// A larger list is refused without reading it.
    package static let maximumSize = 1 << 20

    /// Reads the manifest from an open list.
    ///
    /// `file`: the open list. `path`: its path, for the errors. Throws a finding of code `manifestUnreadable`.
    ///
    /// **Cost.** Two reads of the file, one of which finds its end, and one pass over the bytes.
    package static func read(_ file: borrowing OpenedFile, path: String) throws(PluginFinding) -> Manifest {
        guard file.identity.size <= UInt64(maximumSize) else {
            throw unreadable(path, "is \(file.identity.size) bytes long; the limit is \(maximumSize)")
        }
        // One byte more than the known size, so that a file that grows meanwhile is noticed and not cut.
        let text = ListText(capacity: Int(file.identity.size) + 1)
        let count: Int
        do throws(OpenedFile.Failure) {
            count = try file.read(into: UnsafeMutableRawBufferPointer(start: text.bytes, count: text.count), at: 0)
            try file.requireUnchanged(afterReading: count)
        } catch {
            throw unreadable(path, error)
        }
        text.shorten(to: count)
        return try read(text, path: path)
    }

    /// Reads a list whose bytes are already in memory, for callers that need no bundle.
    ///
    /// `text`: the list. A caller that reuses its memory must not keep the manifest. `path`: the list's path, for the
    /// errors. Throws a finding of code `manifestUnreadable`.
    package static func read(_ text: ListText, path: String) throws(PluginFinding) -> Manifest {
        if let manifest = Manifest(recognizing: text, path: path) { return manifest }
        let list: PropertyList
        let duplicates: DuplicateKeys
        do throws(PropertyListFault) {
            (list, _, duplicates) = try PropertyListReader.readAll(UnsafeRawBufferPointer(text.buffer))
        } catch {
            throw unreadable(path, "is not a property list: \(error)")
        }
        guard case .dictionary(let dictionary) = list else {
            throw unreadable(path, "is \(list.typeName), but a dictionary is expected")
        }
        return Manifest(dictionary: PlatformKeys.applied(to: dictionary), path: path, duplicates: duplicates)
    }

    package static func unreadable(_ path: String, _ failure: OpenedFile.Failure) -> PluginFinding {
        var finding = unreadable(path, failure.reason(at: path)).refused(by: failure.errno)
        finding.filePath = failure.place(of: path)
        return finding
    }

    package static func unreadable(_ path: String, _ complaint: String) -> PluginFinding {
        PluginFinding(
            .manifestUnreadable, filePath: path, message: "The property list \(quoted(path)) \(complaint.asSentence)",
            remedy: "Correct the file, or install the bundle again.")
    }
}
