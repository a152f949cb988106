internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// Writes a strings table in another form.
///
/// The caller decides whether to accept ``losses``: comments if the new form has none, and plural forms if it has only
/// texts.
///
/// **Threads.** A value; may be used on any thread.
public struct TableConversion: Sendable {
    /// The bytes of the new table.
    public let bytes: [UInt8]
    /// A finding for each value that the new form cannot hold.
    public let losses: [LintFinding]

    /// Converts a table.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - path: the file's path, for its name and for findings.
    ///   - form: the form of the new table.
    ///   - language: the language of a string catalogue; nil for its source language.
    /// - Throws: a finding if the table has any fault.
    public init(
        _ bytes: [UInt8], path: String, to form: TableContent.Form, language: String? = nil
    ) throws(LintFinding) {
        var content = try TableContent(path: path, bytes: bytes, language: language)
        losses = Self.listComments(bytes, path) + Self.losses(&content, path, form)
        do throws(ListFault) {
            self.bytes = try Self.bytes(content, bytes, form)
        } catch {
            throw LintFinding(
                .error, .notRepresentable, filePath: path, subject: error.path.first, message: error.message,
                remedy: "Choose another form.")
        }
    }

    private static func bytes(
        _ content: TableContent, _ original: [UInt8], _ form: TableContent.Form
    ) throws(ListFault) -> [UInt8] {
        switch form {
        case .strings, .utf16:
            let encoding: TableEncoding = form == .utf16 ? .utf16 : .utf8
            // Keep a text as its author wrote it, unless it is an old-style list.
            if let text = TableEncoding.text(of: original)?.text, !InputFile.isXML(original),
                !text.trimmed.hasPrefix("{"), let table = try? TableText(reading: text), TableContent(table) == content
            {
                return encoding.bytes(of: text)
            }
            return encoding.bytes(of: content.text.text)
        case .openstep:
            let text = content.text.text
            return Array((text.isEmpty ? "{}\n" : "{\n" + text + "}\n").utf8)
        case .xml1, .stringsdict: return Array(try xml(content.list).utf8)
        case .binary1: return BinaryListWriter.bytes(content.list)
        case .json: return Array(try JSONList.text(content.list).utf8)
        }
    }

    static func xml(_ list: PropertyList) throws(ListFault) -> String {
        do throws(PropertyListFault) {
            return try PropertyListWriter.xml(list)
        } catch {
            throw ListFault(path: [], message: error.message)
        }
    }

    /// The loss of the comments in an XML list: they belong to no entry.
    private static func listComments(_ bytes: [UInt8], _ path: String) -> [LintFinding] {
        guard InputFile.isXML(bytes), let (count, line, column) = ListLosses.comments(in: bytes) else { return [] }
        return [
            LintFinding(
                .error, .comments, filePath: path, place: LintFinding.Place(.text(line: line, column: column), nil),
                message: count == 1
                    ? "The comment here would be lost." : "This comment and \(count - 1) more would be lost.",
                remedy: "Lose them with --lossy.")
        ]
    }

    /// Removes everything that a form cannot hold, and adapts the entries to the form.
    private static func losses(
        _ content: inout TableContent, _ path: String, _ form: TableContent.Form
    ) -> [LintFinding] {
        var losses: [LintFinding] = []
        let isText = [.strings, .utf16, .openstep].contains(form)
        if form == .stringsdict {
            for index in content.entries.indices {
                guard let text = content.entries[index].value.string else { continue }
                content.entries[index].value = .dictionary([PluralForms.formatKey: .string(text)])
            }
        }
        if isText {
            content.entries = content.entries.filter { entry in
                guard entry.value.string == nil else { return true }
                if PluralForms.text(of: entry.value) != nil { return true }
                losses.append(
                    LintFinding(
                        .error, .pluralForms, filePath: path, subject: entry.key,
                        message: "The entry \(quoted(entry.key)) has plural forms, which a text does not hold.",
                        remedy: "Convert to a .stringsdict, or leave the entry out with --lossy."))
                return false
            }
            for index in content.entries.indices {
                if let text = PluralForms.text(of: content.entries[index].value) {
                    content.entries[index].value = .string(text)
                }
            }
        } else {
            let count = content.entries.count { $0.comment != nil || !$0.flags.isEmpty }
            if count > 0 {
                losses.append(
                    LintFinding(
                        .error, .comments, filePath: path,
                        message: "\(count == 1 ? "1 entry has a comment" : "\(count) entries have comments"), "
                            + "which the form \(form.rawValue) does not hold.",
                        remedy: "Choose the form strings, or lose the comments with --lossy."))
            }
        }
        return losses
    }
}

/// The keys of a `.stringsdict`, and entries without plural forms.
enum PluralForms {
    static let formatKey = "NSStringLocalizedFormatKey"
    static let ruleKey = "NSStringFormatSpecTypeKey"
    static let pluralRule = "NSStringPluralRuleType"
    static let valueTypeKey = "NSStringFormatValueTypeKey"
    static let deviceRule = "NSStringDeviceSpecificRuleType"

    /// The text of an entry that has only a format without variables.
    static func text(of value: PropertyList) -> String? {
        guard let entries = value.dictionary, entries.count == 1, let format = entries[formatKey]?.string,
            FormatArguments(format).variables.isEmpty
        else { return nil }
        return format
    }
}

extension LintFinding.Code {
    /// Comments that a form cannot hold.
    public static let comments = Self(rawValue: "comments")
    /// Plural forms that a form cannot hold.
    public static let pluralForms = Self(rawValue: "pluralForms")
    /// A value that a form cannot hold.
    public static let notRepresentable = Self(rawValue: "notRepresentable")
}
