import CFuzz
import Glibc
import PluginHost

/// Loads mutants of plug-ins and of their libraries, each in a process of its own, and counts how the processes end.
///
/// The rule: at most one of a thousand mutants ends its process before code of the mutant ran. What its code does then does
/// not count. If the end does not show whether its code ran, the mutant is loaded once more, instruction by instruction.
struct ELFRun {
    private let options: Options
    private let folder: String
    private let mutators: [(name: String, executable: ELFMutator, library: ELFMutator?)]
    /// The kinds of samples that no linker on this machine can make.
    private let absent: [String]
    private let traces: UnsafeMutablePointer<fuzz_trace>

    /// How a process ended.
    private enum End: String, CaseIterable {
        case loaded
        case refused
        case ownCode = "ended by its own code"
        case before = "ended before its own code"
    }

    /// A process that loads a mutant, and a description of the mutant.
    private struct Child {
        var process: pid_t = 0
        var input = 0
        var change = ""
        var marks: CInt = -1
    }

    init?(options: Options) {
        self.options = options
        // In memory, if there is such a place.
        folder = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/pluginhost-fuzz-elf-\(getpid())"
        let given = options.corpus.map { Files.all(in: $0) } ?? []
        guard let samples = ELFSamples(in: folder + "/samples", given: given) else { return nil }
        mutators = samples.samples.map { sample in
            (sample.name, ELFMutator(sample.executable), sample.library.map { ELFMutator($0) })
        }
        absent = samples.absent
        let size = MemoryLayout<fuzz_trace>.stride * options.jobs
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        traces = memory.bindMemory(to: fuzz_trace.self, capacity: options.jobs)
    }

    /// Runs all inputs.
    ///
    /// - Returns: whether the rule holds.
    func run() -> Bool {
        print("elf: \(options.inputs) mutants from seed \(options.seed), \(options.jobs) at a time")
        print("samples: \(mutators.map(\.name).joined(separator: ", "))")
        if !absent.isEmpty { print("no linker here makes: \(absent.joined(separator: ", "))") }
        fflush(nil)
        var ends: [End: Int] = [:]
        var kinds: [String: Int] = [:]
        var children = [Child](repeating: Child(), count: options.jobs)
        var next = options.first
        let end = options.first + options.inputs
        var running = 0
        while next < end || running > 0 {
            if next < end, let slot = children.firstIndex(where: { $0.process == 0 }) {
                children[slot] = start(next, slot)
                next += 1
                running += 1
                continue
            }
            var status: Int32 = 0
            let process = waitpid(-1, &status, 0)
            guard let slot = children.firstIndex(where: { $0.process == process }) else { continue }
            running -= 1
            var (outcome, kind) = judge(children[slot], slot, status)
            // Its stage is that of the first of the two loads.
            if outcome == .before, traces[slot].stage == 0, ran(children[slot].input, slot) { outcome = .ownCode }
            close(children[slot].marks)
            ends[outcome, default: 0] += 1
            if outcome == .before {
                kinds[kind, default: 0] += 1
                print("  \(kind), input \(children[slot].input)")
                save(children[slot].input)
            }
            children[slot].process = 0
        }
        for (kind, count) in kinds.sorted(by: { $0.value > $1.value }) { print("\(count) × \(kind)") }
        let before = ends[.before] ?? 0
        print(
            "elf: \(options.inputs) mutants, seed \(options.seed): "
                + End.allCases.map { "\(ends[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", "))
        system("rm -rf '\(folder)'")
        return before * 1000 <= options.inputs
    }

    // MARK: - One mutant

    /// The bundle's files for an input, which depend only on the seed and its number.
    private func mutant(_ input: Int) -> (executable: [UInt8], library: [UInt8]?, change: String) {
        var random = SeededGenerator(seed: options.seed, input: input)
        let (name, executable, library) = mutators[random.below(mutators.count)]
        if let library, random.oneIn(3) {
            let (bytes, change) = library.mutant(&random)
            return (executable.bytes, bytes, "library, \(name): \(change)")
        }
        let (bytes, change) = executable.mutant(&random)
        return (bytes, library?.bytes, "executable, \(name): \(change)")
    }

    /// Keeps the files of an input for examination; `--first` runs it again.
    private func save(_ input: Int) {
        let (executable, library, change) = mutant(input)
        let path = "\(options.findings)/elf-\(options.seed)-\(input)"
        Files.write(executable, to: path + ".so")
        if change.hasPrefix("library"), let library { Files.write(library, to: path + "-library.so") }
    }

    /// Whether the code of a mutant runs before its process ends: for instance a call of a wrong address in it that leads out
    /// of the file at once.
    private func ran(_ input: Int, _ slot: Int) -> Bool {
        let child = start(input, slot, isTraced: true)
        defer { close(child.marks) }
        let isLibrary = child.change.hasPrefix("library")
        return fuzz_ran(child.process, Self.path(in: "\(folder)/\(slot)/Mutant.bundle", ofLibrary: isLibrary)) != 0
    }

    private static func path(in bundle: String, ofLibrary isLibrary: Bool) -> String {
        bundle + (isLibrary ? "/Contents/Frameworks/libpart.so" : "/Contents/Linux/Plugin")
    }

    private func start(_ input: Int, _ slot: Int, isTraced: Bool = false) -> Child {
        var pipe: [CInt] = [-1, -1]
        Glibc.pipe(&pipe)
        let (executable, library, change) = mutant(input)
        traces[slot] = fuzz_trace()
        fflush(nil)
        let process = fuzz_fork()
        if process == 0 {
            dup2(pipe[1], ELFSamples.descriptor)
            close(pipe[0])
            close(pipe[1])
            // An instruction takes about a thousand times as long.
            fuzz_limit(UInt32(isTraced ? options.patience * 10 : options.patience))
            if isTraced { fuzz_wait_for_trace() }
            load(executable, library, slot)
        }
        close(pipe[1])
        return Child(process: process, input: input, change: change, marks: pipe[0])
    }

    /// Loads the mutant, and then a sound bundle, because a mutant must not end the next load either.
    private func load(_ executable: [UInt8], _ library: [UInt8]?, _ slot: Int) -> Never {
        let null = open("/dev/null", O_WRONLY)
        dup2(null, STDERR_FILENO)
        dup2(null, STDOUT_FILENO)
        let place = "\(folder)/\(slot)"
        place.withCString { fuzz_trace_signals(traces + slot, strdup($0)) }
        let status: Int32 = load("\(place)/Mutant.bundle", executable, library) ? 0 : 1
        traces[slot].stage = 1
        _ = load("\(place)/Sound.bundle", mutators[0].executable.bytes, mutators[0].library?.bytes)
        traces[slot].stage = 2
        exit(status)
    }

    /// - Returns: whether its code was entered.
    private func load(_ path: String, _ executable: [UInt8], _ library: [UInt8]?) -> Bool {
        Files.write(executable, to: Self.path(in: path, ofLibrary: false))
        if let library { Files.write(library, to: Self.path(in: path, ofLibrary: true)) }
        // With a principal class it need not register anything.
        let list =
            "<plist version=\"1.0\"><dict><key>CFBundleExecutable</key><string>Plugin</string>"
            + "<key>NSPrincipalClass</key><string>None</string></dict></plist>"
        Files.write(Array(list.utf8), to: "\(path)/Contents/Info.plist")
        do {
            try PluginBundle.open(path: path).loadAndReturnError()
            return true
        } catch let error as PluginError {
            return error.code == .entryFailed
        } catch {
            return false
        }
    }

    private func judge(_ child: Child, _ slot: Int, _ status: Int32) -> (End, String) {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = max(read(child.marks, &bytes, bytes.count), 0)
        // The library's code runs before the executable is opened, and proves nothing about the executable.
        let wanted = child.change.hasPrefix("library") ? ELFSamples.libraryMark : ELFSamples.executableMark
        let hasMarks = bytes.prefix(count).contains(wanted)
        var code: Int32 = 0
        let trace = traces[slot]
        if fuzz_exited(status, &code) != 0, code <= 1 { return (code == 0 ? .loaded : .refused, "") }
        let image = withUnsafeBytes(of: trace.image) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let way = trace.signal != 0 ? "signal \(trace.signal)" : code == SIGALRM ? "hang" : "status \(code)"
        let stage = trace.stage == 0 ? "" : trace.stage == 1 ? " in the next load" : " at the end"
        let kind =
            "\(child.change): \(way)\(stage) in \(image.isEmpty ? "?" : image)+\(String(trace.offset, radix: 16))"
        if trace.in_own_code != 0 || hasMarks && trace.stage != 1 { return (.ownCode, kind) }
        return (.before, kind)
    }
}
