import ELFImages
import HostRecords

extension CarriedLibraries {
    /// The libraries in the Frameworks directory of a bundle; nil for a bundle without such a directory.
    ///
    /// **Cost.** Reads the directory once.
    init?(of bundle: PluginBundle) {
        // Through the objects of the frameworks, which are read once and know code that is linked into the program.
        self.init(of: bundle.contents) { (try? PluginBundle.open(path: $0))?.executablePath }
    }
}
