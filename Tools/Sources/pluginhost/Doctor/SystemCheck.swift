import CPluginSupport.Shims
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// The features of the system that the library uses if they exist, and the libraries that it needs.
struct SystemCheck {
    var check: DoctorCheck {
        DoctorCheck("System", openat2 + inotify + libraries, facts: ["Linux \(kernel)"] + libraryPaths)
    }

    private var kernel: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "of an unknown version" }
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(name.release)), \(text(name.machine))"
    }

    /// openat2() refuses links anywhere in a path with one call, instead of one call for each directory.
    private var openat2: [PluginFinding] {
        let descriptor = phs_open_without_links(AT_FDCWD, "/")
        if descriptor >= 0 {
            close(descriptor)
            return []
        }
        let reason = describe(errno: errno)
        return [
            PluginFinding(
                .warning, .systemFeature, subject: "openat2",
                message: "The kernel does not offer openat2() (\(reason)): files are opened by a slower way.",
                remedy: "Use Linux 5.6 or later; in a container, allow the call in its seccomp profile.")
        ]
    }

    /// inotify reports changed bundles.
    private var inotify: [PluginFinding] {
        [("max_user_instances", 16), ("max_user_watches", 8192)].compactMap { name, least in
            let path = "/proc/sys/fs/inotify/\(name)"
            guard let text = Self.text(of: path), let value = Int(text.filter(\.isNumber)) else {
                return PluginFinding(
                    .warning, .systemFeature, filePath: path, subject: "inotify",
                    message: "The kernel's limits of inotify cannot be read: changed bundles may go unnoticed.",
                    remedy: "Mount /proc.")
            }
            guard value < least else { return nil }
            return PluginFinding(
                .warning, .systemFeature, filePath: path, subject: "inotify",
                message: "\(name) is \(value): other programs may leave none for the watching of bundles.",
                remedy: "Raise it, as root: sysctl fs.inotify.\(name)=\(least).")
        }
    }

    /// The text of a file of the kernel, whose length is unknown before it is read.
    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&block, 1, block.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += block[..<count]
        }
    }

    // MARK: Libraries

    private static let names = ["libPluginHost.so", "libswiftCore.so", "libffi.so"]

    /// The paths of the libraries in this process.
    private var libraryPaths: [String] {
        guard let maps = Self.text(of: "/proc/self/maps") else { return [] }
        let paths = maps.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "/").map { String(line[$0...]) }
        }
        return Self.names.flatMap { name in
            Set(paths.filter { $0.split(separator: "/").last?.hasPrefix(name) ?? false }).sorted()
        }
    }

    /// Two Swift types are equal only if they come from the same copy of a module.
    private var libraries: [PluginFinding] {
        let paths = libraryPaths
        return Self.names.compactMap { name in
            let found = paths.filter { $0.contains("/" + name) }
            guard found.count > 1 else { return nil }
            return PluginFinding(
                .duplicateABI, filePath: found[0], subject: name,
                message: "\(name) is in the process \(found.count) times: \(found.joined(separator: ", ")).",
                remedy: "Remove all but one, or take LD_PRELOAD and LD_LIBRARY_PATH out of the environment.")
        }
    }
}
