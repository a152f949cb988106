import HostBasics
import PluginABI
import PropertyLists

/// Reads the schema of a Settings.bundle: `Root.plist`, and the lists of its child panes.
///
/// Source: Apple's *Settings Application Schema Reference*, with the keys `PHFormerKeys`, and `MinimumValue` and
/// `MaximumValue` of a text field, added.
///
/// No code runs. Everything is bounded by ``SettingsLimits``, and whatever the files contain, the result is a schema with
/// findings.
public struct SettingsSchemaReader {
    static let specifiersKey = "PreferenceSpecifiers"
    /// The root keys that are read or deliberately not used.
    private static let rootKeys: Set<String> = [
        specifiersKey, "StringsTable", "Title", "ApplicationGroupContainerIdentifier",
    ]

    /// The real path of the plug-in's bundle, which a link in the Settings.bundle must not leave; nil if unknown.
    private let root: String?
    private let directories: [String]
    private var schema = SettingsSchema()
    private var readPanes: Set<String> = []
    /// The panes that are read or will be.
    private var requested: Set<String> = ["Root"]
    /// The panes to which each pane leads; never in a circle.
    private var links: [String: Set<String>] = [:]
    private var elementCount = 0
    private var textBytes = 0

    /// Reads a schema.
    ///
    /// - Parameters:
    ///   - directories: the directories of the Settings.bundle that can contain the lists, in order.
    ///   - root: the directory of the plug-in's bundle; lists outside of it are not read.
    /// - Returns: the schema; without panes if `Root.plist` cannot be read, which is then a finding.
    ///
    /// **Cost.** Linear in the size of the lists; a finding makes its list be read once more, for its line.
    public static func read(directories: [String], inside root: String?) -> SettingsSchema {
        var reader = SettingsSchemaReader(root: root, directories: directories)
        reader.read()
        return reader.schema
    }

    private init(root: String?, directories: [String]) {
        self.root = root.flatMap { Path.resolved($0) }
        self.directories = directories
    }

    // MARK: Panes

    /// A pane that is to be read, and how many panes deep it is.
    private struct Request {
        let name: String
        let depth: Int
    }

    private mutating func read() {
        var requests = [Request(name: "Root", depth: 1)]
        var next = 0
        // A queue and not a recursion: a file chooses how deep it is.
        while next < requests.count {
            let request = requests[next]
            next += 1
            guard readPanes.insert(request.name).inserted else { continue }
            guard var list = open(request.name) else { continue }
            requests += read(&list, request)
            schema.findings += list.allFindings
        }
        checkFormerKeys()
    }

    /// Reads a list; the reason why it cannot be is a finding.
    private mutating func open(_ name: String) -> SettingsList? {
        let candidates = directories.map { Path.join($0, name + ".plist") }
        let path = candidates.first { FileIdentity(path: $0) != nil } ?? candidates.first ?? "/\(name).plist"
        schema.files.append(path)
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            if file.passedLinks, let root, let real = file.resolvedPath, Path.part(of: real, in: root) == nil {
                unreadable(path, "leads out of the bundle, to \(quoted(real))", "Put the list into the bundle.")
                return nil
            }
            let bytes = try file.bytes(atMost: SettingsLimits.list.size)
            return parse(bytes, path)
        } catch {
            // The root names a child that does not exist: a fault of its author, not of the file.
            let isMissingChild = error == .missing && name != "Root"
            unreadable(
                path, error.reason(at: path),
                error.remedy(else: "Put a property list with \(Self.specifiersKey) there."),
                code: isMissingChild ? .settingsMalformed : .settingsUnreadable, refused: error.errno)
            return nil
        }
    }

    private mutating func parse(_ bytes: [UInt8], _ path: String) -> SettingsList? {
        do throws(PropertyListFault) {
            let value = try PropertyListReader.read(bytes, limits: SettingsLimits.list).value
            guard case .dictionary(let content) = value else {
                unreadable(path, "is \(value.typeName), not a dictionary", "Begin the list with a dictionary.")
                return nil
            }
            return SettingsList(path: path, bytes: bytes, content: content)
        } catch {
            unreadable(
                path, "has a fault: \(error.message)", "Correct it; “pluginhost lint” shows all faults.",
                at: error.position)
        }
        return nil
    }

    private mutating func unreadable(
        _ path: String, _ reason: String, _ remedy: String, code: PluginError.Code = .settingsUnreadable,
        refused errno: CInt? = nil, at position: PropertyListFault.Position = .whole
    ) {
        var finding = PluginFinding(
            code, filePath: path,
            message: "The list of settings \(quoted(path)) cannot be read: it \(reason.asSentence)", remedy: remedy
        ).refused(by: errno)
        if case .text(let line, let column) = position {
            finding.place = PluginFinding.Place(line: line, column: column)
        }
        schema.findings.append(finding)
    }

    // MARK: One list

    private mutating func read(_ list: inout SettingsList, _ request: Request) -> [Request] {
        var pane = SettingsPane(name: request.name)
        for key in list.content.keys.sorted() where !Self.rootKeys.contains(key) {
            list.add(
                .warning, .settingUnknown, at: .init(key: key),
                "The key \(quoted(key)) of the list is not known and has no effect.", remedy: "Remove it.")
        }
        pane.table = table(&list)
        var requests: [Request] = []
        if let elements = list.content[Self.specifiersKey]?.array {
            requests = read(elements, &list, &pane, request)
        } else {
            let problem = list.content[Self.specifiersKey].map { "is \($0.typeName), not an array" } ?? "is missing"
            list.add(
                .error, .settingsMalformed, at: .init(key: Self.specifiersKey), "\(Self.specifiersKey) \(problem).",
                remedy: "Give the list an array of elements with this key.")
        }
        schema.panes.append(pane)
        return requests
    }

    private func table(_ list: inout SettingsList) -> String? {
        guard let value = list.content["StringsTable"] else { return nil }
        if let table = value.string, !table.isEmpty, !table.utf8.contains(UInt8(ascii: "/")) { return table }
        list.add(
            .error, .settingsMalformed, at: .init(key: "StringsTable"),
            "StringsTable is \(ShownValue.list(value)), not the name of a table.",
            remedy: "Write the name of a strings table in the Settings.bundle, without extension.")
        return nil
    }

    private mutating func read(
        _ elements: [PropertyList], _ list: inout SettingsList, _ pane: inout SettingsPane, _ request: Request
    ) -> [Request] {
        var requests: [Request] = []
        var numbered = 0
        for (index, value) in elements.enumerated() {
            guard elementCount < SettingsLimits.mostElements else {
                list.add(
                    .error, .settingsMalformed, at: .init(key: Self.specifiersKey),
                    "The Settings.bundle has more than \(SettingsLimits.mostElements) elements; the others are left out.",
                    remedy: "Use fewer elements.")
                break
            }
            elementCount += 1
            guard case .dictionary(let content) = value else {
                list.add(
                    .error, .settingsMalformed, at: .init(key: Self.specifiersKey),
                    "Element \(index + 1) is \(value.typeName), not a dictionary.", remedy: "Remove it.")
                continue
            }
            var reader = ElementReader(
                content, number: index + 1, spot: content.isEmpty ? nil : numbered, path: list.path)
            if !content.isEmpty { numbered += 1 }
            let read = reader.read()
            for fault in reader.faults {
                list.add(fault.severity, fault.code, at: fault.spot, fault.message, remedy: fault.remedy)
            }
            guard let read, accept(read, reader, &list) else { continue }
            pane.elements.append(read.element)
            if let child = read.element.pane, let next = childRequest(child, request, reader, &list) {
                requests.append(next)
            }
        }
        return requests
    }

    /// Enters the setting of an element.
    ///
    /// - Returns: whether the element is to be used.
    private mutating func accept(
        _ read: ElementReader.Result, _ reader: ElementReader, _ list: inout SettingsList
    ) -> Bool {
        guard let declaration = read.declaration else { return true }
        if let known = schema[declaration.key] {
            if known.isSame(as: declaration) { return true }
            list.add(
                .error, .settingsMalformed, at: reader.spot("Key"),
                """
                \(reader.name) declares the key \(quoted(declaration.key)), which another element declares with another \
                type, default or range.
                """,
                remedy: "Use another key, or the same values in both elements.")
            return false
        }
        guard schema.declarations.count < SettingsLimits.mostKeys else {
            list.add(
                .error, .settingsMalformed, at: reader.spot("Key"),
                "The Settings.bundle declares more than \(SettingsLimits.mostKeys) keys; \(reader.name) is left out.",
                remedy: "Use fewer keys.")
            return false
        }
        if case .text(let text) = declaration.defaultValue { textBytes += text.utf8.count }
        guard textBytes <= SettingsLimits.longestTexts else {
            list.add(
                .error, .settingsMalformed, at: reader.spot("DefaultValue"),
                "The default texts have more than \(SettingsLimits.longestTexts) bytes together; \(reader.name) is left out.",
                remedy: "Use shorter defaults.")
            return false
        }
        schema.add(declaration)
        return true
    }

    /// The pane that an element leads to, if it can be read.
    private mutating func childRequest(
        _ name: String, _ request: Request, _ reader: ElementReader, _ list: inout SettingsList
    ) -> Request? {
        var problem: (message: String, remedy: String)?
        if leads(from: name, to: request.name) {
            problem = ("leads back to the pane \(quoted(name)), which leads to it", "Lead to another list.")
        } else if request.depth >= SettingsLimits.deepestPane {
            problem = (
                "is more than \(SettingsLimits.deepestPane) panes deep", "Put its elements into a pane further up."
            )
        } else if !requested.contains(name), requested.count >= SettingsLimits.mostLists {
            problem = ("would be more than the \(SettingsLimits.mostLists) lists that are read", "Use fewer panes.")
        }
        guard let problem else {
            links[request.name, default: []].insert(name)
            requested.insert(name)
            return Request(name: name, depth: request.depth + 1)
        }
        list.add(
            .error, .settingsMalformed, at: reader.spot("File"), "\(reader.name) \(problem.message).",
            remedy: problem.remedy)
        return nil
    }

    private func leads(from name: String, to other: String) -> Bool {
        var seen: Set<String> = [name]
        var open = [name]
        while let next = open.popLast() {
            if next == other { return true }
            for child in links[next] ?? [] where seen.insert(child).inserted { open.append(child) }
        }
        return false
    }

    /// A former key that is also a key would have two meanings.
    private mutating func checkFormerKeys() {
        for declaration in schema.declarations {
            let doubled = declaration.formerKeys.filter { schema[$0] != nil }
            guard !doubled.isEmpty else { continue }
            schema.findings.append(
                PluginFinding(
                    .settingsMalformed, filePath: declaration.filePath, subject: declaration.key,
                    message: """
                        PHFormerKeys of the setting \(quoted(declaration.key)) names \(quotedList(doubled, or: "")), which \
                        the Settings.bundle declares as a setting of its own; it is not used as a former name.
                        """,
                    remedy: "Remove it from PHFormerKeys."))
            schema.replace(declaration.withoutFormerKeys(doubled))
        }
    }
}

extension SettingDeclaration {
    fileprivate func withoutFormerKeys(_ keys: [String]) -> SettingDeclaration {
        SettingDeclaration(
            key: key, type: type, allowed: allowed, defaultValue: defaultValue, isSecret: isSecret,
            formerKeys: formerKeys.filter { !keys.contains($0) }, filePath: filePath)
    }
}
