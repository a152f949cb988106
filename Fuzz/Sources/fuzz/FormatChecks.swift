import CFuzz
import Glibc
import PluginHost

/// The rules for every table of plural rules, read from a bundle as a host reads it.
struct FormatChecks {
    let bytes: UnsafeRawBufferPointer

    func run() throws(Violation) {
        let root = "\(ScratchFolder.path)/\(getpid())"
        // A bundle's object lives as long as anybody holds it; each input has its own bundle.
        let bundlePath = "\(root)/F\(Self.next()).bundle"
        let table = "\(bundlePath)/Contents/Resources/en.lproj/Localizable.stringsdict"
        Files.write(
            Array("{ CFBundleIdentifier = f; CFBundleDevelopmentRegion = en; }".utf8),
            to: "\(bundlePath)/Contents/Info.plist")
        Files.write(Array(bytes), to: table)
        defer {
            unlink(table)
            unlink("\(bundlePath)/Contents/Info.plist")
            for folder in ["/Contents/Resources/en.lproj", "/Contents/Resources", "/Contents", ""] {
                rmdir(bundlePath + folder)
            }
        }
        fuzz_memory_start()
        try read(bundlePath)
        let peak = fuzz_memory_peak()
        // A table of formats takes more than its bytes, because each conversion is parsed.
        guard peak <= 64 * bytes.count + (8 << 20) else {
            throw Violation("a table of \(bytes.count) bytes takes \(peak) bytes of memory")
        }
    }

    private func read(_ path: String) throws(Violation) {
        guard let bundle = PluginBundle(path: path) else { throw Violation("the bundle does not open") }
        for number in 0..<8 {
            let key = "k\(number)"
            let plain = bundle.localizedString(forKey: key, value: nil, table: nil)
            let shown = bundle.localizedString(forKey: key, value: nil, table: nil, arguments: [number, "text", 2.5])
            let most = 16 * (plain.utf8.count + 1 << 20)
            guard shown.utf8.count <= most else {
                throw Violation("a format of \(plain.utf8.count) bytes gives a text of \(shown.utf8.count)")
            }
        }
    }

    nonisolated(unsafe) private static var count = 0

    // One thread.
    static func next() -> Int {
        count += 1
        return count
    }
}

/// The directory in which inputs become files.
///
/// The process that created it removes it at its end; forked processes leave it alone.
enum ScratchFolder {
    static let path: String = {
        // In memory if possible: an installation waits until the disk has everything.
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : P_tmpdir
        var template = Array("\(place)/pluginhost-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("mkdtemp: \(String(cString: strerror(errno)))") }
        atexit { fuzz_remove_tree(ScratchFolder.path) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}
