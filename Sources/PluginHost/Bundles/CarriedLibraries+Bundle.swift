import ELFImages
import HostBasics

extension CarriedLibraries {
    /// The libraries in the Frameworks directory of a bundle.
    ///
    /// - Returns: nil for a bundle without such a directory.
    ///
    /// **Cost.** Reads the directory once.
    init?(of bundle: PluginBundle) {
        guard let directory = bundle.privateFrameworksPath else { return nil }
        let names = (try? BundleNames(directory: directory, extensions: ["framework"]).names) ?? []
        let frameworks = names.filter(\.isReadable).map { Path.join(directory, $0.text) }
        self.init(directory: directory, bundlePath: bundle.bundlePath) {
            frameworks.compactMap { (try? PluginBundle.open(path: $0))?.executablePath }
        }
    }
}
