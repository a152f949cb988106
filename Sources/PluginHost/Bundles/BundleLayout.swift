import Glibc

/// Where the parts of a bundle stand, relative to its root. A layout is a value, so that no other code branches on
/// the kind of bundle. Source: docs/bundle-format.md, "Layouts".
struct BundleLayout: Sendable, Hashable {
    /// For messages: “Contents”, “OpenStep”.
    let name: String
    /// The directory, relative to the root, whose presence means this layout; empty for always.
    let marker: String
    /// Where Info.plist may stand, in order.
    let infoLists: [String]
    /// The resources; empty for the root itself.
    let resources: String
    /// Where the executable may stand, in order; an empty string is the root.
    let executableDirectories: [String]
    /// What holds frameworks, plug-ins and shared support; empty for the root.
    let support: String

    /// `Contents/`, macOS's layout with the code in `Contents/Linux`.
    static let contents = Self(
        name: "Contents", marker: "Contents", infoLists: ["Contents/Info.plist"], resources: "Contents/Resources",
        executableDirectories: [
            "Contents/Linux", "Contents/Linux-\(machine)", "Contents/\(machine)-linux", "Contents",
        ],
        support: "Contents")

    /// OpenStep's and GNUstep's: `Resources/` beside the executable.
    static let openStep = Self(
        name: "OpenStep", marker: "Resources",
        infoLists: ["Resources/Info.plist", "Resources/Info-gnustep.plist", "Info.plist"], resources: "Resources",
        executableDirectories: ["", "Linux"], support: "")

    /// NeXT's `Support Files/`.
    static let supportFiles = Self(
        name: "Support Files", marker: "Support Files", infoLists: ["Support Files/Info.plist"],
        resources: "Support Files/Resources", executableDirectories: ["Support Files/Linux", "Support Files"],
        support: "Support Files")

    /// Everything in the root.
    static let flat = Self(
        name: "flat", marker: "", infoLists: ["Info.plist", "Info-gnustep.plist"], resources: "",
        executableDirectories: ["", "Linux"], support: "")

    /// A framework that holds versions and whose top-level links may have been lost in packing.
    static let versioned = Self(
        name: "versioned framework", marker: "Versions/Current", infoLists: ["Versions/Current/Resources/Info.plist"],
        resources: "Versions/Current/Resources", executableDirectories: ["Versions/Current"],
        support: "Versions/Current")

    /// The layout of the directory at an absolute path.
    ///
    /// **Cost.** One look at each marker until the first that is there.
    static func detect(root: String) -> BundleLayout {
        let isFramework = root.hasSuffix(".framework")
        let candidates =
            isFramework ? [openStep, contents, supportFiles, versioned] : [contents, openStep, supportFiles]
        return candidates.first { FileIdentity(path: root + "/" + $0.marker)?.isDirectory ?? false } ?? .flat
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
