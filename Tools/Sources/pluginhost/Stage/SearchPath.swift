import ELFImages
import Foundation
@_spi(Tools) import PluginHost

/// The directories in which the dynamic linker looks for the libraries of one file.
struct SearchPath {
    let elements: [String]

    init(_ elements: [String]) { self.elements = elements }

    /// The elements of a search path that lead to directories in the file's own bundle.
    ///
    /// `file`: the file's path in the bundle.
    init(of text: String?, within file: String) {
        let depth = file.split(separator: "/").count - 1
        elements = (text ?? "").split(separator: ":").map(String.init).filter { element in
            guard let rest = ["$ORIGIN", "${ORIGIN}"].lazy.compactMap({ element.removing(prefix: $0) }).first,
                rest.isEmpty || rest.hasPrefix("/")
            else { return false }
            var level = depth
            return rest.split(separator: "/").allSatisfy { component in
                if component == ".." { level -= 1 } else if component != "." { level += 1 }
                return level >= 0
            }
        }
    }

    /// Sets the search path of a file, unless it is already set.
    ///
    /// If there are no elements, the file gets no search path.
    ///
    /// - Throws: a ``PluginFinding`` if patchelf fails.
    func set(in path: String) throws {
        let old = try LinkedFile(path: path).searchPath
        let text = elements.joined(separator: ":")
        guard (old ?? "") != text else { return }
        // A shorter text overwrites the old one in place. Only for a longer one does patchelf move parts of the file.
        try Patchelf.run(text.isEmpty ? ["--remove-rpath", path] : ["--set-rpath", text, path])
    }
}

extension String {
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}

/// The program patchelf, which changes finished ELF files.
enum Patchelf {
    /// - Throws: a ``PluginFinding`` if patchelf is missing or fails.
    static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["patchelf"] + arguments
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            // env exits with 127 if the program does not exist.
            let isMissing = process.terminationReason == .exit && process.terminationStatus == 127
            throw PluginFinding(
                .notStaged, filePath: arguments.last, subject: "patchelf",
                message: isMissing
                    ? "The program patchelf, which changes the search paths of libraries, is not in PATH."
                    : "patchelf cannot change “\((arguments.last ?? "").escapedForTerminal)”.",
                remedy: isMissing
                    ? "Install it (Debian, Ubuntu: apt-get install patchelf), and try again."
                    : "Check that the file is a program or library that no other tool has changed.",
                systemMessage: said.isEmpty ? nil : said.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
