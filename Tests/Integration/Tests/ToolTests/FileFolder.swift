import Fixtures
import Foundation

extension Workspace {
    /// A new folder with files, by their paths in it.
    static func folder(_ files: [String: String]) throws -> URL {
        let folder = temporary.appending(path: "files/\(UUID().uuidString)")
        for (name, content) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        return folder
    }
}
