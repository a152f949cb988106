internal import CTemplates

/// The tool's own templates of projects, from Tools/Templates.
enum ProjectTemplates {
    /// The files of a set by their paths, with placeholders in paths and texts.
    static func files(of set: String) -> [String: String] {
        var files: [String: String] = [:]
        for file in UnsafeBufferPointer(start: plugin_templates_first(), count: plugin_templates_count)
        where String(cString: file.set) == set {
            let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
            files[String(cString: file.path)] = String(decoding: bytes, as: UTF8.self)
        }
        return files
    }

    /// The files with their placeholders replaced, in this order.
    static func filled(_ files: [String: String], _ words: [(word: String, text: String)]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: files.map { (filled($0, words), filled($1, words)) })
    }

    /// The text with its placeholders replaced.
    ///
    /// Lines with a placeholder for an API or for the test kit are left out if there is none.
    private static func filled(_ text: String, _ words: [(word: String, text: String)]) -> String {
        guard text.contains("__") else { return text }
        let text = words.reduce(text) { $0.replacing($1.word, with: $1.text) }
        let optional = ["__API_", "__TESTING_"].filter { text.contains($0) }
        guard !optional.isEmpty else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { line in !optional.contains { line.contains($0) } }
            .joined(separator: "\n")
    }
}
