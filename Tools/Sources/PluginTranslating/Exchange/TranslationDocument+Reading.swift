internal import ELFImages
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

extension TranslationDocument {
    /// Reads an XLIFF file.
    ///
    /// - Throws: a finding with the place of the first fault.
    init(path: String, bytes: [UInt8]) throws(LintFinding) {
        guard let (text, _) = TableEncoding.text(of: bytes) else {
            throw LintFinding(
                .error, LintFinding.Code(.invalidEncoding), filePath: path,
                message: "The file \(quoted(path)) is neither in UTF-8 nor in UTF-16.", remedy: Self.remedy)
        }
        var builder = Builder(text, path: path)
        self = try builder.build()
    }

    private static let remedy = "Ask for the file again; nothing was written."

    /// Reads the elements of a file.
    ///
    /// Unknown elements are skipped with their content.
    private struct Builder {
        private var reader: MarkupReader
        private let path: String
        private var document = TranslationDocument()
        private var hasVersion = false

        init(_ text: String, path: String) {
            reader = MarkupReader(text)
            self.path = path
        }

        private func finding(
            _ code: LintFinding.Code, _ message: String, at offset: Int, subject: String? = nil,
            remedy: String = TranslationDocument.remedy
        ) -> LintFinding {
            let (position, excerpt) = reader.position(offset)
            return LintFinding(
                .error, code, filePath: path, place: LintFinding.Place(position, excerpt), subject: subject,
                message: message, remedy: remedy)
        }

        private mutating func next() throws(LintFinding) -> MarkupReader.Event? {
            do throws(PropertyListFault) {
                return try reader.read()
            } catch {
                throw LintFinding(
                    .error, LintFinding.Code(error.code), filePath: path, place: LintFinding.Place(error.position, nil),
                    message: error.message, remedy: TranslationDocument.remedy)
            }
        }

        private var place: LintFinding.Place? {
            let (position, excerpt) = reader.position(reader.offset)
            return LintFinding.Place(position, excerpt)
        }

        mutating func build() throws(LintFinding) -> TranslationDocument {
            while let event = try next() {
                guard case .start(let name, let attributes) = event else { continue }
                switch Self.local(name) {
                case "xliff":
                    guard attributes["version"] == "1.2" else {
                        let version = attributes["version"].map { "version \($0)" } ?? "no version"
                        throw finding(
                            .notXLIFF, "The file has \(quoted(version)) of XLIFF; 1.2 is expected.", at: reader.offset)
                    }
                    hasVersion = true
                case "file": try beginFile(attributes)
                case "trans-unit": try readUnit(attributes)
                case "body", "group": break
                default:
                    guard hasVersion else {
                        throw finding(
                            .notXLIFF, "The file begins with <\(name)>; <xliff> is expected.", at: reader.offset)
                    }
                    try skip()
                }
            }
            return document
        }

        private static func local(_ name: String) -> Substring { name.split(separator: ":").last ?? "" }

        private mutating func beginFile(_ attributes: [String: String]) throws(LintFinding) {
            guard hasVersion, let original = attributes["original"], let source = attributes["source-language"] else {
                throw finding(
                    .notXLIFF, "<file> needs the attributes original and source-language, inside of <xliff>.",
                    at: reader.offset)
            }
            document.files.append(
                File(
                    original: original, sourceLanguage: source, targetLanguage: attributes["target-language"],
                    place: place))
        }

        private mutating func readUnit(_ attributes: [String: String]) throws(LintFinding) {
            let start = reader.offset
            guard !document.files.isEmpty, let id = attributes["id"] else {
                throw finding(.notXLIFF, "<trans-unit> needs an id, inside of <file>.", at: start)
            }
            var unit = Unit(id: id, source: "", place: place)
            unit.isApproved = attributes["approved"].map { $0 == "yes" }
            var hasSource = false
            while let event = try next() {
                switch event {
                case .text: break
                case .end:
                    guard hasSource else { throw finding(.notXLIFF, "<trans-unit> has no <source>.", at: start) }
                    document.files[document.files.count - 1].units.append(unit)
                    return
                case .start(let name, let attributes):
                    switch Self.local(name) {
                    case "source":
                        unit.source = try readText(of: id)
                        hasSource = true
                    case "target":
                        unit.state = attributes["state"]
                        unit.target = try readText(of: id)
                    case "note":
                        let note = try readText(of: id)
                        unit.note = unit.note.map { $0 + "\n" + note } ?? note
                    default: try skip()
                    }
                }
            }
        }

        /// The text of an element.
        ///
        /// Marks are transparent, because some programs put each sentence into one, `<mrk mtype="seg">`. Other elements
        /// inside a text stand for something that is not in the file.
        private mutating func readText(of id: String) throws(LintFinding) -> String {
            var text = ""
            var marks = 0
            while let event = try next() {
                switch event {
                case .text(let part): text += part
                case .end:
                    guard marks > 0 else { return text }
                    marks -= 1
                case .start(let name, _):
                    guard Self.local(name) == "mrk" else {
                        throw finding(
                            .notXLIFF,
                            "The text of \(quoted(id)) has the element <\(name.prefix(60))>; only plain texts can be imported.",
                            at: reader.offset, subject: id,
                            remedy: "Export from the translator's program with placeholders as plain text; nothing was "
                                + "written.")
                    }
                    marks += 1
                }
            }
            return text
        }

        /// Skips the content of an element.
        private mutating func skip() throws(LintFinding) {
            var open = 1
            while open > 0, let event = try next() {
                switch event {
                case .start: open += 1
                case .end: open -= 1
                case .text: break
                }
            }
        }
    }
}

extension LintFinding.Code {
    /// A file that is not XLIFF 1.2, or that has content which cannot be imported.
    public static let notXLIFF = Self(rawValue: "notXLIFF")
}
