import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Runs other programs, such as a compiler or `strip`.
///
/// Their output goes to standard error, so that standard output contains only the tool's own output.
enum ChildProgram {
    /// - Throws: ``PackingError`` of code `toolFailed` if the program cannot be run, and with the code `failure` unless it
    ///   exits with 0. `purpose`: such as “build the code”.
    ///
    /// `errors`: a file for its output; nil for standard error.
    static func run(
        _ arguments: [String], to purpose: String, failure: PackingError.Code = .toolFailed, errors: String? = nil
    ) throws(PackingError) {
        try wait(for: try start(arguments, to: purpose, errors: errors), arguments, purpose, failure)
    }

    /// Returns what a program prints to standard output.
    static func output(_ arguments: [String], to purpose: String) throws(PackingError) -> String {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw failed(arguments, purpose, errno: errno) }
        defer { close(ends[0]) }
        let child = try start(arguments, to: purpose, output: ends[1], closing: ends[0])
        var output: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(ends[0], $0.baseAddress!, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += bytes[..<count]
        }
        try wait(for: child, arguments, purpose)
        return String(decoding: output, as: UTF8.self)
    }

    /// Starts a program, and closes the descriptor `output`.
    ///
    /// `closing`: a descriptor that the program must not inherit.
    private static func start(
        _ arguments: [String], to purpose: String, output: CInt? = nil, closing: CInt? = nil, errors: String? = nil
    ) throws(PackingError) -> pid_t {
        defer { if let output { close(output) } }
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if let errors {
            posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        posix_spawn_file_actions_adddup2(&files, output ?? STDERR_FILENO, STDOUT_FILENO)
        for descriptor in [output, closing].compactMap(\.self) {
            posix_spawn_file_actions_addclose(&files, descriptor)
        }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        let number = posix_spawnp(&child, arguments[0], &files, nil, &words, environ)
        guard number == 0 else {
            throw failed(arguments, purpose, errno: number)
        }
        return child
    }

    private static func wait(
        for child: pid_t, _ arguments: [String], _ purpose: String, _ failure: PackingError.Code = .toolFailed
    ) throws(PackingError) {
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw failed(arguments, purpose, errno: errno) }
        }
        let signal = status & 0x7F
        guard status != 0 else { return }
        let end = signal == 0 ? "it ended with \(status >> 8 & 0xFF)" : "signal \(signal) ended it"
        guard signal == 0, failure == .buildFailed else { throw failed(arguments, purpose, end) }
        throw failed(
            arguments, purpose, end, remedy: "Correct the errors that it reports on standard error.", code: failure)
    }

    /// The error if the system did not start the program.
    private static func failed(_ arguments: [String], _ purpose: String, errno: CInt) -> PackingError {
        let isSearched = !arguments[0].contains("/")
        let reason =
            errno == ENOENT && isSearched
            ? "there is no program \(quoted(arguments[0])) in PATH" : describe(errno: errno)
        return failed(arguments, purpose, reason, remedy: ErrorNumber.remedy(errno, to: .start))
    }

    private static func failed(
        _ arguments: [String], _ purpose: String, _ reason: String,
        remedy: String = "Run the command by itself, and mend what it reports.", code: PackingError.Code = .toolFailed
    ) -> PackingError {
        PackingError(
            code, path: arguments[0],
            message: "\(quoted(arguments.joined(separator: " "))), which should \(purpose), failed: \(reason).",
            remedy: remedy)
    }
}
