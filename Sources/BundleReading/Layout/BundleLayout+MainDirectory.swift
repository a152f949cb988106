import HostBasics

extension BundleLayout {
    /// The directory of a program's bundle: `X.app` for `X.app/Contents/Linux/X`; `share/X.resources` for `bin/X`;
    /// `X.resources` next to X; otherwise the directory of the program.
    package static func mainDirectory(ofProgram program: String) -> String {
        let directory = Path.parent(program)
        for place in contents.executableDirectories where directory.hasSuffix("/" + place) {
            let root = String(directory.dropLast(place.count + 1))
            if !root.isEmpty { return root }
        }
        let resources = Path.stem(program) + ".resources"
        let installed = ["bin", "sbin", "libexec"].contains { directory.hasSuffix("/" + $0) }
        let places = installed ? ["../share/" + resources, resources] : [resources]
        let candidates = places.map { Path.join(directory, $0) }
        return candidates.first { FileIdentity(path: $0)?.isDirectory ?? false } ?? directory
    }
}
