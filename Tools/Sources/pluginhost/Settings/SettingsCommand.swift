import ArgumentParser
import HostBasics
import PluginABI
@_spi(Tools) import PluginHost
import SettingsReading

/// `pluginhost settings`: the settings of an application and of its plug-ins, with the layers of their values.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Lists and changes the settings of an application and of its plug-ins.",
        discussion: """
            A plug-in declares its settings in a Settings.bundle, and so does an application. The distribution, the \
            administrator and the user each have a file with values; a running application notices a change. No code of a \
            bundle runs. An application's own settings are known once it has run.
            """,
        subcommands: [
            ListSettingsCommand.self, GetSettingCommand.self, SetSettingCommand.self, ResetSettingsCommand.self,
        ],
        defaultSubcommand: ListSettingsCommand.self)
}

/// The arguments of every command about settings.
struct SettingsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The application, such as demo-host.", valueName: "name"),
        completion: KnownNames.applications)
    var application: String

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// A plug-in, or the application's main bundle, with a Settings.bundle.
    struct Found {
        let bundle: PluginBundle
        let identifier: String
        /// Nil if its root cannot be read.
        let settings: PluginSettings?
        let findings: [PluginFinding]

        /// Nil if the bundle has no Settings.bundle.
        init?(_ bundle: PluginBundle, _ identifier: String) {
            (self.bundle, self.identifier) = (bundle, identifier)
            do {
                guard let settings = try bundle.settings else { return nil }
                (self.settings, findings) = (settings, settings.findings)
            } catch {
                (settings, findings) = (nil, (error as? PluginError)?.findings ?? [])
            }
        }

        var facts: SettingsFacts? { SettingsFacts(bundle, isOfApplication: true) }
    }

    /// The plug-ins of the application that have settings, and the application if it has some, by identifier.
    ///
    /// `identifier`: only this one.
    /// - Throws: ValidationError if the name is not an application's.
    func plugins(_ identifier: String?) throws -> [Found] {
        let catalog = try PluginSearch(.naming(application), folders: []).catalog()
        var found: [Found] = [], seen: Set<String> = []
        func add(_ bundle: PluginBundle?, _ own: String?) {
            guard let bundle, let own, identifier ?? own == own, seen.insert(own).inserted else { return }
            if let settings = Found(bundle, own) { found.append(settings) }
        }
        let main = RecordedApplication(application)?.mainBundle
        add(main, main?.bundleIdentifier)
        for candidate in catalog.candidates where identifier ?? candidate.identifier == candidate.identifier {
            add(try? candidate.open(), candidate.identifier)
        }
        return found.sorted { $0.identifier < $1.identifier }
    }

    /// The settings of one plug-in, and the declaration of a key.
    ///
    /// - Throws: a status, after a message, if there is no such plug-in or setting.
    func setting(_ command: String, _ identifier: String, _ key: String?) throws -> (
        PluginSettings, SettingDeclaration?
    ) {
        guard let found = try plugins(identifier).first else {
            try fail(
                command, identifier, key,
                PluginFinding(
                    .pluginMissing, subject: identifier,
                    message: "\(application) has no plug-in \(quoted(identifier)) with a Settings.bundle.",
                    remedy: "“pluginhost settings --application \(application)” lists those that have one."))
        }
        guard let settings = found.settings else { try fail(command, identifier, key, found.findings[0]) }
        guard let key else { return (settings, nil) }
        guard let declaration = settings.declaration(of: key) else {
            var suggestions = NameSuggestions()
            let near = suggestions.names(near: key, among: settings.keys, most: 1)
            try fail(
                command, identifier, key,
                PluginFinding(
                    .settingUndeclared, subject: key,
                    message: "The plug-in \(quoted(identifier)) does not declare the setting \(quoted(key)).",
                    remedy: near.first.map { "Did you mean \(quoted($0))?" }
                        ?? "Use one of: \(settings.keys.joined(separator: ", "))."))
        }
        return (settings, declaration)
    }

    /// Writes a finding, and ends with a status.
    func fail(
        _ command: String, _ identifier: String, _ key: String?, _ finding: PluginFinding,
        _ status: ExitStatus = .problems
    ) throws -> Never {
        let report = FindingReport(findings: [finding], bundlePath: nil)
        if json {
            let document = JSONValue.document(
                command: "settings " + command,
                [
                    "identifier": .string(identifier), "key": JSONValue(key), "value": .null, "layer": .null,
                    "done": .bool(false), "changed": .array([]), "findings": report.json,
                ])
            Terminal.write((try? document.text()) ?? "")
        } else {
            var page = Page()
            report.write(to: &page)
            Terminal.write(page.text)
        }
        throw ExitCode(status.rawValue)
    }
}

/// `pluginhost settings list`.
struct ListSettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the settings, whose values count, and what is wrong with the files.")

    @OptionGroup var arguments: SettingsArguments

    @Argument(
        help: ArgumentHelp("The plug-in's identifier; without it, every plug-in.", valueName: "identifier"),
        completion: KnownNames.identifiers)
    var identifier: String?

    mutating func run() throws {
        let found = try arguments.plugins(identifier)
        if let identifier, found.isEmpty { _ = try arguments.setting("list", identifier, nil) }
        if arguments.json {
            let document = JSONValue.document(
                command: "settings list", ["plugins": .array(found.map(Self.json))])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            for plugin in found {
                page.gap()
                page.line((plugin.identifier, .bold))
                page.paragraph(plugin.bundle.bundlePath.relativeToCurrentDirectory, indent: 2, .faint)
                plugin.facts?.write(to: &page)
            }
            if found.isEmpty { page.paragraph("No plug-in of \(arguments.application) has a Settings.bundle.") }
            Terminal.write(page.text)
        }
        try (found.allSatisfy(\.findings.isEmpty) ? ExitStatus.fine : .problems).finish()
    }

    private static func json(_ plugin: SettingsArguments.Found) -> JSONValue {
        let name: [String: JSONValue] = [
            "identifier": .string(plugin.identifier), "path": .string(plugin.bundle.bundlePath),
        ]
        return .object(name.merging(plugin.facts?.members ?? [:]) { $1 })
    }
}

/// `pluginhost settings get`.
struct GetSettingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Prints the value that counts.")

    @OptionGroup var arguments: SettingsArguments

    @Argument(
        help: ArgumentHelp("The plug-in's identifier.", valueName: "identifier"), completion: KnownNames.identifiers)
    var identifier: String

    @Argument(help: ArgumentHelp("The key.", valueName: "key"), completion: KnownNames.settings)
    var key: String

    mutating func run() throws {
        let (settings, declaration) = try arguments.setting("get", identifier, key)
        let value = declaration?.isSecret ?? true ? nil : settings.value(of: key)
        if arguments.json {
            let document = JSONValue.document(
                command: "settings get",
                [
                    "identifier": .string(identifier), "key": .string(key), "value": JSONValue(value),
                    "findings": .array([]),
                ])
            Terminal.write(try document.text())
        } else {
            Terminal.write((value?.description ?? SettingDeclaration.hidden).escapedForTerminal + "\n")
        }
    }
}

/// `pluginhost settings set`.
struct SetSettingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Stores a value for the user, or for everybody.")

    @OptionGroup var arguments: SettingsArguments

    @Flag(help: "Store it in the administrator's file, for every user.")
    var system = false

    @Flag(help: "With --system: let nobody else change it.")
    var lock = false

    @Argument(
        help: ArgumentHelp("The plug-in's identifier.", valueName: "identifier"), completion: KnownNames.identifiers)
    var identifier: String

    @Argument(help: ArgumentHelp("The key.", valueName: "key"), completion: KnownNames.settings)
    var key: String

    // One text, which may begin with “-” as a negative number does; only an array takes what looks like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The value; true or false for a switch. Write -- before a value that begins with “--”.",
            valueName: "value"))
    var values: [String]

    mutating func validate() throws {
        if lock, !system { throw ValidationError("--lock needs --system: only the administrator locks settings.") }
        if values.first == "--" {
            values.removeFirst()
        } else if !ProgramArguments.all.contains("--"), let option = values.first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("Unknown option “\(option.escapedForTerminal)”.")
        }
        guard values.count == 1 else {
            throw ValidationError("A setting has one value. Put a text of several words in quotation marks.")
        }
    }

    mutating func run() throws {
        let value = values[0]
        let (settings, declaration) = try arguments.setting("set", identifier, key)
        guard let declaration, let scalar = SettingScalar(value, as: declaration.type) else {
            try arguments.fail(
                "set", identifier, key,
                PluginFinding(
                    .settingInvalid, subject: key,
                    message: "The setting \(quoted(key)) cannot have the value \(quoted(value)).",
                    remedy: "Use \(declaration?.allowedWords ?? "another value")."))
        }
        var change = SettingsChange("set", arguments, identifier, settings, key)
        try change.perform(key) {
            if system {
                try settings.setForSystem(key, to: scalar, locks: lock)
            } else {
                try settings.set(key, to: scalar)
            }
        }
        try change.report()
    }
}

/// `pluginhost settings reset`.
struct ResetSettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Removes a value of the user, or of the administrator, or all of them.")

    @OptionGroup var arguments: SettingsArguments

    @Flag(help: "Remove it, and its lock, from the administrator's file.")
    var system = false

    @Argument(
        help: ArgumentHelp("The plug-in's identifier.", valueName: "identifier"), completion: KnownNames.identifiers)
    var identifier: String

    @Argument(
        help: ArgumentHelp("The key; without it, every setting.", valueName: "key"), completion: KnownNames.settings)
    var key: String?

    mutating func run() throws {
        let (settings, _) = try arguments.setting("reset", identifier, key)
        var change = SettingsChange("reset", arguments, identifier, settings, key)
        // A secret setting has no value in a file.
        for key in key.map({ [$0] }) ?? settings.keys.filter({ !(settings.declaration(of: $0)?.isSecret ?? true) }) {
            let layer = system ? SettingsLayer.administrator : .user
            let origin = settings.origin(of: key)
            // A value that cannot be used has a finding.
            let isStored =
                origin?.layer == layer || system && origin?.lock != nil
                || settings.findings.contains { $0.subject == key }
            try change.perform(key, isChange: isStored) {
                if system { try settings.setForSystem(key, to: nil, locks: false) } else { try settings.reset(key) }
            }
        }
        try change.report()
    }
}

/// Changes of settings, and the report on them.
///
/// One that fails does not stop the others.
private struct SettingsChange {
    private let command: String
    private let arguments: SettingsArguments
    private let identifier: String
    private let settings: PluginSettings
    /// The key of the command line.
    private let key: String?
    /// What was changed.
    private var changed: [String] = []
    private var findings: [PluginFinding] = []
    private var status = ExitStatus.fine

    init(
        _ command: String, _ arguments: SettingsArguments, _ identifier: String, _ settings: PluginSettings,
        _ key: String?
    ) {
        self.command = command
        self.arguments = arguments
        self.identifier = identifier
        self.settings = settings
        self.key = key
    }

    /// `isChange`: whether the key has another value afterwards, if nothing fails.
    mutating func perform(_ key: String, isChange: Bool = true, _ body: () throws -> Void) throws {
        do {
            try body()
            if isChange { changed.append(key) }
        } catch let error as PluginError {
            let cannotWrite = error.code == .settingsUnreadable
            // The file that could not be written for one key is the same for all.
            if !cannotWrite || status != .unable { findings += error.findings }
            status = max(status, cannotWrite ? .unable : .problems)
        }
    }

    /// Writes what was changed and what was not, and ends with the status.
    func report() throws {
        let declaration = key.flatMap { settings.declaration(of: $0) }
        let value = declaration?.isSecret ?? true ? nil : key.flatMap { settings.value(of: $0) }
        let layer = key.flatMap { settings.origin(of: $0)?.layer }
        let isDone = findings.isEmpty
        let report = FindingReport(findings: findings, bundlePath: nil)
        if arguments.json {
            let document = JSONValue.document(
                command: "settings " + command,
                [
                    "identifier": .string(identifier), "key": JSONValue(key),
                    "value": isDone ? JSONValue(value) : .null,
                    "layer": isDone ? JSONValue(layer?.rawValue) : .null, "done": .bool(isDone),
                    "changed": JSONValue(changed), "findings": report.json,
                ])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            if isDone, let key, let value, let layer {
                page.paragraph("\(key) is now \(value), by \(layer.words).", .green)
            } else if !changed.isEmpty {
                page.paragraph("\(identifier): reset \(changed.joined(separator: ", ")).", .green)
            } else if isDone {
                page.paragraph("\(identifier): nothing was set.", .green)
            }
            report.write(to: &page)
            Terminal.write(page.text)
        }
        try status.finish()
    }
}

extension JSONValue {
    init(_ scalar: SettingScalar?) {
        switch scalar {
        case .boolean(let value)?: self = .bool(value)
        case .integer(let value)?: self = .integer(value)
        case .real(let value)?: self = .number(value)
        case .text(let value)?: self = .string(value)
        case nil: self = .null
        }
    }
}
