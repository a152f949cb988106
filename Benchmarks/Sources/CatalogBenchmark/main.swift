// The cost of finding all plug-ins of an application, as ratios to listing, opening and reading the same Info.plist
// files, in the same process: by a walk, from the index, and both with empty caches of the kernel.
//
//   catalog-benchmark [N]        the table, with N bundles (10,000): medians of several processes
//   catalog-benchmark --check    the same, once and with few bundles, to check that it works
//   catalog-benchmark --round    one process; prints one figure a line
//   catalog-benchmark --openings one process with 1,000 plug-ins for document types; prints one figure a line
//   catalog-benchmark --start    starts from the index, to count system calls
//   catalog-benchmark --host PROGRAM PLUGINS
//                                the cost of 1,000 plug-ins for the demo host, which uses one of them
//
// The bundles are made in a temporary folder. The measurements with empty caches need root, because only root may empty
// the kernel's caches.

import Foundation
import Measuring
import PluginHost

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch arguments.first {
    case nil: try Goals.report { try Report(rounds: 7, bundles: 10_000).print() }
    case "--check": try Report(rounds: 1, bundles: 100).print()
    case "--round": for figure in try Measurements(Folder.ofParent).run() { print(figure.line) }
    case "--openings": for figure in try Openings(folder: Folder.ofParent).run() { print(figure.line) }
    case "--start": try Measurements(Folder.ofParent).start()
    case "--host" where arguments.count == 3:
        try Goals.report {
            try HostStart(program: arguments[1], samples: arguments[2], others: 998, rounds: 101).print()
        }
    case let number? where Int(number).map { $0 > 0 } ?? false:
        try Goals.report { try Report(rounds: 7, bundles: Int(number) ?? 1).print() }
    default:
        let text = "catalog-benchmark: unknown arguments \(arguments.joined(separator: " "))\n"
        FileHandle.standardError.write(Data(text.utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("catalog-benchmark: \(error)\n".utf8))
    exit(1)
}
