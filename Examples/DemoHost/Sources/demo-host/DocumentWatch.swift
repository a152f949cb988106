import Foundation

/// Reports when one of some files was written, or replaced by another under its name.
final class DocumentWatch {
    private let source: any DispatchSourceRead

    /// - Parameters:
    ///   - paths: the files. Changes in directories that cannot be watched are not reported.
    ///   - changed: takes a file's name, on a queue of the system.
    init(_ paths: [String], changed: @escaping @Sendable (String) -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        // Directories and not files, because most editors write a new file and rename it over the old one.
        var names: [Int32: Set<String>] = [:]
        for path in paths {
            let url = URL(filePath: path)
            let directory = url.deletingLastPathComponent().path(percentEncoded: false)
            let watch = inotify_add_watch(descriptor, directory, UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO))
            if watch >= 0 { names[watch, default: []].insert(url.lastPathComponent) }
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { [names] in
            for (watch, name) in Self.events(descriptor) where names[watch]?.contains(name) ?? false { changed(name) }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    func cancel() { source.cancel() }

    private static func events(_ descriptor: Int32) -> [(watch: Int32, name: String)] {
        var bytes = [UInt8](repeating: 0, count: 16384)
        let count = read(descriptor, &bytes, bytes.count)
        let head = MemoryLayout<inotify_event>.size
        var events: [(watch: Int32, name: String)] = []
        var start = 0
        while start + head <= count {
            let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self) }
            let name = bytes[(start + head)..<(start + head + Int(event.len))].prefix { $0 != 0 }
            events.append((event.wd, String(decoding: name, as: UTF8.self)))
            start += head + Int(event.len)
        }
        return events
    }
}
