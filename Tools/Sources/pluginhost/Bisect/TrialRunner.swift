import CChildProcess
import FoundationEssentials
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// Starts an application with sets of its plug-ins, and asks how it behaves.
///
/// The choices for a run are in a private file, so the user's own choices never change, even if the tool is killed.
final class TrialRunner {
    /// Why no more runs are possible.
    struct Stop: Error {
        let sentence: String
        let remedy: String
    }

    private let plugins: BisectedPlugins
    private let catalog: PluginCatalog
    private let application: String
    /// The command that starts the application; nil to ask the user.
    private let command: String?
    /// The command line that starts the application.
    private let program: String
    /// How often each set is tried.
    private let repeats: Int
    private let directory: String
    private var file: String { Path.join(directory, "plugins.plist") }
    /// Every bundle at the start of the search.
    private let known: [String: Bundle]
    /// How many runs there were.
    private(set) var runs = 0
    /// The plug-ins that were installed meanwhile, which no run uses.
    private(set) var added: Set<String> = []

    private struct Bundle: Equatable {
        let identifier: String
        let version: String?
    }

    /// How often a run is repeated because a plug-in was installed during it.
    private static let mostDisturbances = 3
    /// The exit status of a command that cannot judge the set.
    private static let skips: Int32 = 125

    /// - Throws: ``Stop`` if the directory for the choices cannot be made.
    init(
        _ plugins: BisectedPlugins, in catalog: PluginCatalog, of application: String, program: String?,
        command: String?, repeats: Int
    ) throws(Stop) {
        (self.plugins, self.catalog, self.application, self.repeats) = (plugins, catalog, application, repeats)
        self.command = command
        self.program = program ?? application
        known = Self.bundles(catalog)
        let place = getenv("TMPDIR").flatMap { String(validatingCString: $0) } ?? ""
        var template = Array(Path.join(Path.resolved(place) ?? "/tmp", "pluginhost-bisect-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Stop(
                sentence: "No directory can be made for the choices of a run: \(describe(errno: errno)).",
                remedy: ErrorNumber.remedy(errno, to: .make))
        }
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        // If root looks, the application may run as another user.
        if geteuid() == 0 { chmod(directory, 0o755) }
    }

    /// Removes the private file.
    ///
    /// The application may have put its own files beside it, such as the copy that it makes of a changed list.
    func removeFiles() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func bundles(_ catalog: PluginCatalog) -> [String: Bundle] {
        let candidates = catalog.candidates.map {
            ($0.path, Bundle(identifier: $0.identifier, version: $0.version))
        }
        return Dictionary(candidates, uniquingKeysWith: { first, _ in first })
    }

    // MARK: One set

    /// Tries a set, as often as was demanded.
    ///
    /// - Returns: what most runs were; skipped if none of them could be judged, or if as many were good as bad.
    /// - Throws: ``Stop``.
    func answer(_ set: Set<Int>) throws(Stop) -> Bisection.Answer {
        var counts: [Bisection.Answer: Int] = [:]
        for number in 0..<repeats {
            counts[try undisturbed(set), default: 0] += 1
            // The rest cannot change the majority.
            let lead = counts[.good, default: 0] - counts[.bad, default: 0]
            if abs(lead) > repeats - number - 1 { break }
        }
        let (good, bad) = (counts[.good, default: 0], counts[.bad, default: 0])
        return good == bad ? .skipped : good > bad ? .good : .bad
    }

    /// Makes a run, and repeats it if a plug-in was installed meanwhile.
    private func undisturbed(_ set: Set<Int>) throws(Stop) -> Bisection.Answer {
        for _ in 0..<Self.mostDisturbances {
            try look()
            let before = added
            let answer = try run(set)
            try look()
            if added == before { return answer }
        }
        throw Stop(
            sentence: "Plug-ins are being installed, so no run has the same plug-ins until its end.",
            remedy: "Wait until that is done, and begin anew.")
    }

    /// Looks for changes of the plug-ins.
    ///
    /// - Throws: ``Stop`` if a bundle with an identifier that was known at the start was added, replaced or removed:
    ///   then the runs so far say nothing about the next ones.
    private func look() throws(Stop) {
        catalog.refresh()
        let now = Self.bundles(catalog)
        let identifiers = Set(known.values.map(\.identifier))
        for (path, bundle) in now where known[path] == nil {
            guard identifiers.contains(bundle.identifier) else {
                added.insert(bundle.identifier)
                continue
            }
            throw changed(bundle.identifier, "\(path) was installed")
        }
        for (path, bundle) in known {
            guard let found = now[path] else { throw changed(bundle.identifier, "\(path) was removed") }
            guard found == bundle else { throw changed(bundle.identifier, "\(path) was replaced") }
        }
    }

    private func changed(_ identifier: String, _ what: String) -> Stop {
        Stop(
            sentence: "\(identifier) has changed during the search: \(what). So the earlier runs no longer count.",
            remedy: "Begin anew.")
    }

    private func run(_ set: Set<Int>) throws(Stop) -> Bisection.Answer {
        let used = Set(set.map { plugins.plugins[$0].identifier })
        // Whatever is not used now is disabled too: it might be used once others are disabled.
        let disabled = Set(known.values.map(\.identifier)).union(added).subtracting(used)
        do throws(PluginError) {
            try catalog.writeTrialChoices(disabling: disabled, to: file)
        } catch {
            throw Stop(sentence: error.findings[0].message, remedy: error.findings[0].remedy)
        }
        if geteuid() == 0 { chmod(file, 0o644) }
        runs += 1
        let count = "Run \(runs): \(set.count) of \(plugins.plugins.count) plug-ins"
        let answer: Bisection.Answer
        if let command {
            answer = try status(of: command)
            note("\(count): \(answer.rawValue)\n")
        } else {
            note("\(count). Start the application:\n\n  \(startLine)\n\n")
            answer = try ask()
        }
        guard access(file, F_OK) == 0 else {
            throw Stop(
                sentence: "The file with the choices of the run, \(file), has disappeared.",
                remedy: "Begin anew, with TMPDIR set to a directory in which nothing else removes files.")
        }
        return answer
    }

    /// Writes to standard error, because standard output has the result.
    private func note(_ text: String) {
        let shown = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).asShown }
        Terminal.write(shown.joined(separator: "\n"), to: STDERR_FILENO)
    }

    /// The end of the tool by a signal, after which nothing of it is left.
    private func endIfInterrupted() {
        let number = interrupts_number()
        guard number != 0 else { return }
        removeFiles()
        interrupts_end_process(number)
    }

    // MARK: A command

    private var assignment: String { "\(PluginCatalog.choicesVariable(of: application))=\(file)" }

    private func status(of command: String) throws(Stop) -> Bisection.Answer {
        // The output of the command must not be mixed with the result.
        let arguments = ["env", assignment, "sh", "-c", "exec sh -c \"$1\" >&2", "sh", command]
        var texts = arguments.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var process: pid_t = 0
        let error = child_start_in_terminal(&texts, &process)
        guard error == 0 else {
            throw Stop(
                sentence: "The command cannot be started: \(describe(errno: error)).",
                remedy: ErrorNumber.remedy(error, to: .start))
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { break }
            // The terminal sends a signal to both; another program sends it to this one.
            if interrupts_number() != 0 { kill(process, SIGTERM) }
        }
        endIfInterrupted()
        let (signal, code) = (status & 0x7F, (status >> 8) & 0xFF)
        if signal != 0 { return .bad }
        // The shell could not start it, which has nothing to do with plug-ins.
        if runs == 1, code == 126 || code == 127 {
            throw Stop(
                sentence: "The command of --test cannot be run: the shell ended with status \(code).",
                remedy: "Correct the command, and try it alone first.")
        }
        return code == 0 ? .good : code == Self.skips ? .skipped : .bad
    }

    // MARK: The user

    private var startLine: String { "\(Self.quoted(assignment)) \(Self.quoted(program))" }

    /// A word for the shell.
    private static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            switch UInt8(byte) {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-=+,:@%".utf8.contains(byte)
            }
        }
        if plain { return text }
        // The name of a variable must not be in quotes.
        let parts = text.split(separator: "=", maxSplits: 1)
        let isAssignment =
            parts.count == 2 && parts[0].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        let (name, value) = isAssignment ? (parts[0] + "=", parts[1]) : ("", text[...])
        return name + "'" + value.replacing("'", with: "'\\''") + "'"
    }

    private func ask() throws(Stop) -> Bisection.Answer {
        while true {
            note("Is it good, bad, or should this set be skipped (good, bad, skip, quit)? ")
            guard let word = readWord() else {
                throw Stop(sentence: "Nobody has answered.", remedy: "Name a command with --test.")
            }
            switch word.lowercased() {
            case "g", "good": return .good
            case "b", "bad": return .bad
            case "s", "skip": return .skipped
            case "q", "quit":
                throw Stop(sentence: "The search was ended before a plug-in was found.", remedy: "")
            default: continue
            }
        }
    }

    /// The first word of a line of standard input, perhaps empty; nil at its end.
    private func readWord() -> String? {
        var line: [UInt8] = []
        while line.count < 1 << 10 {
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            endIfInterrupted()
            if count < 0, errno == EINTR { continue }
            guard count == 1 else {
                if line.isEmpty { return nil }
                break
            }
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    }
}
