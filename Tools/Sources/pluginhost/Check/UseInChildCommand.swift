import ArgumentParser
import CChildProcess
import PluginHost

/// The command that `pluginhost check --level` runs in a separate process to use a bundle's code.
///
/// Users do not call it.
struct UseInChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: Self.name, shouldDisplay: false)
    static let name = "use-in-child"

    @Option var mark: String
    /// Bundles to load first, because this bundle requires or uses them.
    @Option var after: [String] = []
    /// Compares the state of the process before and after the code runs.
    @Flag var state = false
    @Argument var bundle: String

    mutating func run() throws {
        guard let report = ChildReport(mark: mark) else {
            throw ValidationError("This is an internal part of “pluginhost check”. Do not call it yourself.")
        }
        child_begin()
        HostEnvironment.current.isolation = .ofTool
        HostEnvironment.current.log = { _ in }  // the preceding load has shown all messages
        for path in after { _ = try? PluginBundle.open(path: path).loadAndReturnError() }
        let outcome: UseOutcome
        do {
            outcome = UseOutcome(using: try PluginBundle.open(path: bundle), report, comparesState: state)
        } catch let error as PluginError {
            outcome = UseOutcome(LoadOutcome(error, isUnable: true))
        }
        report.send(.use(outcome))
    }
}
