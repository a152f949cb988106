internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
public import PropertyLists

/// Reads property lists that the user named.
public enum PropertyListFile {
    /// Reads a list in any of its forms, or JSON.
    ///
    /// A list that begins with a brace or a bracket may be JSON or an old-style list. It is JSON if the file is named
    /// `.json` or if it can be read as JSON.
    ///
    /// - Throws: a finding with the place of the first fault.
    public static func read(_ bytes: [UInt8], path: String) throws(LintFinding) -> PropertyList {
        if path.hasSuffix(".json") { return try TableContent.json(path, bytes) }
        let first = bytes.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"") {
            do throws(PropertyListFault) { return try JSONList.read(bytes) } catch {
                // Everything before the duplicate key is JSON and not an old-style list.
                if error.code == .duplicateKey { throw InputFile.finding(error, in: path, bytes) }
            }
        }
        do throws(PropertyListFault) {
            let (value, _, duplicates) = try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListFault) in
                try PropertyListReader.readAll(UnsafeRawBufferPointer(bytes), limits: .stringsTable)
            }
            // One of the two values would be lost.
            if let key = duplicates.otherForm {
                throw PropertyListFault(
                    code: .duplicateKey, position: .whole,
                    message: "The key \(quoted(key)) is there in two spellings that differ in their Unicode form only.")
            }
            return value
        } catch {
            throw InputFile.finding(error, in: path, bytes)
        }
    }

    /// The XML form of a list.
    public static func xml(_ list: PropertyList) throws(ListFault) -> String { try TableConversion.xml(list) }

    /// A fault of a value as a finding about the file.
    public static func finding(_ fault: ListFault, in path: String) -> LintFinding {
        LintFinding(
            .error, .notRepresentable, filePath: path, subject: ListKeyPath(fault.path).text, message: fault.message)
    }
}
