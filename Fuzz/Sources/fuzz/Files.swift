import Glibc

/// Reads and writes complete files.
enum Files {
    static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        return ferror(file) == 0 ? bytes : nil
    }

    static func write(_ bytes: [UInt8], to path: String) {
        var directory = ""
        for component in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
            directory += component + "/"
            mkdir(directory, 0o755)
        }
        guard let file = fopen(path, "w") else { fatalError("\(path): \(String(cString: strerror(errno)))") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// The files of a directory, sorted by name.
    static func all(in directory: String) -> [[UInt8]] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                })
        }
        return names.sorted().filter { !$0.hasPrefix(".") }.compactMap { read(directory + "/" + $0) }
    }
}
