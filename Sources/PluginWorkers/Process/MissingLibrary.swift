import HostBasics

/// A library whose absence kept the dynamic linker from starting a program.
struct MissingLibrary {
    /// The name by which it was searched for.
    var name: String
    /// What the dynamic linker printed.
    var line: String

    /// Source: glibc, elf/dl-load.c and elf/dl-error-skeleton.c:
    /// `PROGRAM: error while loading shared libraries: NAME: …`.
    private static let mark = ": error while loading shared libraries: "

    /// - Parameter output: what the program printed. The result is nil if it has no such message of the dynamic linker.
    init?(output: String) {
        guard let line = output.split(separator: "\n").first(where: { $0.contains(Self.mark) }),
            let name = line.split(separator: Self.mark, maxSplits: 1).last?.split(separator: ":").first, !name.isEmpty
        else { return nil }
        self.line = String(line)
        self.name = String(name)
    }
}

extension PluginFinding {
    /// The finding for a worker program that needs a library that its dynamic linker does not find or may not read.
    ///
    /// - Parameters:
    ///   - missing: the library.
    ///   - known: the files of the libraries with which the application started.
    ///   - user: who was to run the worker, if not the user of this process.
    init(_ missing: MissingLibrary, known: [String], user: String?) {
        let file = known.first { Path.lastComponent($0) == Path.lastComponent(missing.name) }
        var message = "The worker program cannot start without the library \(quoted(missing.name))."
        let remedy: String
        if let file, FileIdentity(path: file) == nil {
            message += " The application started with \(quoted(file)), which is no longer there."
            remedy = "Restart the application: it, or a library of it, was moved, removed or upgraded while it runs."
        } else if let file, let user {
            message +=
                " The application has \(quoted(file)), which the user \(quoted(user)), who runs the worker, may not read."
            remedy = """
                Let this user enter the directories above the file (“chmod o+x”) and read it, put the application elsewhere, or \
                name another user in IsolationPolicy.user.
                """
        } else {
            remedy = """
                Restart the application if it was upgraded while it runs. Otherwise install it again, with the worker program \
                and the libraries of one build.
                """
        }
        self.init(
            .workerUnavailable, filePath: file, subject: missing.name, message: message, remedy: remedy,
            systemMessage: missing.line)
    }
}
