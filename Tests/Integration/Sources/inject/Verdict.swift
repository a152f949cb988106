import Foundation

/// Whether a run with one failed call kept the rules.
struct Verdict {
    /// The broken rule, in words; nil if none was broken.
    let broken: String?

    init(
        _ run: ProgramRun, sound: ProgramRun, files: [String: Data], soundFiles: [String: Data], output: String?,
        error: String
    ) {
        broken =
            Self.end(of: run) ?? Self.claims(of: run, sound: sound, error: error)
            ?? Self.damage(in: files, soundFiles, output: output)
    }

    private static func end(of run: ProgramRun) -> String? {
        if run.isHung { return "it does not end" }
        if run.killed != nil || run.status < 0 || run.status > 128 { return "a signal ends it: \(run.everything)" }
        guard (0...2).contains(run.status) else { return "it ends with another status: \(run.everything)" }
        return nil
    }

    /// Words that report something as absent.
    ///
    /// No injected error means that.
    private static let absence = [
        "No such file", "bundleNotFound", "executableMissing", "dependencyMissing", "pluginMissing", "There is no",
        "there is no ", "no plug-in", "No plug-in", "is missing", "not found", "does not exist", "cannot be found",
        "is not installed", "is another plug-in",
    ]

    private static func claims(of run: ProgramRun, sound: ProgramRun, error: String) -> String? {
        let isSound = run.status == sound.status && run.result == sound.result
        if isSound { return nil }
        // glibc's dynamic linker repeats no call, and says “No such file” for every failure to open a library.
        let isOfLinker = run.status != 0 || run.result.contains("\"state\":\"failed\"")
        if isOfLinker, "\(run.result)\(run.standardError)".contains("The dynamic linker cannot load") { return nil }
        if error == "EINTR" { return "the interrupted call is not made again: \(run.everything)" }
        // The dynamic linker says so for every failure to open a file.
        // The rules that a check could not look at are listed by their names, which say nothing about the bundle.
        let lines = (run.result + run.standardError).split(separator: "\n").filter {
            !$0.trimmingCharacters(in: .whitespaces).hasPrefix("not checked ")
        }
        let said = lines.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .replacing("cannot open shared object file: No such file or directory", with: "")
        // The linker passes over a library that may not be opened, and so it is not found; the finding names the file.
        if error == "EACCES", said.contains("dependencyMissing"), said.contains("cannot be opened (Permission denied)")
        {
            return nil
        }
        // A child always ends with 0 when it has reported; “pluginhost load” ends with 1 if there is an error in the report.
        let failures = ["\"state\":\"failed\"", "\"severity\":\"error\""]
        let isSuccess = run.status == 0 && !failures.contains(where: run.result.contains)
        if isSuccess { return "it reports success with another result: \(run.everything)" }
        // A folder that cannot be listed has the same code as a missing one; the message distinguishes them.
        let isUnlisted = said.contains("cannot be listed:")
        let known = (sound.result + sound.standardError).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if let word = absence.first(where: {
            said.contains($0) && !known.contains($0) && !(isUnlisted && $0 == "bundleNotFound")
        }) {
            return "it says “\(word)”: \(run.everything)"
        }
        if ["EMFILE", "ENOMEM", "EIO"].contains(error), said.contains("Install ") {
            return "the remedy does not fit: \(run.everything)"
        }
        if said.contains("Error Domain=") { return "it shows an error object of Foundation's: \(run.everything)" }
        if let cause = causes[error], !cause.contains(where: said.contains) {
            return "it does not name the cause: \(run.everything)"
        }
        return nil
    }

    /// Words that name an error for people.
    private static let causes = [
        "EMFILE": ["Too many open files", "too many files", "error 24", "(24)", "limit of open files"],
        "EIO": ["Input/output error", "the disk reports an error", "input/output error", "I/O error", "error 5"],
        "EACCES": ["Permission denied", "access is not allowed", "permission", "may not", "cannot be read", "EACCES"],
        "ENOMEM": ["Cannot allocate memory", "memory", "failed to map segment"],
        "ENOSPC": ["No space left", "space"],
        "EAGAIN": ["Resource temporarily unavailable"],
    ]

    /// Work that is half done.
    static func damage(in files: [String: Data], _ sound: [String: Data], output: String?) -> String? {
        for (path, data) in sound where !isWritten(path) {
            if files[path] != data { return "the file \(path) changed" }
        }
        for (path, data) in files where sound[path] == nil && !path.hasPrefix("tree/") || path == output {
            // An index is a complete file under its own name; the next run reads it, and is compared.
            if path.hasPrefix("cache/"), path.hasSuffix(".index") { continue }
            if path == output {
                // It may lack what could not be done, but it is complete all the same.
                if data.isEmpty || !String(decoding: data, as: UTF8.self).hasSuffix("</html>\n") {
                    return "\(path) is half written"
                }
                continue
            }
            return "it leaves the file \(path)"
        }
        return nil
    }

    private static func isWritten(_ path: String) -> Bool {
        path.hasPrefix("cache/") || path.hasPrefix("out/") || path.hasPrefix("tree/")
    }
}
