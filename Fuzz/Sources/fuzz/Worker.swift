import CFuzz
import Glibc

/// Runs inputs, in a child process, until all are done or one breaks a rule.
struct Worker {
    let target: Target
    let seed: UInt64
    let mutator: Mutator
    let progress: Progress

    /// The exit status of a worker that found something.
    static let foundSomething: Int32 = 3

    /// More processor time than any input of this size needs, on a machine ten times slower than usual.
    private static let mostTime = 500_000_000
    /// The memory that any input may take in addition to a multiple of its size.
    private static let baseMemory = 4 << 20
    private static let memoryForEachByte = 400

    /// Runs every `step`th input of a range.
    func run(_ inputs: Range<Int>, step: Int) {
        for input in stride(from: inputs.lowerBound, to: inputs.upperBound, by: step) {
            progress.input = input
            var random = SeededGenerator(seed: seed, input: input)
            let (bytes, sample) = mutator.input(&random)
            do throws(Violation) {
                try run(bytes, sample, &random)
            } catch {
                progress.message = error.message
                _exit(Self.foundSomething)
            }
        }
    }

    /// Runs one input, in memory of exactly its size, so that a sanitiser notices reading past its end.
    func run(_ bytes: [UInt8], _ sample: Sample?, _ random: inout SeededGenerator) throws(Violation) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        fuzz_memory_start()
        let start = Self.processorTime
        try target.check(UnsafeRawBufferPointer(memory), sample: sample, &random)
        let time = Self.processorTime - start
        let peak = fuzz_memory_peak()
        if time > progress.slowest.time { progress.slowest = (time, progress.input) }
        if peak > progress.largest.bytes { progress.largest = (peak, progress.input) }
        guard time < (target.measures ? 20 : 1) * Self.mostTime else {
            throw Violation("it takes \(time / 1_000_000) ms of the processor")
        }
        guard target.measures || peak < Self.baseMemory + Self.memoryForEachByte * bytes.count else {
            throw Violation("\(bytes.count) bytes take \(peak) bytes of memory")
        }
    }

    private static var processorTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
