// Measures calls of a plug-in's C functions, relative to a bare ffi_call() of the same function in the same process.
//
//   call-benchmark          prints the table, with medians of several processes
//   call-benchmark --check  does the same once and briefly, to check that it works
//   call-benchmark --round  runs one process, and prints its figures

import Foundation
import Measuring

do {
    switch CommandLine.arguments.dropFirst().first {
    case nil: try report(processes: 15, calls: 200_000)
    case "--check": try report(processes: 1, calls: 2_000)
    case "--round":
        for figure in try Calls(Int32(CommandLine.arguments.last ?? "") ?? 0).figures() { print(figure.line) }
    default:
        FileHandle.standardError.write(Data("call-benchmark: unknown arguments\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("call-benchmark: \(error)\n".utf8))
    exit(1)
}

func report(processes: Int, calls: Int) throws {
    print("Calling a C function by its signature, medians of \(processes) processes (bare: ffi_call = 1)")
    Figure.printMedians(
        of: try (0..<processes).map { _ in try Child.figures(["--round", "\(calls)"], environment: [:]) })
}
