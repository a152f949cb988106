@_spi(Tools) import PluginLinting
import PluginTranslating
import PropertyLists

/// The property list in a file that an argument of the command names.
struct ListArgument {
    let path: String
    let value: PropertyList
    /// The content of the file.
    private let content: [UInt8]

    /// Reads a file, or standard input for “-”.
    init(_ path: String) throws(LintFinding) {
        self.path = path
        content = path == "-" ? StandardInputContent.read() : try TranslatedFile.bytes(path)
        value = try PropertyListFile.read(content, path: path)
    }

    /// The list of a command, which ends with the status 2 if the list cannot be read.
    static func read(_ file: String, _ command: String, json: Bool, keys: [String]) throws -> ListArgument {
        try TranslatingReport.attempt(command, json: json, keys: keys) { () throws(LintFinding) in
            try ListArgument(file)
        }
    }

    private init(path: String, value: PropertyList) {
        self.path = path
        self.value = value
        content = []
    }

    /// Warnings about content of the file that another form cannot hold.
    func losses(in form: ListForm) -> [LintFinding] {
        ListLosses.findings(content, value, keepsFractions: form == .binary1, path: path)
    }

    /// The value at a key path, as a separate list.
    func part(_ keyPath: ListKeyPath) throws(LintFinding) -> ListArgument {
        do throws(ListFault) {
            return ListArgument(path: path, value: try keyPath.value(in: value))
        } catch {
            throw PropertyListFile.finding(error, in: path)
        }
    }

    /// The list in a form.
    func bytes(_ form: ListForm) throws(LintFinding) -> [UInt8] {
        do throws(ListFault) {
            switch form {
            case .xml1: return Array(try PropertyListFile.xml(value).utf8)
            case .binary1: return BinaryListWriter.bytes(value)
            case .openstep: return Array(try OldStyleListWriter.text(value).utf8)
            case .json: return Array(try JSONList.text(value).utf8)
            }
        } catch {
            throw PropertyListFile.finding(error, in: path)
        }
    }
}
