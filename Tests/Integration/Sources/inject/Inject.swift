import Foundation

/// Makes every system call of the tool and of the demo host fail once, each in a run of its own, and checks the outcome:
/// fault 284.
///
///     inject [--every N] [--only SCENARIO] [--verbose] [--keep] PRODUCTS BUNDLES
///
/// PRODUCTS is the folder of the programs, BUNDLES that of the sample plug-ins. With `--every N` only every N-th
/// failure is tried; `--verbose` prints the output of each run. The exit status is 0 if no run broke a rule, 1 otherwise,
/// and 2 if the program cannot work.
///
/// The rules (see ``Verdict``): the program ends by itself, with 0, 1 or 2; with 0 only if it gave the complete result; it
/// names the cause, and does not report an existing file as missing; it leaves nothing half done; the next run works; and a
/// call that a signal interrupted is repeated.
///
/// Two kinds of failures are left out, because no program could continue: memory for the process itself (Swift ends a
/// process without memory), and calls that cannot fail. A failure in the dynamic linker's work before the program begins is
/// counted and not judged; one in its work on a plug-in must be reported as a failed load, in the linker's own words.
@main
struct Inject {
    static func main() {
        do {
            exit(try Inject(CommandLine.arguments.dropFirst()).run() ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("inject: \(error)\n".utf8))
            exit(2)
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var every = 1
    private var only: String?
    private var isVerbose = false
    private var keeps = false
    private var folders: [String] = []

    private init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--every":
                guard let number = arguments.next().flatMap({ Int($0) }), number > 0 else {
                    throw Failure(description: "--every needs a number from 1.")
                }
                every = number
            case "--only": only = arguments.next()
            case "--verbose": isVerbose = true
            case "--keep": keeps = true
            default: folders.append(argument)
            }
        }
        guard folders.count == 2 else {
            throw Failure(
                description: "usage: inject [--every N] [--only SCENARIO] [--verbose] [--keep] PRODUCTS BUNDLES")
        }
    }

    /// - Returns: whether every rule held.
    private func run() throws -> Bool {
        let place = try WorkPlace(bundles: folders[1])
        defer { if !keeps { place.remove() } }
        let scenarios = Scenario.all(products: folders[0], in: place).filter { only == nil || $0.name == only }
        guard !scenarios.isEmpty else { throw Failure(description: "there is no scenario \(only ?? "").") }
        var broken = 0
        for scenario in scenarios {
            let campaign = try Campaign(scenario, in: place)
            let count = campaign.run(every: every) { if isVerbose { print($0) } }
            print(
                """
                \(scenario.name): \(campaign.tried) failures injected, \(campaign.unstarted) kept the program from \
                starting, \(count) broke a rule
                """)
            broken += count
        }
        print(broken == 0 ? "No rule was broken." : "\(broken) runs broke a rule.")
        return broken == 0
    }
}
