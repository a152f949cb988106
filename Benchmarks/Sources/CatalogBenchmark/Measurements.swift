import Foundation
import Measuring
import PluginHost

/// The measurements in one process.
struct Measurements {
    let folder: Folder

    init(_ folder: Folder) { self.folder = folder }

    func run() throws -> [Figure] {
        // The first use of everything does the work that a process needs once.
        for _ in 0..<3 { for way in Way.allCases { _ = try way.run(folder, in: folder.few) } }
        // Before any large memory was freed that could be used again.
        let before = try Memory.used
        let catalog = Way.indexed.catalog(folder, in: folder.bundles)
        let used = try Memory.used - before
        let count = try Way.read.run(folder, in: folder.bundles)
        use(catalog.plugin("org.example.benchmark.sample1"))

        var figures = [Figure("bundles", Double(count), Figure.count)]
        figures += try ratios(warm: true, passes: 3)
        if EmptyCaches.isPossible { figures += try ratios(warm: false, passes: 1) }
        figures.append(Figure("memory a bundle, from the index", Double(used) / Double(count), "bytes", goal: 1024))
        return figures + (try Making().run(in: folder.making))
    }

    private func ratios(warm: Bool, passes: Int) throws -> [Figure] {
        func nanoseconds(_ way: Way) throws -> Double {
            var best = Double.infinity
            for _ in 0..<passes {
                if !warm { try EmptyCaches.run() }
                if !warm { _ = try way.run(folder, in: folder.few) }
                let start = now()
                let count = try way.run(folder, in: folder.bundles)
                best = min(best, Double(now() - start) / Double(count))
            }
            return best
        }
        let kind = warm ? "warm" : "cold"
        let reference = try nanoseconds(.read)
        var figures = [Figure("list, open and read each, \(kind)", reference / 1000, "us")]
        for way in Way.allCases where way != .read {
            figures.append(
                Figure("\(way.rawValue), \(kind)", try nanoseconds(way) / reference, goal: way.goal(warm: warm)))
        }
        return figures
    }

    /// Starts from the index, as a program does.
    func start() throws { _ = try Way.indexed.run(folder, in: folder.bundles) }
}

/// A way to find all bundles of a folder.
enum Way: String, CaseIterable {
    /// The least work that finds them at all.
    case read = "list, open and read each"
    case walk = "full walk"
    case indexed = "from the index, each bundle checked"
    case trusted = "from the index, folders checked"

    /// - Returns: the number of bundles, so that a way that fails fast does not look like a fast one.
    func run(_ folder: Folder, in path: String) throws -> Int {
        if self == .read { return try Reading.all(path) }
        let catalog = catalog(folder, in: path)
        let point = catalog.extensions(at: "org.example.filter-1", version: 2)
        guard !point.isEmpty else { throw Child.Failure(description: "the catalogue of \(path) offers nothing") }
        return catalog.folders.map(\.count).reduce(0, +)
    }

    func catalog(_ folder: Folder, in path: String) -> PluginCatalog {
        PluginCatalog(
            searchPaths: [path],
            options: .init(
                validation: self == .trusted ? .folders : .bundles,
                index: self == .walk ? .none : .directory(folder.index(of: path))))
    }

    func goal(warm: Bool) -> Double? {
        switch self {
        case .read: nil
        case .walk: warm ? 3 : nil
        case .indexed: warm ? 0.6 : nil
        case .trusted: warm ? 0.6 : 0.05
        }
    }
}

/// Lists a folder, and opens and reads each Info.plist.
enum Reading {
    static func all(_ path: String) throws -> Int {
        guard let stream = opendir(path) else { throw Child.Failure(description: "\(path) cannot be listed") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            if name.hasSuffix(".bundle") { names.append(name) }
        }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 65536, alignment: 16)
        defer { buffer.deallocate() }
        for name in names {
            let file = open("\(path)/\(name)/Contents/Info.plist", O_RDONLY | O_CLOEXEC)
            guard file >= 0, Glibc.read(file, buffer, 65536) > 1000 else {
                throw Child.Failure(description: "\(name) cannot be read")
            }
            close(file)
        }
        return names.count
    }
}

/// The memory of the process.
enum Memory {
    /// The private bytes in memory: all but those shared with files.
    static var used: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            let pages = text.split(separator: " ").compactMap { Int($0) }
            guard pages.count > 2 else { throw Child.Failure(description: "/proc/self/statm cannot be read") }
            return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
        }
    }
}

/// The kernel's caches of files and directories.
enum EmptyCaches {
    private static let control = "/proc/sys/vm/drop_caches"

    static var isPossible: Bool { geteuid() == 0 && access(control, W_OK) == 0 }

    static func run() throws {
        sync()
        let file = open(control, O_WRONLY)
        defer { close(file) }
        guard write(file, "3", 1) == 1 else { throw Child.Failure(description: "\(control) cannot be written") }
    }
}

/// Keeps the optimiser from removing a look-up.
@inline(never)
func use<Value>(_ value: Value) {}
