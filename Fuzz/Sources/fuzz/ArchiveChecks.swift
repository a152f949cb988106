import CFuzz
import Glibc
import PluginPacking

/// The rules for every archive: the old bundle stays whole or the new one is there whole, nothing is written elsewhere,
/// nothing is left behind, and an error says what to do.
struct ArchiveChecks {
    let bytes: UnsafeRawBufferPointer

    private static let folder = "\(ScratchFolder.path)/archives-\(getpid())"
    private static let plugins = folder + "/plugins"

    func run() throws(Violation) {
        let file = Self.folder + "/input.tar.zst"
        Files.write(Array(bytes), to: file)
        if access(Self.plugins, F_OK) != 0 { try Self.prepare() }
        let before = Self.state(of: Self.plugins + "/" + HostileArchives.bundle)
        fuzz_memory_start()
        let isInstalled = try install(file)
        let peak = fuzz_memory_peak()
        // Zstandard's largest window, without which archives of other packers could not be read.
        guard peak <= (136 << 20) + 64 * bytes.count else {
            throw Violation("an archive of \(bytes.count) bytes takes \(peak) bytes of memory")
        }
        guard Self.names(in: Self.folder) == ["input.tar.zst", "plugins"] else {
            throw Violation("files were written beside the folder: \(Self.names(in: Self.folder))")
        }
        let names = Self.names(in: Self.plugins)
        guard names.subtracting([".previous"]) == [HostileArchives.bundle] else {
            throw Violation("the folder has other files: \(names)")
        }
        let after = Self.state(of: Self.plugins + "/" + HostileArchives.bundle)
        guard isInstalled || after == before else { throw Violation("the bundle changed, and the installation failed") }
        for (path, file) in after { try check(path, file) }
    }

    /// Installs a first bundle, which the archives replace.
    private static func prepare() throws(Violation) {
        let source = folder + "/" + HostileArchives.bundle
        Files.write(
            Array("{ CFBundleIdentifier = \"org.example.Salon\"; }".utf8), to: source + "/Contents/Info.plist")
        do throws(PackingError) { _ = try PluginInstaller(folder: plugins).install(source) } catch {
            throw Violation("the first bundle is not installed: \(error)")
        }
        fuzz_remove_tree(source)
    }

    private func install(_ file: String) throws(Violation) -> Bool {
        do throws(PackingError) {
            return try PluginInstaller(folder: Self.plugins).install(file).isDone
        } catch {
            let isPrintable = error.message.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
            }
            guard isPrintable, error.message.utf8.count < 20_000, !error.message.isEmpty, !error.remedy.isEmpty else {
                throw Violation("the error may not be printed: \(error)")
            }
            guard [.archiveInvalid, .unsafeFile, .tooLarge, .nameInvalid].contains(error.code) else {
                throw Violation("it fails for another reason: \(error)")
            }
            return false
        }
    }

    // MARK: Files

    private struct File: Hashable {
        let mode: mode_t
        let size: Int64
        let link: String?
    }

    /// The files below a directory, by their path in it.
    private static func state(of directory: String) -> [String: File] {
        var files: [String: File] = [:]
        var waiting = [""]
        while let place = waiting.popLast() {
            for name in names(in: directory + place) {
                let path = place + "/" + name
                var status = stat()
                guard lstat(directory + path, &status) == 0 else { continue }
                let kind = status.st_mode & S_IFMT
                if kind == S_IFDIR { waiting.append(path) }
                files[path] = File(
                    mode: status.st_mode, size: kind == S_IFREG ? Int64(status.st_size) : 0,
                    link: kind == S_IFLNK ? target(of: directory + path) : nil)
            }
        }
        return files
    }

    private func check(_ path: String, _ file: File) throws(Violation) {
        switch file.mode & S_IFMT {
        case S_IFDIR where file.mode & 0o7777 == 0o755: return
        case S_IFREG where file.mode & 0o7777 == 0o755 || file.mode & 0o7777 == 0o644: return
        case S_IFLNK:
            guard let real = realpath(Self.plugins + "/" + HostileArchives.bundle + path, nil) else {
                throw Violation("the link \(path) leads nowhere: \(file.link ?? "")")
            }
            defer { free(real) }
            guard String(cString: real).contains("/plugins/" + HostileArchives.bundle) else {
                throw Violation("the link \(path) leads out: \(file.link ?? "")")
            }
        default: throw Violation("\(path) has the mode \(String(file.mode, radix: 8))")
        }
    }

    private static func target(of path: String) -> String {
        var text = [CChar](repeating: 0, count: 4097)
        readlink(path, &text, 4096)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func names(in directory: String) -> Set<String> {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            names.insert(
                withUnsafePointer(to: entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                })
        }
        return names.subtracting([".", ".."])
    }
}
