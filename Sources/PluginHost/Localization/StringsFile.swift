import PropertyLists

/// Reads the file of a strings table.
enum StringsFile {
    /// What a file holds and what is wrong with it. A file that cannot be read is an empty table.
    ///
    /// **Cost.** Linear in the file's size. A file over the limit is not read.
    static func read(
        _ path: String, limits: PropertyListLimits = .stringsTable
    ) -> (table: StringsTable, findings: [PluginFinding]) {
        do throws(OpenedFile.Failure) {
            let bytes = try bytes(of: OpenedFile(path: path), atMost: limits.size)
            let (entries, faults) = bytes.withUnsafeBytes { StringsReader.read($0, limits: limits) }
            return (StringsTable(entries), faults.map { finding($0, in: path) })
        } catch {
            let finding = PluginFinding(
                .warning, .stringsTableUnreadable, filePath: path,
                message: "The strings table \(quoted(path)) \(error.reason).",
                remedy: "Make it a regular file that the program may read.")
            return (StringsTable([:]), [finding])
        }
    }

    /// One byte more than the limit is asked for, so that a file over it shows as such to the reader, even one that
    /// grows while it is read.
    static func bytes(of file: borrowing OpenedFile, atMost limit: Int) throws(OpenedFile.Failure) -> [UInt8] {
        let length = min(Int(clamping: file.identity.size), limit) + 1
        var failure: OpenedFile.Failure?
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            do throws(OpenedFile.Failure) {
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func finding(_ fault: PropertyListFault, in path: String) -> PluginFinding {
        PluginFinding(
            .warning, .stringsTableFaulty, filePath: path, subject: fault.position.description,
            message: "The strings table \(quoted(path)) has a fault: \(fault).",
            remedy: "Correct the entry; the others are used.")
    }
}

extension PluginError.Code {
    /// An entry of a strings table is malformed; the other entries are used.
    public static let stringsTableFaulty = Self(rawValue: "stringsTableFaulty")
    /// A strings table is there and cannot be read; it counts as empty.
    public static let stringsTableUnreadable = Self(rawValue: "stringsTableUnreadable")
    /// A string was asked for that no table has; told only under NSShowNonLocalizedStrings.
    public static let stringNotLocalized = Self(rawValue: "stringNotLocalized")
}
