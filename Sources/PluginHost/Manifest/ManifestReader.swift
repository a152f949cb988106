internal import PropertyLists

/// Reads an Info.plist file into a ``Manifest``, within limits.
enum ManifestReader {
    /// A larger list is refused before it is read.
    static let maximumSize = 1 << 20

    /// - Parameters:
    ///   - file: the list, open.
    ///   - path: its path, for the errors.
    /// - Throws: a finding of code `manifestUnreadable`.
    ///
    /// **Cost.** Two reads of the file, one of which finds its end, and one pass over the bytes.
    static func read(_ file: borrowing OpenedFile, path: String) throws(PluginFinding) -> Manifest {
        guard file.identity.size <= UInt64(maximumSize) else {
            throw unreadable(path, "is \(file.identity.size) bytes long; the limit is \(maximumSize)")
        }
        // One byte more than the file had when it was looked at: a file that grows meanwhile is noticed, not cut.
        let capacity = Int(file.identity.size) + 1
        return try withTemporaryBytes(capacity) { (buffer) throws(PluginFinding) in
            let count: Int
            do throws(OpenedFile.Failure) {
                count = try file.read(into: buffer, at: 0)
            } catch {
                throw unreadable(path, error.reason)
            }
            guard count < capacity else { throw unreadable(path, "grew while it was read") }
            let list: PropertyList
            do throws(PropertyListFault) {
                (list, _) = try PropertyListReader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } catch {
                throw unreadable(path, "is no property list: \(error)")
            }
            guard case .dictionary(let dictionary) = list else {
                throw unreadable(path, "is \(list.typeName), where a dictionary is expected")
            }
            return Manifest(dictionary: PlatformKeys.applied(to: dictionary), path: path)
        }
    }

    /// The same as a value, for a bundle that opens whatever its list is like.
    static func result(_ file: borrowing OpenedFile, path: String) -> Result<Manifest, PluginFinding> {
        do throws(PluginFinding) { return .success(try read(file, path: path)) } catch { return .failure(error) }
    }

    static func unreadable(_ path: String, _ complaint: String) -> PluginFinding {
        PluginFinding(
            .manifestUnreadable, filePath: path, message: "The property list \(quoted(path)) \(complaint.asSentence)",
            remedy: "Correct the file, or install the bundle again.")
    }
}
