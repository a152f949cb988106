import Glibc
package import PropertyLists

#if FullFoundation
import Foundation
#endif

/// The user's settings for this program, given by an argument such as `-AppleLanguages "(de, fr)"` or by a default.
///
/// Foundation's UserDefaults supports both.
///
/// Why not UserDefaults alone: its first use takes a millisecond or more, and asks the name service for the user's home
/// directory, on many machines over the network. So arguments are read here, and UserDefaults is used only if a file of
/// defaults exists. Defaults that the program itself registers or sets without such a file are not seen.
package enum ProgramDefaults {
    /// A list of texts, or a single text as a list; nil if the user chose nothing of this kind.
    ///
    /// **Cost.** Searches the arguments and the names in two directories; cache the result.
    package static func strings(_ name: String) -> [String]? {
        if let value = argument(name, in: ProgramArguments.all) {
            return value.string.map { [$0] }
                ?? value.array.flatMap { values in
                    let texts = values.compactMap(\.string)
                    return texts.count == values.count ? texts : nil
                }
        }
        #if FullFoundation
        guard mayExist(variable) else { return nil }
        return UserDefaults.standard.stringArray(forKey: name)
            ?? UserDefaults.standard.string(forKey: name).map { [$0] }
        #else
        return nil
        #endif
    }

    /// Whether a switch is on.
    ///
    /// The environment variable with the same name takes precedence.
    package static func isOn(_ name: String) -> Bool {
        if let value = variable(name) { return isYes(value) }
        if let value = argument(name, in: ProgramArguments.all) {
            return value.boolean ?? value.string.map(isYes) ?? (value.integer != nil && value.integer != 0)
        }
        #if FullFoundation
        return mayExist(variable) && UserDefaults.standard.bool(forKey: name)
        #else
        return false
        #endif
    }

    /// The same rule as NSString's boolValue.
    private static func isYes(_ text: String) -> Bool {
        text.drop { " +0".contains($0) }.first.map { "YyTt123456789".contains($0) } ?? false
    }

    /// The value of the last argument `-name value`, as text or property list; a value never begins with a hyphen.
    package static func argument(_ name: String, in arguments: [String]) -> PropertyList? {
        guard let index = arguments.dropLast().lastIndex(of: "-" + name) else { return nil }
        let value = arguments[index + 1]
        guard let first = value.utf8.first, first != UInt8(ascii: "-") else { return nil }
        if "{[(<\"".utf8.contains(first), let list = try? PropertyListReader.read(Array(value.utf8)) {
            return list.value
        }
        return .string(value)
    }

    /// Whether a file of defaults exists where Foundation searches, for any program.
    ///
    /// Foundation names the files after the bundle's identifier or the program, and has one for all programs. If none
    /// of XDG_CONFIG_HOME, CFFIXED_USER_HOME and HOME is set, the user has no such files.
    package static func mayExist(_ variable: (String) -> String?) -> Bool {
        var folders = ["/usr/local/etc"]
        if let folder = variable("XDG_CONFIG_HOME") {
            folders.append(folder)
        } else if let home = variable("CFFIXED_USER_HOME") ?? variable("HOME") {
            folders.append(Path.join(home, ".config"))
        }
        return folders.contains { holdsList($0) || holdsList(Path.join($0, "ByHost")) }
    }

    private static func holdsList(_ folder: String) -> Bool {
        let listing = DirectoryListing(path: folder)
        // A directory that cannot be listed may contain a file that Foundation opens by name.
        return listing.failure != nil || listing.names.keys.contains { $0.hasSuffix(".plist") }
    }

    /// An environment variable; an empty one counts as not set.
    private static func variable(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
