import ELFImages
import HostBasics
public import PluginABI
import Synchronization

extension PluginBundle {
    /// A bundle whose code is linked into the application: its directory has an Info.plist and resources, but its entry
    /// is a function of the program, not of a library that is loaded.
    ///
    /// ```swift
    /// // In the plug-in's module. The entry needs a unique name, because one program contains all entries:
    /// @c(reporter_entry)
    /// public func reporterEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    ///     registerPlugin(with: host) { … }
    /// }
    /// // In the application:
    /// let reporter = try PluginBundle.linked(at: "/usr/share/workbench/Reporter.bundle", entry: reporterEntry)
    /// ```
    /// It then behaves like any other bundle, also in a catalogue whose search paths contain it: it is loaded when
    /// something that it offers is first used, with the same entry, hooks, comparison with `PHFactories` and
    /// notification; ``unload()`` and loading again work too. The dynamic linker opens no file, and no file is
    /// inspected. Only the classes and C functions that the entry registers are known; all others belong to the
    /// program.
    ///
    /// Its Info.plist should contain neither `NSExecutable` nor `NSPrincipalClass`, so that other programs do not
    /// report missing code. An executable inside the bundle is ignored. Link the bundle before any code loads it or
    /// uses it through a catalogue. A watched catalogue cannot load other code for it, and reports an error when
    /// something other than its resources changes.
    ///
    /// - Parameters:
    ///   - path: the bundle's directory, as for ``open(path:)``.
    ///   - entry: the plug-in's entry. Pass a C function as `{ host in its_entry(host) }`.
    /// - Returns: the directory's only bundle object.
    /// - Throws: ``PluginError``: the errors of ``open(path:)``; `alreadyEntered` if the entry belongs to another
    ///   bundle, or the bundle's code comes from a file or from another entry.
    ///
    /// **Threads.** Any. **Lifetime.** The bundle is kept until the process ends.
    public static func linked(
        at path: String, entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status
    ) throws -> PluginBundle {
        let bundle = try open(path: path)
        if let complaint = bundle.link(entry) {
            throw PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    .alreadyEntered, message: complaint, remedy: "Link one entry to each bundle, before it is loaded."))
        }
        return bundle
    }

    /// Whether the code is linked into the program.
    var isLinked: Bool { codeState.linkedEntry.load(ordering: .acquiring) != 0 }

    /// The entry of code that is linked into the program; nil for code in a file.
    var linkedEntry: EntryFunction? {
        UnsafeRawPointer(bitPattern: codeState.linkedEntry.load(ordering: .acquiring)).map {
            // It is the function that was passed to ``linked(at:entry:)``.
            unsafeBitCast($0, to: EntryFunction.self)
        }
    }

    /// The program or library that contains the entry.
    var linkedExecutable: String? {
        guard let entry = UnsafeRawPointer(bitPattern: codeState.linkedEntry.load(ordering: .acquiring)) else {
            return nil
        }
        return LoadedLibraries.path(containing: entry).flatMap(Path.resolved) ?? Path.mainProgram
    }

    /// - Returns: why this cannot be the bundle's entry, or nil.
    private func link(_ entry: EntryFunction) -> String? {
        let address = UInt(bitPattern: unsafeBitCast(entry, to: UnsafeRawPointer.self))
        // A load begins under the same lock, so it either sees the entry or prevents linking.
        return codeState.load.withLock { state in
            let linked = codeState.linkedEntry.load(ordering: .relaxed)
            if linked != 0 { return linked == address ? nil : "Another entry was already linked to it." }
            switch state {
            case .unloaded: break
            case .failed(let failure) where failure.entered == nil: break
            case .loading, .active, .deactivating, .dormant, .failed: return "Its code was already loaded from a file."
            }
            if let owner = BundleTable.shared.claimEntry(address, for: self) {
                return "The entry already belongs to the bundle \(quoted(owner.bundlePath))."
            }
            codeState.linkedEntry.store(address, ordering: .releasing)
            return nil
        }
    }
}

extension BundleTable {
    /// The bundle object of a directory whose code is linked into the program.
    func linkedBundle(atPath path: String) -> PluginBundle? {
        guard let bundle = bundle(atPath: path), bundle.isLinked else { return nil }
        return bundle
    }
}
