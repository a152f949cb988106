import ArgumentParser
import Glibc
@_spi(Tools) import PluginLinting
import PluginTranslating
import PropertyLists

/// How the commands `strings` and `plist` report that they could not do their work.
enum TranslatingReport {
    /// The result of a command's work.
    ///
    /// A finding is reported, and ends the command with the status 2.
    ///
    /// - Parameters:
    ///   - command: the command's name.
    ///   - json: whether to report as JSON.
    ///   - keys: the keys of the command's JSON document other than `findings`. If there is a finding, they are null.
    ///   - body: the work.
    /// - Returns: the result of the work.
    /// - Throws: the status.
    static func attempt<Value>(
        _ command: String, json: Bool, keys: [String], _ body: () throws(LintFinding) -> Value
    ) throws -> Value {
        do throws(LintFinding) {
            return try body()
        } catch {
            if json {
                let members = Dictionary(uniqueKeysWithValues: keys.map { ($0, JSONValue.null) })
                try write(command, members, [error])
            } else {
                write([error], to: STDERR_FILENO)
            }
            throw ExitCode(ExitStatus.unable.rawValue)
        }
    }

    /// Writes the document of a command.
    static func write(_ command: String, _ members: [String: JSONValue], _ findings: [LintFinding]) throws {
        let all = members.merging(["findings": .array(findings.map(LintResult.json))]) { $1 }
        Terminal.write(try JSONValue.document(command: command, all).text())
    }

    /// Writes findings as the linter does.
    static func write(_ findings: [LintFinding], to descriptor: Int32 = STDOUT_FILENO) {
        var page = Page()
        for finding in findings { LintResult.write(finding, of: nil, to: &page) }
        Terminal.write(page.text, to: descriptor)
    }
}

extension JSONValue {
    /// A value of a strings table.
    ///
    /// A strings table has only values that JSON has too.
    init(_ value: PropertyList?) {
        switch value {
        case nil: self = .null
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(Int(number))
        case .unsigned(let number): self = .unsigned(number)
        case .real(let number): self = .number(number)
        case .boolean(let truth): self = .bool(truth)
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .dictionary(let entries): self = .object(entries.mapValues { JSONValue($0) })
        case .date, .data, .uid: self = .null
        }
    }
}
