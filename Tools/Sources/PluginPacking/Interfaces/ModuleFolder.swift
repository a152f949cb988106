@_spi(Tools) internal import ELFImages
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// A folder with compiled modules, as the package manager makes it, and what it takes to read them.
///
/// A module can be read only with the modules that it imports. They are in the same folder, where the plan of the build
/// folder says, or, for those of the library PluginHost, beside the library that this program uses.
struct ModuleFolder {
    let path: String
    /// Other folders with modules, and folders with headers.
    private(set) var searchPaths: [String] = []
    /// The module maps of C modules.
    private(set) var moduleMaps: [String] = []

    /// A plan has a line for each command, so that one of a thousand modules has some megabytes.
    private static let planLimit = 64 << 20
    /// The most search paths and the most module maps, which all become arguments of one command.
    private static let mostPlaces = 1024

    /// The folder beside a built library: `Modules`, or the library's own folder.
    ///
    /// - Returns: nil if neither has the module.
    init?(beside library: String, module: String) {
        let parent = Path.parent(Path.resolved(library) ?? library)
        let candidates = [Path.join(parent, "Modules"), parent]
        guard let path = candidates.first(where: { Self.has(module, in: $0) }) else { return nil }
        self.init(path: path)
    }

    /// A folder with compiled modules.
    init(path: String) {
        self.path = path
        addPlan(of: path)
        guard let own = OwnLibrary.directory else { return }
        let installed = Path.join(own, "pluginhost/PluginHost/Library")
        let built = Path.join(own, "Modules")
        if Self.has("PluginABI", in: built) {
            searchPaths.append(built)
            addPlan(of: built)
        } else {
            searchPaths += Self.flags(inPackageFile: Path.join(installed, "pluginhost.pc"), in: installed)
        }
    }

    /// The arguments of a compiler that reads a module of this folder.
    var arguments: [String] {
        ([path] + searchPaths).flatMap { ["-I", $0] } + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    private static func has(_ module: String, in folder: String) -> Bool {
        access(Path.join(folder, "\(module).swiftmodule"), R_OK) == 0
    }

    /// Adds what the plan of a build folder states: `.build/release.yaml` for `.build/TRIPLE/release/Modules`.
    private mutating func addPlan(of path: String) {
        let products = Path.parent(Path.resolved(path) ?? path)
        let plan = Path.join(Path.parent(Path.parent(products)), Path.lastComponent(products) + ".yaml")
        guard let file = try? OpenedFile(path: plan), let bytes = try? file.bytes(atMost: Self.planLimit) else {
            return
        }
        let text = bytes.map(CChar.init(bitPattern:)) + [0]
        Self.values(after: #""-I",""#, in: text, into: &searchPaths)
        Self.values(after: "-fmodule-map-file=", in: text, into: &moduleMaps)
    }

    /// The paths in a plan that follow an option, each once, if they exist.
    private static func values(after option: String, in plan: [CChar], into places: inout [String]) {
        var seen = Set(places)
        plan.withUnsafeBufferPointer { plan in
            guard var rest = UnsafePointer(plan.baseAddress) else { return }
            while places.count < mostPlaces, let found = strstr(rest, option) {
                rest = UnsafePointer(found) + option.utf8.count
                let value = String(
                    decoding: UnsafeRawBufferPointer(start: rest, count: strcspn(rest, "\"\n")), as: UTF8.self)
                if seen.insert(value).inserted, access(value, R_OK) == 0 { places.append(value) }
            }
        }
    }

    /// The folders in the line `Cflags` of the package file that is installed with the library.
    private static func flags(inPackageFile path: String, in directory: String) -> [String] {
        guard let bytes = try? OpenedFile(path: path).bytes(atMost: 4096) else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let flags = lines.first { $0.hasPrefix("Cflags:") }?.split(separator: " ") ?? []
        return flags.filter { $0.hasPrefix("-I") }
            .map { String($0.dropFirst(2).replacing("${pcfiledir}", with: directory)) }
    }
}
