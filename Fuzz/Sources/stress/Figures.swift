import Foundation

/// What the process holds at one moment, while all threads are stopped.
struct Figures: CustomStringConvertible {
    let second: Int
    /// The target of each open descriptor.
    let targets: [String]
    var descriptors: Int { targets.count }
    let threads: Int
    let kilobytes: Int
    /// The generations of code that had been loaded: their code stays in the process.
    let generations: Int

    init(second: Int, generations: Int) {
        // Memory that free() keeps for the next malloc() is not held by the library.
        Self.trim()
        self.second = second
        self.generations = generations
        let manager = FileManager.default
        targets = ((try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).map {
            (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) ?? "closed"
        }
        threads = ((try? manager.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).count
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        kilobytes = (pages.flatMap { Int($0[1]) } ?? 0) * Int(sysconf(CInt(_SC_PAGESIZE))) / 1024
    }

    /// malloc_trim() is not in Swift's Glibc module, and does not exist under every sanitiser.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> CInt
        if let function = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(function, to: Trim.self)(0) }
    }

    /// How many descriptors lead to each kind of thing.
    var kinds: String {
        let kinds = Dictionary(grouping: targets) { $0.filter { !$0.isNumber } }.mapValues(\.count)
        return kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    var description: String {
        "\(second) s: \(descriptors) descriptors, \(threads) threads, \(kilobytes) kB, \(generations) generations"
    }
}

/// How much may differ between the end of the warm-up and the end.
///
/// - Descriptors: the library keeps none open while nothing is watched and nothing runs. Two are for files that the
///   system's libraries open at their first use.
/// - Threads: the library's own threads end with their watches. Dispatch keeps up to a few idle workers for each processor.
/// - Memory: caches are limited by the number of bundles, which all exist after the warm-up. The rest is the
///   fragments that 16 threads leave in the allocator; and for each generation of replaced code, which is never unmapped,
///   its pages, tables and bundle.
struct Bounds {
    var descriptors = 2
    var threads = 8
    var kilobytes: Int
    var kilobytesPerGeneration: Int

    static var ofThisBuild: Bounds {
        #if ADDRESS_SANITIZER || THREAD_SANITIZER
        // The sanitisers keep freed memory, and notes on each piece of memory, for a while.
        Bounds(kilobytes: 192 << 10, kilobytesPerGeneration: 1024)
        #else
        Bounds(kilobytes: 24 << 10, kilobytesPerGeneration: 192)
        #endif
    }

    /// - Returns: what has grown, as sentences.
    func violations(from before: [Figures], to after: [Figures]) -> [String] {
        guard let end = after.last, let start = before.last else { return ["The figures were not taken."] }
        var found: [String] = []
        func compare(_ what: String, _ bound: Int, _ figure: (Figures) -> Int) {
            let most = before.map(figure).max() ?? 0
            // The minimum of the last checks, because one may happen while a thread is just ending.
            let now = after.suffix(3).map(figure).min() ?? 0
            if now > most + bound { found.append("\(what) grew from \(most) to \(now); the bound is \(bound) more.") }
        }
        compare("The descriptors, now \(end.kinds),", descriptors) { $0.descriptors }
        compare("The threads", threads) { $0.threads }
        let generations = end.generations - start.generations
        compare("The memory in kB", kilobytes + kilobytesPerGeneration * generations) { $0.kilobytes }
        return found
    }
}
