// Measures settings: reading one, relative to a look-up in a dictionary; the first use of a Settings.bundle; and how soon a
// worker sees a change.
//
//   settings-benchmark            prints the table, with medians of several processes
//   settings-benchmark --check    does the same once and briefly, to check that it works; fails if a count is above its goal
//   settings-benchmark --round N  runs one process with N rounds, and prints its figures

import Foundation
import Measuring

let number = Int(CommandLine.arguments.last ?? "") ?? 0
do {
    switch CommandLine.arguments.dropFirst().first {
    case nil: try Goals.report { _ = try report(processes: 5, rounds: 1_000) }
    case "--check": try hold(report(processes: 1, rounds: 10))
    case "--round":
        let folder = try SettingsFolder()
        defer { folder.remove() }
        let figures =
            try Reading(folder).figures(rounds: number) + FirstUse(folder).figures(rounds: number)
            + WorkerChanges(folder).figures(rounds: number)
        for figure in figures { print(figure.line) }
    default:
        FileHandle.standardError.write(Data("settings-benchmark: unknown arguments\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("settings-benchmark: \(error)\n".utf8))
    exit(1)
}

func report(processes: Int, rounds: Int) throws -> [Figure] {
    print("Settings, medians of \(processes) processes (a look-up in a dictionary of 20 keys = 1)")
    let figures = try (0..<processes).map { _ in try Child.figures(["--round", "\(rounds)"], environment: [:]) }
    Figure.printMedians(of: figures)
    return figures[0]
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
