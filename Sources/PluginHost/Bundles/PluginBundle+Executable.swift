@_spi(Tools) import BundleReading
@_spi(Tools) import ELFImages
import Glibc
@_spi(Tools) import HostBasics
internal import PropertyLists

extension PluginBundle {
    /// The path of the executable, or nil if there is none.
    ///
    /// It is the first place of the layout that contains a file with the executable's name. For the main bundle, it is
    /// the running program; for a bundle whose code is linked (``linked(at:entry:)``), the program or library that
    /// contains the code.
    ///
    /// If a script starts the program, the two differ: the main bundle's ``Manifest/executable`` names the script, and
    /// this property is the program that the script started.
    public var executablePath: String? {
        if BundleOpening.isMain(self) { return BundleOpening.mainProgram }
        if let linkedExecutable { return linkedExecutable }
        return executablePlaces.existingFile
    }

    var executablePlaces: ExecutablePlaces { contents.executablePlaces }

    /// The executable's name in Info.plist, or the name of the bundle.
    var executableName: String { contents.executableName }

    /// - Throws: ``PluginError`` unless Info.plist can be read and every key in it has a usable value.
    func requireUsableManifest() throws(PluginError) {
        if let manifestError { throw manifestError }
        if manifest.findings.isEmpty { return }
        let errors = manifest.errors
        if !errors.isEmpty { throw PluginError(bundlePath: bundlePath, findings: errors) }
    }

    /// Opens the executable.
    ///
    /// With every link resolved, it must be inside the bundle.
    ///
    /// - Throws: ``PluginError`` of code `notCode`, `executableMissing`, `executableOutsideBundle` or `notLoadable`.
    func openExecutable() throws(PluginError) -> OpenedExecutable {
        let places = executablePlaces
        if let executable = try places.open() { return executable }
        throw missingExecutable(places.usual)
    }

    @inline(never)
    private func missingExecutable(_ candidates: [String]) -> PluginError {
        let place = candidates[0]
        if manifest.executable == nil, manifest.principalClass == nil {
            return PluginError(
                bundlePath: bundlePath,
                PluginFinding(
                    .notCode, filePath: place,
                    message:
                        "The bundle has no code: its Info.plist names no executable and \(quoted(place)) does not exist.",
                    remedy: "Use its resources without loading it, or name the executable with the key NSExecutable."))
        }
        let directories = layout.executableDirectories.map { quoted(Path.join(bundlePath, $0)) }
        let others = otherLibraries
        let hints = [danglingLink(candidates), codeOfOtherSystem, misspelling(others)].compactMap(\.self)
            .map { " " + $0 }.joined()
        return PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .executableMissing, filePath: place, subject: manifest.executable,
                message: """
                    The executable \(quoted(executableName)) is missing; searched: \
                    \(directories.joined(separator: ", ")).\(hints)
                    """,
                remedy: others.isEmpty
                    ? "Build the plug-in's library and copy it to \(quoted(place))."
                    : "Correct \(executableKey ?? "NSExecutable") in Info.plist, or give the file that name."))
    }

    /// The key that names the executable; nil if no key does.
    private var executableKey: String? {
        guard let name = manifest.executable else { return nil }
        if case .string(name) = manifest.dictionary["NSExecutable"] { return "NSExecutable" }
        return "CFBundleExecutable"
    }

    /// Shared objects that are in the executable's directories under other names.
    private var otherLibraries: [String] {
        // A directory next to the bundle is full of other programs' files.
        layout.executableDirectories.filter { !BundleLayout.isBeside($0) }.flatMap { directory in
            let place = Path.join(bundlePath, directory)
            return DirectoryListing(path: place).names.keys.sorted().prefix(Self.mostNames)
                .map { Path.join(place, $0) }.filter(Self.isELF)
        }
    }

    /// More files than usually stand next to an executable.
    private static let mostNames = 100

    private static func isELF(_ path: String) -> Bool {
        guard let file = try? OpenedFile(path: path) else { return false }
        return ELFInspector.machine(of: file) != nil
    }

    /// `others`: the shared objects in the executable's directories.
    private func misspelling(_ others: [String]) -> String? {
        if others.isEmpty { return nil }
        let naming =
            executableKey.map { "The key \($0) of \(quoted(manifestPath)) names \(quoted(executableName))" }
            ?? "Info.plist names no executable, so it must have the name of the bundle"
        return "\(naming); found there: \(shownList(others.lazy.map { quoted($0) }, atMost: 3))."
    }

    private func danglingLink(_ candidates: [String]) -> String? {
        for path in candidates {
            guard let target = Path.linkTarget(path) else { continue }
            return "\(quoted(path)) is a link to \(quoted(target)), which does not exist."
        }
        return nil
    }

    /// Recognises a bundle that was built for another system and copied here.
    ///
    /// Such a bundle is not broken.
    private var codeOfOtherSystem: String? {
        for (folder, system) in [("MacOS", "macOS"), ("Windows", "Windows")] {
            for directory in layout.supportDirectories {
                let path = Path.join(Path.join(bundlePath, directory), folder)
                if FileIdentity(path: path)?.isDirectory ?? false {
                    return "The bundle has code for \(system), in \(quoted(path))."
                }
            }
        }
        return nil
    }
}
