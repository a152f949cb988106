import Glibc
import HostBasics

/// Where the parts of a bundle are, relative to its root.
///
/// A layout is a value, so that no other code needs to distinguish kinds of bundles. Source: docs/bundle-format.md,
/// "Layouts".
///
/// An empty path is the root itself; a path that begins with `..` is outside of the bundle, next to it.
package struct BundleLayout: Sendable, Hashable {
    /// For messages: “Contents”, “OpenStep”.
    package var name: String
    /// Where Info.plist may be, in order.
    package var infoDirectories: [String]
    /// The resources.
    package var resources: String
    /// Where resources are searched after ``resources``, in order.
    package var furtherResources: [String] = []
    /// Where the executable may be, in order.
    package var executableDirectories: [String]
    /// Where auxiliary executables may be; these are searched before the directories of the executable.
    package var auxiliaryDirectories: [String] = []
    /// Where frameworks, plug-ins and shared support may be, in order.
    package var supportDirectories: [String]

    package init(
        name: String, infoDirectories: [String], resources: String, furtherResources: [String] = [],
        executableDirectories: [String], auxiliaryDirectories: [String] = [], supportDirectories: [String]
    ) {
        self.name = name
        self.infoDirectories = infoDirectories
        self.resources = resources
        self.furtherResources = furtherResources
        self.executableDirectories = executableDirectories
        self.auxiliaryDirectories = auxiliaryDirectories
        self.supportDirectories = supportDirectories
    }

    /// Whether a place is next to the bundle and not in it.
    ///
    /// Places in the bundle never begin with a dot.
    package static func isBeside(_ place: String) -> Bool { place.utf8.first == UInt8(ascii: ".") }

    /// The file names of Info.plist in each of its directories, in order: the list for this platform replaces the
    /// general one, and GNUstep's is read if neither exists.
    package static let infoNames = ["Info-linux.plist", "Info.plist", "Info-gnustep.plist"]

    /// Where Info.plist is expected, for messages about a bundle that has none.
    package var usualInfoList: String { Self.joined(infoDirectories[0], "Info.plist") }

    // MARK: The layouts

    /// `Contents/`, macOS's layout with the code in `Contents/Linux`.
    package static let contents = Self.contents(in: "Contents")

    /// `folder`: the folder's name as spelled in the bundle.
    package static func contents(in folder: String) -> BundleLayout {
        Self(
            name: "Contents", infoDirectories: [folder], resources: folder + "/Resources",
            executableDirectories: [
                folder + "/Linux", "\(folder)/Linux-\(machine)", "\(folder)/\(machine)-linux", folder,
            ],
            supportDirectories: [folder])
    }

    /// The layout of OpenStep and GNUstep: `Resources/` next to the executable.
    package static func openStep(in folder: String) -> BundleLayout {
        Self(
            name: "OpenStep", infoDirectories: [folder, ""], resources: folder, furtherResources: [""],
            executableDirectories: ["", "Linux"], supportDirectories: [""])
    }

    /// NeXT's layout with `Support Files/`.
    static func supportFiles(in folder: String) -> BundleLayout {
        Self(
            name: "Support Files", infoDirectories: [folder], resources: folder + "/Resources",
            executableDirectories: [folder + "/Linux", folder], supportDirectories: [folder])
    }

    /// Everything is in the root.
    package static let flat = Self(
        name: "flat", infoDirectories: [""], resources: "", executableDirectories: ["", "Linux"],
        supportDirectories: [""])

    /// The layout of a bundle whose resources were installed separately, as `lib/X.resources` or `share/X.resources`.
    ///
    /// The code is outside of that directory: in a `lib` or `bin`, or next to it. `name`: the name of the bundle
    /// without `.resources`. `parent`: the name of the directory that contains the bundle.
    package static func installed(_ name: String, in parent: String) -> BundleLayout {
        let isShared = parent == "share"
        let prefix = "../../"
        let shared = [prefix + "lib", "\(prefix)lib/\(machine)-linux-gnu", prefix + "lib64", prefix + "bin"]
        return Self(
            name: "installed", infoDirectories: [], resources: "",
            executableDirectories: (isShared ? shared : []) + [".."],
            auxiliaryDirectories: isShared ? ["\(prefix)libexec/\(name).executables"] : [], supportDirectories: [])
    }

    // MARK: Layouts derived from others

    /// The same layout, for a bundle whose parts are in a directory below its root.
    package func below(_ directory: String, name: String) -> BundleLayout {
        func moved(_ places: [String]) -> [String] { places.map { Self.joined(directory, $0) } }
        return Self(
            name: name, infoDirectories: moved(infoDirectories), resources: Self.joined(directory, resources),
            furtherResources: moved(furtherResources), executableDirectories: moved(executableDirectories),
            auxiliaryDirectories: moved(auxiliaryDirectories), supportDirectories: moved(supportDirectories))
    }

    /// The same layout, for a bundle that may have some parts in the places of another layout.
    func backed(by other: BundleLayout) -> BundleLayout {
        var layout = self
        layout.infoDirectories += other.infoDirectories
        layout.executableDirectories += other.executableDirectories
        layout.auxiliaryDirectories += other.auxiliaryDirectories
        layout.supportDirectories += other.supportDirectories
        return layout
    }

    /// Joins relative paths; an empty directory adds nothing.
    private static func joined(_ directory: String, _ relative: String) -> String {
        directory.isEmpty ? relative : Path.join(directory, relative)
    }

    /// The machine as spelled in directory names: `x86_64`, `aarch64`.
    package static let machine: String = {
        var names = utsname()
        uname(&names)
        return withUnsafeBytes(of: &names.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }()
}
