@_spi(Tools) public import PluginLinting
public import PropertyLists

/// Reads property lists that a person names.
public enum PropertyListFile {
    /// Reads a list in any of its forms, or JSON.
    ///
    /// What begins with a brace or a bracket may be JSON or an old-style list: a `.json` file, and what can be read as JSON,
    /// is JSON.
    ///
    /// - Throws: a finding with the place of the first fault.
    public static func read(_ bytes: [UInt8], path: String) throws(LintFinding) -> PropertyList {
        if path.hasSuffix(".json") { return try TableContent.json(path, bytes) }
        let first = bytes.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\""),
            let list = try? JSONList.read(bytes)
        {
            return list
        }
        do throws(PropertyListFault) {
            return try PropertyListReader.read(bytes, limits: .stringsTable).value
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
