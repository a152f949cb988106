// Measures nibs, relative to the same graph of objects made by hand, to a pass of expat, and to looking for a resource.
//
//   nib-benchmark            prints the table, with medians of several processes
//   nib-benchmark --check    does the same once and briefly, to check that it works; fails if a count is above its goal
//   nib-benchmark --round N  runs one process with N rounds, and prints its figures
//   nib-benchmark --instantiate N  makes the objects of a nib in memory N times, for a profiler
//   nib-benchmark --calls N  makes the objects of a nib N times, to count system calls with strace

import Foundation
import Measuring

let number = Int(CommandLine.arguments.last ?? "") ?? 0
do {
    switch CommandLine.arguments.dropFirst().first {
    case nil: try Goals.report { _ = try report(processes: 15, rounds: 300) }
    case "--check": try hold(report(processes: 1, rounds: 30))
    case "--round": try use { for figure in try $0.figures() { print(figure.line) } }
    case "--calls": try use { try $0.load(number) }
    case "--instantiate": try use { try $0.instantiate(number) }
    default:
        FileHandle.standardError.write(Data("nib-benchmark: unknown arguments\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("nib-benchmark: \(error)\n".utf8))
    exit(1)
}

func use(_ body: (Nibs) throws -> Void) throws {
    let nibs = try Nibs(rounds: max(number, 1))
    defer { nibs.remove() }
    try body(nibs)
}

func report(processes: Int, rounds: Int) throws -> [Figure] {
    print("Instantiating nibs, medians of \(processes) processes (the same objects made by hand = 1)")
    let figures = try (0..<processes).map { _ in try Child.figures(["--round", "\(rounds)"], environment: [:]) }
    Figure.printMedians(of: figures)
    guard let calls = try Nibs.systemCalls() else {
        print("System calls are not counted, because strace is not installed.")
        return figures[0]
    }
    Figure.printMedians(of: [[calls]])
    return figures[0] + [calls]
}

/// Holds figures that are the same on every machine to their goals.
///
/// A time on a busy machine says nothing.
func hold(_ figures: [Figure]) throws {
    for figure in figures where figure.isCount {
        guard let goal = figure.goal, figure.value > goal else { continue }
        throw Child.Failure(description: "“\(figure.name)” is \(figure.value); its goal is \(goal)")
    }
}
