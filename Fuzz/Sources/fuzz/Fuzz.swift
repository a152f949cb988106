import Glibc

/// `fuzz`: millions of damaged files for the readers.
///
/// Options.usage explains the command line.
@main
enum Fuzz {
    static func main() {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            fail(Options.usage)
        }
        if options.target == .elf {
            guard options.replay == nil, let run = ELFRun(options: options) else { fail(Options.usage) }
            exit(run.run() ? 0 : 1)
        }
        if let path = options.replay { replay(path, options) }
        let given = options.corpus.map { Files.all(in: $0).map { Sample(bytes: $0, value: nil) } } ?? []
        var run = Run(options: options, given: given)
        exit(run.run() == 0 ? 0 : 1)
    }

    private static func fail(_ message: String) -> Never {
        var message = message
        message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(2)
    }

    /// Runs one file in this process, for a debugger or a sanitiser.
    private static func replay(_ path: String, _ options: Options) -> Never {
        guard let bytes = Files.read(path) else {
            fail("fuzz: \(path): \(String(cString: strerror(errno)))\n")
        }
        let worker = Worker(
            target: options.target, seed: 0, mutator: Mutator(samples: [], target: options.target), progress: Progress()
        )
        // A run chooses the limits for an input by a random number, so try both kinds.
        for seed in 0..<16 {
            var random = SeededGenerator(seed: UInt64(seed))
            do throws(Violation) {
                try worker.run(bytes, nil, &random)
            } catch {
                print("\(path): \(error.message)")
                exit(1)
            }
        }
        print("\(path): nothing found")
        exit(0)
    }
}
