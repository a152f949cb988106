package import BundleReading
import HostBasics

/// The facts about its main bundle that an application sends to the processes that run its plug-ins.
///
/// Why the application sends this: such a process may run another program from another directory, and a confined
/// process may not be allowed to read the application's directory.
package struct ApplicationBundle: Sendable, Hashable {
    /// The file of the application's program.
    package var program: String
    /// The bundle's directory.
    package var path: String
    package var layout: BundleLayout
    /// Where the bundle's Info.plist is, or where it is expected.
    package var manifestPath: String
    /// The string values of Info.plist that describe the bundle as a whole, by key.
    package var texts: [String: String] = [:]
    package var allowsMixedLocalizations = false
    /// All localisations: those that Info.plist declares and those with a directory.
    package var localizations: [String] = []

    package init(program: String, path: String, layout: BundleLayout, manifestPath: String) {
        self.program = program
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
    }

    /// The directories of the resources that every plug-in of the application may read.
    ///
    /// Only directories that belong to the bundle alone. Why: the main bundle of a bare program is the program's
    /// directory, which can contain anything.
    package var resourceDirectories: [String] {
        let isBundle = path.hasSuffix(".app") || path.hasSuffix(".resources")
        return ([layout.resources] + layout.furtherResources).filter { !$0.isEmpty || isBundle }
            .map { Path.join(path, $0) }
    }
}
