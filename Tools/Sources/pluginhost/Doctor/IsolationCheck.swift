@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// What this machine offers to confine plug-ins in worker processes.
struct IsolationCheck {
    private let confinement = Confinement.ofThisMachine
    /// The features that the kernel reports are not enough to know whether a worker runs, so start one of each kind.
    private let trials = [WorkerTrial(.isolated), WorkerTrial(.sandboxed)]

    var check: DoctorCheck {
        var findings: [PluginFinding] = []
        if !confinement.allowsSandbox {
            findings.append(
                PluginFinding(
                    .warning, .sandboxUnavailable,
                    message: "Sandboxed plug-ins cannot be used here: a layer that each of them needs is missing.",
                    // This remedy names the missing layer, and whether the kernel lacks it or a filter refuses it.
                    remedy: trials.flatMap(\.findings).first { $0.code == .sandboxUnavailable }?.remedy
                        ?? "Use Linux 5.13 or later with Landlock and seccomp; in a container, allow their calls in its profile."
                ))
        }
        for trial in trials where trial.execution == .isolated || confinement.allowsSandbox {
            findings += trial.findings.map { finding in
                var finding = finding
                finding.severity = .warning
                finding.message = "No \(trial.name) worker could be started in a trial. \(finding.message)"
                return finding
            }
        }
        return DoctorCheck("Isolation", findings, facts: trials.map(\.fact), table: rows)
    }

    /// The runtimes for plug-ins of other Swift toolchains.
    static var runtimes: DoctorCheck {
        let places = WorkerRuntimePlace.all
        let findings = places.compactMap { place in
            place.problem.map { problem in
                PluginFinding(
                    .warning, .runtimeUnusable, filePath: place.directory, message: "It is not a runtime: \(problem)",
                    remedy: """
                        Install a runtime there with “make install” and the toolchain of the plug-ins, or remove the directory.
                        """)
            }
        }
        var facts = places.compactMap { place in place.toolchain.map { "\($0), in \(place.directory)" } }
        if facts.isEmpty {
            facts = ["none: a Swift plug-in that another toolchain built is refused"]
        }
        return DoctorCheck("Runtimes of other Swift toolchains", findings, facts: facts)
    }

    /// `runtimes` of the JSON document.
    static var runtimesJSON: JSONValue {
        .array(
            WorkerRuntimePlace.all.map { place in
                .object([
                    "directory": .string(place.directory), "toolchain": JSONValue(place.toolchain),
                    "problem": JSONValue(place.problem),
                ])
            })
    }

    private var rows: [[String]] {
        Confinement.Layer.allCases.map { layer in
            [
                layer.rawValue, confinement.enforced.contains(layer) ? "enforced" : "missing",
                confinement.missing[layer] ?? "",
            ]
        }
    }

    /// `workers` of the JSON document.
    var workersJSON: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: trials.map { trial in
                    let members: [String: JSONValue] = [
                        "started": .bool(trial.findings.isEmpty), "user": JSONValue(trial.user),
                        "enforced": JSONValue((trial.confinement?.enforced ?? []).map(\.rawValue).sorted()),
                    ]
                    return (trial.name, .object(members))
                }))
    }

    /// `layers` of the JSON document.
    var json: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: Confinement.Layer.allCases.map { layer in
                    let members: [String: JSONValue] = [
                        "enforced": .bool(confinement.enforced.contains(layer)),
                        "missing": JSONValue(confinement.missing[layer]),
                    ]
                    return (layer.rawValue, .object(members))
                }))
    }
}

extension WorkerTrial {
    /// The value of `PHExecution` that demands this execution.
    fileprivate var name: String { execution == .sandboxed ? "sandboxed" : "isolated" }

    /// The result of the trial, as a sentence.
    fileprivate var fact: String {
        let who = user.map { " as the user \($0)" } ?? ""
        guard let confinement else { return "A trial: no \(name) worker could be started\(who)." }
        let layers = Confinement.Layer.allCases.filter(confinement.enforced.contains).map(\.rawValue)
        return "A trial: the \(name) worker started\(who); enforced: \(layers.joined(separator: ", "))."
    }
}
