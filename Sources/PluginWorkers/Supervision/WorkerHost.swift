package import BundleReading
package import HostBasics
package import PluginABI

/// What a worker must know of the application, and what the application does for its workers.
///
/// `HostEnvironment` fills it for each start of a worker.
package struct WorkerHost: Sendable {
    /// Takes a message for the application's log: its level, the identifier of the bundle that it concerns, and the text.
    package typealias Log = @Sendable (PluginLogger.Level, _ bundleIdentifier: String, _ message: String) -> Void

    /// The application's name and version, as plug-ins see them.
    package var name = ""
    package var version = ""
    package var capabilities: [String] = []
    /// The user's languages, best first.
    package var languages: [String] = []
    package var device: String?
    package var scale = 1
    package var requiresDeclaredRegistrations = false
    /// The main bundle of the application; nil only in tests.
    package var application: ApplicationBundle?
    /// The directory of the program `pluginhost-worker`; nil if the application names none.
    package var workerPath: String?
    package var log: Log
    package var counter: any EndCounter

    package init(log: @escaping Log, counter: any EndCounter) {
        self.log = log
        self.counter = counter
    }
}

/// Counts the ends of workers against their plug-ins, across all processes of the application.
package protocol EndCounter: Sendable {
    /// Writes down an end that ``count(_:at:of:deaths:within:)`` counts later, in case the application ends first.
    ///
    /// - Parameters:
    ///   - end: what ended the worker, and what was running.
    ///   - moment: the time of the end, in nanoseconds since 1970.
    ///   - plugin: the plug-in that caused it.
    ///   - deaths: how many ends put the plug-in into quarantine.
    ///   - time: the period in which these ends count.
    ///
    /// **Cost.** One system call; for the first end in the process, some more.
    func keep(_ end: WorkerEnd, at moment: Int64, of plugin: PluginInfo, deaths: Int, within time: Duration)

    /// Counts an end.
    ///
    /// The parameters are those of ``keep(_:at:of:deaths:within:)``.
    ///
    /// - Returns: why the plug-in must not be used any more; nil if it may be used.
    ///
    /// **Cost.** Reads and writes files, so no caller should wait for it.
    func count(
        _ end: WorkerEnd, at moment: Int64, of plugin: PluginInfo, deaths: Int, within time: Duration
    ) -> PluginFinding?
}
