public import PluginABI
import Synchronization

extension PluginBundle {
    /// A bundle whose code is linked into the application: its directory has an Info.plist and resources, and its entry
    /// is a function of the program, in the place of a file that is loaded.
    ///
    /// ```swift
    /// // In the plug-in's module, whose entry has a name of its own, since all stand in one program:
    /// @c(reporter_entry)
    /// public func reporterEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status { registerPlugin(with: host) { … } }
    /// // In the application:
    /// let reporter = try PluginBundle.linked(at: "/usr/share/workbench/Reporter.bundle", entry: reporterEntry)
    /// ```
    /// From there on it is a bundle as any other, for a catalogue whose search paths it stands in too: it is loaded when its
    /// offer is first used, by the same entry, hooks, comparison with `PHFactories` and notification; ``unload()`` and a
    /// further load work as well. Nothing is opened by the dynamic linker, and no file is inspected. Of its classes those are
    /// known that the entry registers; all others belong to the program. C functions are those that the entry registers.
    ///
    /// Let its Info.plist name no `NSExecutable` and no `NSPrincipalClass`: then no other program takes the bundle for one
    /// whose code is missing. An executable that is in it is not looked at. Link it before anybody loads it, or uses it by
    /// a catalogue; a watched catalogue cannot bring in other code of it, and says so when something but its resources
    /// changes.
    ///
    /// - Parameters:
    ///   - path: the bundle's directory, as for ``open(path:)``.
    ///   - entry: the plug-in's entry. A C function is passed as `{ host in its_entry(host) }`.
    /// - Returns: the one object of the directory.
    /// - Throws: ``PluginError``: what ``open(path:)`` throws; `alreadyEntered` if the entry belongs to another bundle, or
    ///   the bundle's code came from a file or another entry.
    ///
    /// **Threads.** Any. **Lifetime.** The bundle is kept for the life of the process.
    public static func linked(
        at path: String, entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status
    ) throws -> PluginBundle {
        let bundle = try open(path: path)
        if let complaint = bundle.link(entry) {
            throw PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    .alreadyEntered, message: complaint, remedy: "Give each bundle one entry, before it is loaded."))
        }
        return bundle
    }

    /// Whether the code is linked into the program.
    var isLinked: Bool { codeState.linkedEntry.load(ordering: .acquiring) != 0 }

    /// The entry of code that is linked into the program; nil for code in a file.
    var linkedEntry: EntryFunction? {
        UnsafeRawPointer(bitPattern: codeState.linkedEntry.load(ordering: .acquiring)).map {
            // It is what ``linked(at:entry:)`` was given.
            unsafeBitCast($0, to: EntryFunction.self)
        }
    }

    /// The program or library that the entry stands in.
    var linkedExecutable: String? {
        guard let entry = UnsafeRawPointer(bitPattern: codeState.linkedEntry.load(ordering: .acquiring)) else {
            return nil
        }
        return LoadedImages.path(containing: entry).flatMap(Path.resolved) ?? Path.mainProgram
    }

    /// - Returns: why this cannot be the bundle's entry, or nil.
    private func link(_ entry: EntryFunction) -> String? {
        let address = UInt(bitPattern: unsafeBitCast(entry, to: UnsafeRawPointer.self))
        // Under the lock that a load begins with, which then either sees the entry or keeps it out.
        return codeState.load.withLock { state in
            let linked = codeState.linkedEntry.load(ordering: .relaxed)
            if linked != 0 { return linked == address ? nil : "Another entry was linked for it before." }
            switch state {
            case .unloaded: break
            case .failed(let failure) where failure.entered == nil: break
            case .loading, .active, .deactivating, .dormant, .failed: return "Its code comes from a file already."
            }
            if let owner = BundleTable.shared.claimEntry(address, for: self) {
                return "The entry that is linked for it belongs to the bundle \(quoted(owner.bundlePath))."
            }
            codeState.linkedEntry.store(address, ordering: .releasing)
            return nil
        }
    }
}

extension BundleTable {
    /// The object of a directory whose code is linked into the program.
    func linkedBundle(atPath path: String) -> PluginBundle? {
        guard let bundle = bundle(atPath: path), bundle.isLinked else { return nil }
        return bundle
    }
}
