import Foundation
import PluginHost

/// The program's own texts, in the directory that the package manager makes of Resources.
private let texts = PluginBundle(path: Bundle.module.bundlePath) ?? .main

/// The text for a key in the user's language.
///
/// The key is the English text, and the values replace each %@ in it.
func localized(_ key: String, _ values: Any...) -> String {
    texts.localizedString(forKey: key, arguments: values)
}

/// Writes a line to standard output, at once.
func say(_ line: String) { write(line, to: .standardOutput) }

/// Writes what is wrong to standard error, after the name of the program.
func complain(_ line: String) { warn("__PROGRAM__: \(line)") }

/// Writes a line to standard error.
func warn(_ line: String) { write(line, to: .standardError) }

private func write(_ line: String, to file: FileHandle) { try? file.write(contentsOf: Data("\(line)\n".utf8)) }
