import Glibc
internal import HostBasics
@_spi(Tools) public import PluginHost
internal import PropertyLists

/// The folder in which an author keeps a bundle: Info.plist, Resources, and usually the sources of its code.
struct BundleSource {
    /// The absolute path of the folder, with links resolved.
    let directory: String
    /// The bundle's name, without `.bundle`.
    let name: String
    /// The content of Info.plist.
    let info: [String: PropertyList]
    /// Whether the bundle has code: the folder has Sources, or Info.plist names an executable.
    let hasCode: Bool

    var infoPath: String { Path.join(directory, "Info.plist") }

    /// Reads the source of a bundle from a directory.
    ///
    /// `name`: the bundle's name. If nil, it is the name of the executable in Info.plist, or the folder's name if there
    /// is none.
    init(_ path: String, name: String?) throws(PackingError) {
        guard let directory = Path.resolved(path) else {
            throw .refused(.unreadable, path, cannot: "be used as a bundle's source", errno: errno)
        }
        self.directory = directory
        info = try Self.info(Path.join(directory, "Info.plist"))
        let manifest = Manifest(dictionary: info, path: Path.join(directory, "Info.plist"))
        let sources = try FileIdentity.file(at: Path.join(directory, "Sources"))
        hasCode = manifest.executable != nil || sources?.isDirectory ?? false
        self.name = name ?? manifest.executable ?? Path.lastComponent(directory)
        guard Self.isName(self.name) else {
            throw PackingError(
                .nameInvalid, path: directory, message: "\(quoted(self.name)) cannot be a bundle's name.",
                remedy: "Give it a name of letters, digits, “.”, “-” and “_” that begins with a letter, by --name.")
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 128 && name.first?.isLetter ?? false
            && name.allSatisfy { $0.isLetter || $0.isNumber || "._- ".contains($0) }
    }

    private static func info(_ path: String) throws(PackingError) -> [String: PropertyList] {
        do {
            let bytes = try OpenedFile(path: path).bytes(atMost: PropertyListLimits.standard.size)
            let value = try PropertyListReader.read(bytes).value
            guard let dictionary = value.dictionary else {
                throw PackingError(
                    .manifestInvalid, path: path, message: "\(quoted(path)) is \(value.typeName), not a dictionary.",
                    remedy: "Write the bundle's keys into one dictionary.")
            }
            return dictionary
        } catch let error as OpenedFile.Failure {
            let isBundle = FileIdentity(path: Path.join(Path.parent(path), "Contents/Info.plist")) != nil
            throw PackingError(
                .unreadable, path: path, message: "\(quoted(path)) \(error.reason).",
                remedy: isBundle
                    ? "Its directory is a finished bundle, with Contents/Info.plist: name the folder of its source."
                    : error.remedy(else: "Write an Info.plist; “pluginhost new” makes one."))
        } catch let error as PropertyListFault {
            throw PackingError(
                .manifestInvalid, path: path, message: "\(quoted(path)) cannot be read: \(error)",
                remedy: "“pluginhost lint \(path)” shows every fault with its line.")
        } catch {
            throw error as? PackingError ?? .refused(.unreadable, path, cannot: "be read", errno: EIO)
        }
    }

    /// The warning that a source of the code changed after the library was built; nil if no source changed.
    ///
    /// The sources are in `Sources/NAME`, or else in `Sources`. Sources of other modules belong to other libraries.
    func newerThan(_ library: String) throws(PackingError) -> PluginFinding? {
        guard let built = try FileIdentity.file(at: library)?.modified else { return nil }
        let all = Path.join(directory, "Sources")
        let own = Path.join(all, name)
        let root = try FileIdentity.file(at: own)?.isDirectory ?? false ? own : all
        guard try FileIdentity.file(at: root)?.isDirectory ?? false else { return nil }
        var tree = FileTree(root: root)
        // The build reports files that cannot be sources.
        guard (try? tree.add(contentsOf: root, isSource: true)) != nil else { return nil }
        let newer = tree.paths.sorted().map { Path.join(root, $0) }.first { path in
            guard let identity = try? FileIdentity.file(at: path), !identity.isDirectory else { return false }
            return identity.modified > built
        }
        guard let newer else { return nil }
        return PluginFinding(
            .warning, .productOutdated, filePath: newer, subject: name,
            message: """
                \(quoted(newer)) was changed after \(quoted(library)) was built, so the bundle has code of older sources.
                """,
            remedy: "Build it again, or let --build do so.")
    }

    /// Info.plist, completed with keys that its author need not write: the name of the executable, and what it was
    /// built for.
    ///
    /// `note`: the note of the executable; nil if it has none. `interfaces`: the interfaces that it was compiled against.
    /// `hostRequires`: the range of the application's versions, which is added if the list has none.
    func completedInfo(
        note: PluginNote?, interfaces: PropertyList?, hasExecutable: Bool, hostRequires: String?
    ) throws(PackingError) -> [UInt8] {
        var info = info
        func add(_ key: String, _ value: PropertyList?) { if info[key] == nil { info[key] = value } }
        if hasExecutable, info["CFBundleExecutable"] == nil { add("NSExecutable", .string(name)) }
        add("CFBundleName", .string(name))
        add("CFBundlePackageType", .string("BNDL"))
        add("PHHostRequires", hostRequires.map(PropertyList.string))
        // This always comes from the executable's note, whatever the source states.
        info["PHBuiltFor"] = note.map { note in
            .dictionary(note.summary.mapValues(PropertyList.string))
        }
        info["PHInterfaces"] = interfaces
        do throws(PropertyListFault) {
            return Array(try PropertyListWriter.xml(.dictionary(info)).utf8)
        } catch {
            throw PackingError(
                .manifestInvalid, path: infoPath, message: "\(quoted(infoPath)) cannot be completed: \(error)",
                remedy: "Remove the value from it.")
        }
    }
}

extension PluginError.Code {
    /// A source of the code changed after the library was built.
    ///
    /// A warning.
    public static let productOutdated = Self(rawValue: "productOutdated")
}
