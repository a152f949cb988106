// The cost of loading a plug-in, as a ratio to dlopen() and the entry call of the same file in the same process.
//
//   load-benchmark              the table: ratios at 200 and at 1,000 loaded plug-ins, medians of several processes
//   load-benchmark --check      the same, once and with few plug-ins, to check that it works
//   load-benchmark --round N    one process that loads N copies in turn by each way; prints nanoseconds a load
//   load-benchmark --records N  one process that loads N copies, in turn with and without a record of interfaces
//   load-benchmark --calls K N  loads N copies by way K and nothing else, to count system calls with strace
//
// The copies are made in a temporary folder. Each is a separate file, because the dynamic linker recognises a file by its
// inode. Each process loads every copy once.

import Foundation
import Measuring

let arguments = Array(CommandLine.arguments.dropFirst())
let count = arguments.last.flatMap { Int($0) } ?? 200
do {
    switch arguments.first {
    case nil: try Goals.report { try Report(rounds: 61, counts: [200, 1000]).print() }
    case "--check": try Report(rounds: 1, counts: [30]).print()
    case "--round": try Round(count: count).run()
    case "--records": try RecordedCopies.round(count)
    case "--calls" where arguments.count == 3: try SystemCalls.load(arguments[1], count)
    default:
        let text = "load-benchmark: unknown arguments \(arguments.joined(separator: " "))\n"
        FileHandle.standardError.write(Data(text.utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("load-benchmark: \(error)\n".utf8))
    exit(1)
}
