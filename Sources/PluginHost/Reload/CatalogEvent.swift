/// What a watched catalogue has noticed, and done about it.
public enum CatalogEvent: Sendable {
    /// A plug-in can be used that could not.
    case added(PluginDescription)
    /// A plug-in is gone, or cannot be used any more; if it was loaded, it goes on working.
    case removed(PluginDescription)
    /// Files of a plug-in are different and no code of it was brought in: it is not loaded, or only its resources have
    /// changed, which it sees by itself.
    case changed(PluginDescription)
    /// A new generation of a plug-in's code is in service. `remaining` are those before it that callers or objects still
    /// hold, oldest first.
    case reloaded(PluginDescription, generation: GenerationReport, remaining: [GenerationReport])
    /// A plug-in that changed cannot be used as it is now, or not all is watched. What was in service still is.
    case failed(PluginError)
}

extension PluginCatalog {
    /// Watches the search paths, and brings new code of the plug-ins into service while they are in use.
    ///
    /// ```swift
    /// for await event in try catalog.watch() { print(event) }
    /// ```
    /// A change is dealt with when nothing has happened in the search paths for the quiet period, and at the latest two
    /// seconds after it began. Then, for each plug-in that is loaded and whose code or Info.plist has other bytes:
    ///
    /// 1. The bundle is copied into a directory of the process's own, so that the code is loaded from a new path and no
    ///    build writes into a mapped file; see <doc:HotReload> for where.
    /// 2. The copy is checked, loaded beside the code in service, entered and activated. If anything fails, the old code
    ///    stays in service, and the failure is told.
    /// 3. In one step every new call of ``PluginExtension/make()`` goes to the new code. Calls that are under way end in
    ///    the old code, which is deactivated after the last of them. Objects that it made live on; nothing is unmapped.
    ///
    /// A plug-in that is first used while the catalogue is watched is loaded from a private copy too. One that was loaded
    /// before stands where it is installed: whoever writes into that file, instead of renaming a new one over it, ends the
    /// process. So watch before the first plug-in is used.
    ///
    /// - Parameter quietPeriod: of the first call, for as long as any sequence of the catalogue's is in use.
    /// - Returns: the events from now on, for one loop: a stream that keeps the latest 1,024 events that the loop has not
    ///   read. The watch ends when the last stream is cancelled or dropped; loaded plug-ins stay in service.
    /// - Throws: ``PluginError`` of code `watchFailed`, which names the limit of the system that was reached.
    ///
    /// **Threads.** Any. Reloads run on a thread of the watch's own, one after the other, and so do the plug-ins' entries
    /// and hooks at a reload.
    /// **Cost.** One inotify watch for each directory in the bundles, within the limits of docs/bundle-format.md.
    public func watch(quietPeriod: Duration = .milliseconds(200)) throws -> AsyncStream<CatalogEvent> {
        try madeGenerationTable.watch(self, quietPeriod: quietPeriod).events()
    }

    /// The generations of a plug-in that were loaded since the catalogue is watched, the one in service last; empty if it
    /// was not loaded since.
    public func generations(of identifier: String) -> [GenerationReport] {
        generationTable?.generations(of: identifier)?.all ?? []
    }
}
