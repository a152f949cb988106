import BundleReading
import ELFImages
import HostBasics
import HostRecords

extension PluginBundle {
    /// The files whose code runs when the bundle is used: its executable first, then every library that would be loaded
    /// for it, in the bundle or outside.
    ///
    /// No code runs.
    ///
    /// - Throws: ``PluginError`` if there is no executable that can be opened.
    ///
    /// **Cost.** Reads those of the files that this process has not read yet.
    func codeFiles() throws(PluginError) -> [CodeFile] { try codePaths().compactMap(CodeFile.init(path:)) }

    /// The paths of ``codeFiles()``, each once.
    ///
    /// **Cost.** Searches for every library that the executable needs.
    func codePaths() throws(PluginError) -> [String] {
        CodeFile.paths(of: try openExecutable().path, libraries: CarriedLibraries(of: self))
    }
}
