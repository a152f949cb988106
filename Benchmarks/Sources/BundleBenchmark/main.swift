// The cost of opening bundles and of looking up resources and strings, as ratios to the cost of the same without a bundle
// (a stat(), a Swift dictionary) and beside Foundation's Bundle, in the same process.
//
//   bundle-benchmark            the table: medians of several processes
//   bundle-benchmark --check    the same, once and with few bundles, to check that it works
//   bundle-benchmark --round N  one process; N is how many bundles each measurement opens. Prints one figure a line
//   bundle-benchmark --first L  one process, for the first bundle that the library L opens: PluginHost or Foundation; or
//                               for the first “question” of a process
//
// The bundles are made in a temporary folder.

import Foundation
import Measuring
import PluginHost

/// The measurements, in the order of the table.
let measurements: [(Bundles, Int) throws -> [Figure]] = [
    OpeningMeasurements.run,
    ResourceMeasurements.run,
    StringMeasurements.run,
    LargeTableMeasurements.run,
]

/// The folder of the bundles that the first process has made.
let folder = getenv("BENCHMARK_BUNDLES").map { String(cString: $0) } ?? "."

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch arguments.first {
    case nil: try Goals.report { try Report(rounds: 15, bundles: 200).print() }
    case "--check": try Report(rounds: 1, bundles: 8).print()
    case "--round" where arguments.count == 2:
        HostEnvironment.current.preferredLanguages = ["fr"]
        let bundles = Bundles(folder: URL(filePath: folder))
        for measure in measurements {
            for figure in try measure(bundles, Int(arguments[1]) ?? 8) { print(figure.line) }
        }
    case "--first" where arguments.count == 2:
        print(try FirstBundle.measure(arguments[1], in: folder).line)
    default:
        let text = "bundle-benchmark: unknown arguments \(arguments.joined(separator: " "))\n"
        FileHandle.standardError.write(Data(text.utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("bundle-benchmark: \(error)\n".utf8))
    exit(1)
}
