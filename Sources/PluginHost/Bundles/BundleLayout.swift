import Glibc

/// Where the parts of a bundle stand, relative to its root. A layout is a value, so that no other code branches on
/// the kind of bundle. Source: docs/bundle-format.md, "Layouts".
///
/// Paths are relative to the bundle's root; an empty one is the root itself, and one that begins with `..` stands
/// beside the bundle.
struct BundleLayout: Sendable, Hashable {
    /// For messages: “Contents”, “OpenStep”.
    var name: String
    /// Where Info.plist may stand, in order.
    var infoDirectories: [String]
    /// The resources.
    var resources: String
    /// What is searched for resources after those, in order.
    var furtherResources: [String] = []
    /// Where the executable may stand, in order.
    var executableDirectories: [String]
    /// What may hold auxiliary executables, before the directories of the executable.
    var auxiliaryDirectories: [String] = []
    /// What may hold frameworks, plug-ins and shared support, in order.
    var supportDirectories: [String]

    /// Whether a place stands beside the bundle: none within it begins with a dot.
    static func isBeside(_ place: String) -> Bool { place.utf8.first == UInt8(ascii: ".") }

    /// The names of Info.plist in each of its directories, in order: this platform's replaces the general one, and
    /// GNUstep's is read where there is neither.
    static let infoNames = ["Info-linux.plist", "Info.plist", "Info-gnustep.plist"]

    /// Where Info.plist is expected, for messages about a bundle that has none.
    var usualInfoList: String { Self.joined(infoDirectories[0], "Info.plist") }

    // MARK: The layouts

    /// `Contents/`, macOS's layout with the code in `Contents/Linux`.
    static let contents = Self.contents(in: "Contents")

    /// `folder`: the folder as it is spelled in the bundle.
    static func contents(in folder: String) -> BundleLayout {
        Self(
            name: "Contents", infoDirectories: [folder], resources: folder + "/Resources",
            executableDirectories: [
                folder + "/Linux", "\(folder)/Linux-\(machine)", "\(folder)/\(machine)-linux", folder,
            ],
            supportDirectories: [folder])
    }

    /// OpenStep's and GNUstep's: `Resources/` beside the executable.
    static func openStep(in folder: String) -> BundleLayout {
        Self(
            name: "OpenStep", infoDirectories: [folder, ""], resources: folder, furtherResources: [""],
            executableDirectories: ["", "Linux"], supportDirectories: [""])
    }

    /// NeXT's `Support Files/`.
    static func supportFiles(in folder: String) -> BundleLayout {
        Self(
            name: "Support Files", infoDirectories: [folder], resources: folder + "/Resources",
            executableDirectories: [folder + "/Linux", folder], supportDirectories: [folder])
    }

    /// Everything in the root.
    static let flat = Self(
        name: "flat", infoDirectories: [""], resources: "", executableDirectories: ["", "Linux"],
        supportDirectories: [""])

    /// Only the code, beside resources that were installed as `lib/X.resources` or `share/X.resources`. `name`: the
    /// bundle's, without `.resources`. `parent`: the name of the directory that the bundle stands in.
    static func installed(_ name: String, in parent: String) -> BundleLayout {
        let isShared = parent == "share"
        let prefix = "../../"
        let shared = [prefix + "lib", "\(prefix)lib/\(machine)-linux-gnu", prefix + "lib64", prefix + "bin"]
        return Self(
            name: "installed", infoDirectories: [], resources: "",
            executableDirectories: (isShared ? shared : []) + [".."],
            auxiliaryDirectories: isShared ? ["\(prefix)libexec/\(name).executables"] : [], supportDirectories: [])
    }

    // MARK: Layouts made of others

    /// The same, for a bundle whose parts stand below a directory of its root.
    func below(_ directory: String, name: String) -> BundleLayout {
        func moved(_ places: [String]) -> [String] { places.map { Self.joined(directory, $0) } }
        return Self(
            name: name, infoDirectories: moved(infoDirectories), resources: Self.joined(directory, resources),
            furtherResources: moved(furtherResources), executableDirectories: moved(executableDirectories),
            auxiliaryDirectories: moved(auxiliaryDirectories), supportDirectories: moved(supportDirectories))
    }

    /// The same, for a bundle that may have some of its parts where another layout has them.
    func backed(by other: BundleLayout) -> BundleLayout {
        var layout = self
        layout.infoDirectories += other.infoDirectories
        layout.executableDirectories += other.executableDirectories
        layout.auxiliaryDirectories += other.auxiliaryDirectories
        layout.supportDirectories += other.supportDirectories
        return layout
    }

    /// Joins relative paths; the empty one adds nothing.
    private static func joined(_ directory: String, _ relative: String) -> String {
        directory.isEmpty ? relative : Path.join(directory, relative)
    }

    /// The machine as it stands in directory names: `x86_64`, `aarch64`.
    static let machine: String = {
        var names = utsname()
        uname(&names)
        return withUnsafeBytes(of: &names.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }()
}
