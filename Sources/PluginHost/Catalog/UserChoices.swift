import Glibc
internal import PropertyLists

/// A user's choices about an application's plug-ins: which ones are disabled.
///
/// They are in a property list of the user, under the key `Disabled`, an array of identifiers; docs/bundle-format.md,
/// "The user's choices".
struct UserChoices: Sendable, Equatable {
    /// The identifiers of the plug-ins that are disabled.
    var disabled: Set<String> = []
    /// Keys of later versions.
    ///
    /// They are kept when the file is written.
    private var others: [String: PropertyList] = [:]

    private static let key = "Disabled"
    /// The most bytes that a list of choices may have: enough for 10,000 identifiers of 100 bytes.
    private static let mostBytes = 1 << 20

    /// Why a file of choices cannot be used.
    struct Failure: Error {
        let finding: PluginFinding
    }

    /// Creates choices that disable nothing.
    init() {}

    /// Reads the choices from a file.
    ///
    /// If the file does not exist, nothing is disabled.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, is not such a list, or belongs to another user.
    init(path: String) throws(Failure) {
        do {
            guard let bytes = try OwnFile.bytes(path: path, atMost: Self.mostBytes) else { return }
            try read(PropertyListReader.read(bytes).value)
        } catch let error as OwnFile.Refusal {
            throw Self.failure(path, error.reason, error.remedy)
        } catch {
            throw Self.failure(path, "has a fault: \(error)", "Correct it, or remove it and disable anew.")
        }
    }

    private mutating func read(_ value: PropertyList) throws {
        guard case .dictionary(var entries) = value, let list = (entries[Self.key] ?? .array([])).array else {
            throw PropertyListFault(
                code: .unexpectedCharacter, position: .whole,
                message: "It is no dictionary whose \(Self.key) is an array of identifiers.")
        }
        disabled = Set(list.compactMap(\.string))
        entries[Self.key] = nil
        others = entries
    }

    private static func failure(_ path: String, _ reason: String, _ remedy: String) -> Failure {
        Failure(
            finding: PluginFinding(
                .choicesUnreadable, filePath: path,
                message: "The user's choices in \(quoted(path)) cannot be used: the file \(reason.asSentence)",
                remedy: remedy))
    }

    /// Replaces a file by one with these choices, and makes its directory if that is missing.
    ///
    /// - Throws: ``Failure``; then the file is unchanged.
    func write(to path: String) throws(Failure) {
        OwnFile.makeDirectory(Path.parent(path))
        var entries = others
        entries[Self.key] = .array(disabled.sorted().map(PropertyList.string))
        do {
            let text = try PropertyListWriter.xml(.dictionary(entries))
            try FileReplacement().replace(path, with: Array(text.utf8))
        } catch let error as FileReplacement.Failure {
            throw Self.failure(
                path, "cannot be written (\(describe(errno: error.errno)))", ErrorNumber.remedy(error.errno))
        } catch {
            throw Self.failure(path, "cannot be written: \(error)", "Remove what no property list can hold.")
        }
        FileReplacement.removeLeftovers(of: path)
    }
}

extension PluginCatalog {
    /// The file with a user's choices about an application's plug-ins: `<application>/plugins.plist` in
    /// `$XDG_CONFIG_HOME`, by default in `~/.config`.
    ///
    /// - Parameter application: the name of the application's directories: one path component.
    /// - Returns: an absolute path, whether the file exists or not; nil if the user has no home directory.
    public static func choicesPath(for application: String) -> String? {
        let user = UserDirectories.process
        let directory = user.absolute("XDG_CONFIG_HOME") ?? user.home.map { Path.join($0, ".config") }
        return directory.map { Path.join($0, application + "/plugins.plist") }
    }

    /// Whether the user has disabled a plug-in.
    ///
    /// - Parameter identifier: the plug-in's identifier.
    /// - Returns: whether the identifier is among those that the user has disabled. The plug-in need not be installed.
    public func isDisabled(_ identifier: String) -> Bool { choices.disabled.contains(identifier) }

    /// Disables a plug-in for the user, or enables it again.
    ///
    /// This covers every bundle with the identifier; none needs to be installed. The choice is written to the file
    /// ``Options/choices``, and the catalogue is refreshed.
    ///
    /// Loaded code stays in the process, but what a disabled plug-in offers is no longer listed.
    ///
    /// - Parameters:
    ///   - identifier: the plug-in's identifier.
    ///   - isDisabled: true to disable it, false to enable it.
    /// - Returns: what has changed.
    /// - Throws: ``PluginError`` of code `choicesUnreadable` if the file cannot be read or written; then nothing has
    ///   changed.
    ///
    /// **Threads.** Any. Two processes that change a file at the same time wait for each other.
    @discardableResult
    public func setDisabled(_ identifier: String, _ isDisabled: Bool) throws -> CatalogChange {
        guard let path = options.choices else {
            throw PluginError(
                bundlePath: identifier,
                PluginFinding(
                    .choicesUnreadable, message: "The catalogue has no file for the user's choices.",
                    remedy: "Name one by PluginCatalog.Options.choices."))
        }
        do throws(UserChoices.Failure) {
            try OwnFile.withLock(on: Path.parent(path), waitingAtMost: .seconds(5)) {
                (_) throws(UserChoices.Failure) in
                // Without a directory there is no file, so nobody else can be changing it.
                var choices = try UserChoices(path: path)
                if isDisabled { choices.disabled.insert(identifier) } else { choices.disabled.remove(identifier) }
                try choices.write(to: path)
            }
        } catch {
            throw PluginError(bundlePath: path, error.finding)
        }
        return refresh()
    }
}
