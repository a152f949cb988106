import Foundation
import PluginHost

/// `stress`: many threads that run random operations for a while.
///
/// Options.usage explains the command line.
@main
enum Stress {
    static func main() throws {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            FileHandle.standardError.write(Data(Options.usage.utf8))
            exit(2)
        }
        let world = try World(code: options.code)
        say("stress: \(options.threads) threads, \(options.seconds) s, seed \(options.seed), in \(world.folder)")
        let run = Run(options: options, world: world)
        let isClean = try run.run()
        world.remove()
        exit(isClean ? 0 : 1)
    }
}

/// The options of the command line.
struct Options {
    var seconds = 600
    var seed = UInt64.random(in: 1...999_999)
    var threads = 16
    /// A folder with built sample plug-ins; by default that of this program.
    var code = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    static let usage = """
        Usage: stress [--seconds N] [--seed S] [--threads T] [--products DIR]

        Runs random operations of the library on many threads. They open and drop bundles, load and unload them, and look
        up resources and strings; make objects and services of plug-ins; make, watch and drop catalogues while files
        change under them; and replace code while it is used.

        Each thread's operations follow from the seed; the timing between threads does not. Again and again the process
        is checked while all threads are stopped: descriptors, threads and memory must not grow.
        Exit status: 0 clean, 1 something found, 2 wrong usage.

        """

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--seconds":
                guard let number = Int(value), number > 0 else { return nil }
                seconds = number
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                seed = number
            case "--threads":
                guard let number = Int(value), 1...256 ~= number else { return nil }
                threads = number
            case "--products": code = value
            default: return nil
            }
        }
    }
}

/// A seeded source of random choices.
struct Chance {
    private var state: UInt64

    init(seed: UInt64, thread: Int) {
        state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(thread) &* 0xD1B5_4A32_D192_ED03
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to and without a bound.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True once in so many times.
    mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// Prints a line at once: one that is printed before the process is killed must be seen.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
