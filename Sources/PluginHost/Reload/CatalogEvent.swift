/// A change that a watched catalogue detected, and its reaction.
public enum CatalogEvent: Sendable {
    /// A plug-in can now be used that could not be used before.
    case added(PluginDescription)
    /// A plug-in is gone or can no longer be used. If it was loaded, it keeps working.
    case removed(PluginDescription)
    /// Files of a plug-in are different, but no new code was loaded: the plug-in is not in use, or only its resources
    /// have changed, which it reads without a reload.
    case changed(PluginDescription)
    /// A new generation of a plug-in's code is active.
    ///
    /// `remaining` are the earlier generations that still have callers or objects, oldest first.
    case reloaded(PluginDescription, generation: GenerationReport, remaining: [GenerationReport])
    /// A changed plug-in cannot be used in its new state, or not everything is watched.
    ///
    /// The previously active code stays active.
    case failed(PluginError)
}

extension PluginCatalog {
    /// Watches the search paths, and loads new code of plug-ins that are in use.
    ///
    /// ```swift
    /// for await event in try catalog.watch() { print(event) }
    /// ```
    /// A change is handled when nothing has happened in the search paths for the quiet period, and at the latest two
    /// seconds after it began. These steps then follow for each loaded plug-in whose code or Info.plist has different
    /// bytes:
    ///
    /// 1. The bundle is copied into a directory of this process, so that the code is loaded from a new path and no
    ///    build writes into a mapped file; see <doc:HotReload> for the place.
    /// 2. The copy is checked, loaded next to the active code, entered and activated. If a step fails, the old code
    ///    stays active, and the failure is reported.
    /// 3. In one step, every new call of ``PluginExtension/make()`` goes to the new code. Calls in progress finish in
    ///    the old code, which is deactivated after the last of them. Existing objects keep working; nothing is
    ///    unmapped.
    ///
    /// A plug-in that is first used while the catalogue is watched is also loaded from a private copy. A plug-in that
    /// was loaded earlier runs from the place where it is installed: writing into that file, instead of renaming a new
    /// one over it, crashes the process. So start watching before the first plug-in is used.
    ///
    /// - Parameter quietPeriod: the quiet period. The value of the first call applies as long as any stream of the
    ///   catalogue is in use.
    /// - Returns: the events after the call, for one loop: a stream that keeps the latest 1,024 unread events. The
    ///   watch ends when the last stream is cancelled or released; loaded plug-ins stay active.
    /// - Throws: ``PluginError`` of code `watchFailed`, which names the system limit that was reached.
    ///
    /// **Threads.** Any. Reloads, with the entries and hooks of the plug-ins, run one after the other on a thread of
    /// the watch.
    /// **Cost.** One inotify watch for each directory in the bundles, within the limits of docs/bundle-format.md.
    public func watch(quietPeriod: Duration = .milliseconds(200)) throws -> AsyncStream<CatalogEvent> {
        try madeGenerationTable.watch(self, quietPeriod: quietPeriod).events()
    }

    /// The generations of a plug-in that were loaded since the catalogue has been watched, the active one last; empty
    /// if it was not loaded since then.
    public func generations(of identifier: String) -> [GenerationReport] {
        generationTable?.generations(of: identifier)?.all ?? []
    }
}
