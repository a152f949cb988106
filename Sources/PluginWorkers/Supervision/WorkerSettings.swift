/// What an application decides about all its workers.
///
/// `IsolationPolicy` documents each setting.
package struct WorkerSettings: Sendable, Hashable {
    package var isolatesForeignToolchains = true
    package var directories: [String: String] = [:]
    package var program = WorkerProgram.automatic
    package var callTime: Duration?
    package var cancelTime: Duration?
    package var startTime = Duration.seconds(10)
    package var idleTime: Duration? = .seconds(60)
    package var user: String?
    package var spares = 0
    package var deaths = 3
    package var deathsWithin = Duration.seconds(300)

    package init() {}
}
