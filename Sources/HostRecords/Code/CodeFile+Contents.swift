package import BundleReading
package import ELFImages
import HostBasics

extension CodeFile {
    /// The files whose code runs when a bundle is used, each once.
    ///
    /// Its executable is the first; then follows every library that would be loaded for it, in the bundle or outside.
    /// No code runs.
    ///
    /// - Parameters:
    ///   - executable: the path of the executable.
    ///   - libraries: the libraries that the bundle carries.
    /// - Returns: the paths.
    ///
    /// **Cost.** Searches for every library that the executable needs.
    package static func paths(of executable: String, libraries: CarriedLibraries?) -> [String] {
        var paths = [executable]
        if let image = try? ELFFile(path: executable) {
            let host = HostLibraries(.currentProcess(pluginLibraries: []), excluding: image)
            let closure = LibraryClosure(of: image, libraries: libraries, in: host)
            paths += closure.newFiles.dropFirst().map(\.path) + closure.present.compactMap { $0.file?.path }
        }
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }
}

extension CarriedLibraries {
    /// The libraries in the Frameworks directory of a bundle; nil for a bundle without such a directory.
    ///
    /// - Parameters:
    ///   - contents: the contents of the bundle.
    ///   - executable: finds the executable of the framework at a path.
    ///
    /// **Cost.** Reads the directory once.
    package init?(
        of contents: borrowing BundleContents,
        executable: @escaping @Sendable (String) -> String? = Self.executable(ofFramework:)
    ) {
        guard let directory = contents.existingSupportDirectory("Frameworks") else { return nil }
        let names = (try? BundleNames(directory: directory, extensions: ["framework"]).names) ?? []
        let frameworks = names.filter(\.isReadable).map { Path.join(directory, $0.text) }
        self.init(directory: directory, bundlePath: contents.path) { frameworks.compactMap(executable) }
    }

    /// The executable of a framework, by its files alone.
    package static func executable(ofFramework path: String) -> String? {
        do throws(PluginError) {
            return try BundleContents.read(path).executablePlaces.existingFile
        } catch {
            return nil
        }
    }
}
