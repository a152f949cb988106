// Measures calls of a plug-in's C functions, relative to a bare ffi_call() of the same function in the same process; and
// calls of objects in another process, relative to a futex each way between two processes; and the start and the death of
// such a process, relative to the start of another program that is linked to the library, and to the wake of a thread.
//
//   call-benchmark          prints the tables, with medians of several processes
//   call-benchmark --check  does the same once and briefly, to check that it works
//   call-benchmark --round, --remote one, --remote two, --starts  runs one process, and prints its figures

import Foundation
import Measuring

do {
    switch CommandLine.arguments.dropFirst().first {
    case nil: try Goals.report { try report(processes: 15, calls: 200_000, starts: 31) }
    case "--check": try report(processes: 1, calls: 2_000, starts: 2)
    case "--round":
        for figure in try Calls(Int32(CommandLine.arguments.last ?? "") ?? 0).figures() { print(figure.line) }
    case "--remote":
        let isBound = CommandLine.arguments.dropFirst(2).first == "one"
        let calls = try RemoteCalls(Int(CommandLine.arguments.last ?? "") ?? 0, isBound: isBound)
        defer { calls.end() }
        for figure in try calls.figures(isBound: isBound) { print(figure.line) }
    case "--starts":
        for figure in try Starts(rounds: Int(CommandLine.arguments.last ?? "") ?? 1).figures() { print(figure.line) }
    default:
        FileHandle.standardError.write(Data("call-benchmark: unknown arguments\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("call-benchmark: \(error)\n".utf8))
    exit(1)
}

func report(processes: Int, calls: Int, starts: Int) throws {
    print("Calling a C function by its signature, medians of \(processes) processes (bare: ffi_call = 1)")
    Figure.printMedians(
        of: try (0..<processes).map { _ in try Child.figures(["--round", "\(calls)"], environment: [:]) })
    let rounds = (processes + 2) / 3
    print("Calling an object in another process, medians of \(rounds) processes (a futex each way = 1)")
    for place in ["one", "two"] {
        Figure.printMedians(
            of: try (0..<rounds).map { _ in
                try Child.figures(["--remote", place, "\(max(calls / 400, 10))"], environment: [:])
            })
    }
    print("Starting a process for a plug-in, medians of \(rounds) processes")
    Figure.printMedians(
        of: try (0..<rounds).map { _ in try Child.figures(["--starts", "\(starts)"], environment: [:]) })
}
