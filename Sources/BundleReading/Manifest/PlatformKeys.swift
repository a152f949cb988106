import Glibc
package import PropertyLists

/// Keys of an Info.plist that apply to one platform or product only.
///
/// `Key-linux` replaces `Key`, and keys for other platforms are left out. Source: Apple, Information Property List Key
/// Reference, "Creating Platform- and Device-Specific Keys"; docs/bundle-format.md, "Info.plist".
package enum PlatformKeys {
    /// Keys that cannot differ between platforms, because other code finds the bundle by them.
    ///
    /// A variant of such a key is kept as a separate key without meaning; a checker reports it.
    package static let fixed = ["CFBundleExecutable", "CFBundleIdentifier"]

    /// The ending of the keys for this platform.
    package static let own = "linux"

    private static let foreign: Set<Substring> = [
        "android", "appletvos", "bridgeos", "driverkit", "freebsd", "ios", "iphoneos", "macos", "macosx", "openbsd",
        "tvos", "visionos", "wasi", "watchos", "windows", "xros",
    ]
    private static let products: Set<Substring> = ["ipad", "iphone", "ipod"]

    /// The values of a list for this platform.
    ///
    /// **Cost.** Checks the bytes of each key; nothing else if no key is special, as in nearly every list.
    package static func applied(to list: [String: PropertyList]) -> [String: PropertyList] {
        guard list.keys.contains(where: mayBeSpecial) else { return list }
        var result = list
        for (key, value) in list where mayBeSpecial(key) {
            switch scope(of: key) {
            case .everywhere: continue
            case .elsewhere: break
            case .here(let base): result[base] = value
            }
            result[key] = nil
        }
        return result
    }

    /// Whether a key of a list, or the key that it replaces here, affects code.
    static func decidesAboutCode(_ key: String) -> Bool {
        var name =
            switch scope(of: key) {
            case .everywhere: key
            case .here(let base): base
            case .elsewhere: ""
            }
        return name.withUTF8 { ManifestKey($0)?.decidesAboutCode ?? false }
    }

    private enum Scope {
        case everywhere
        case elsewhere
        /// The key replaces `base` on this platform.
        case here(base: String)
    }

    private static func scope(of key: String) -> Scope {
        var name = key[...]
        // `Key-platform~product`: the products all belong to other platforms.
        if let tilde = name.lastIndex(of: "~"), products.contains(name[name.index(after: tilde)...]) {
            return tilde == name.startIndex ? .everywhere : .elsewhere
        }
        guard let dash = name.lastIndex(of: "-"), dash != name.startIndex else { return .everywhere }
        let platform = name[name.index(after: dash)...]
        name = name[..<dash]
        if fixed.contains(String(name)) { return .everywhere }
        if platform == own { return .here(base: String(name)) }
        return foreign.contains(platform) ? .elsewhere : .everywhere
    }

    /// It uses memchr(), because walking through the characters of all keys takes as long as a system call.
    private static func mayBeSpecial(_ key: String) -> Bool {
        var key = key
        return key.withUTF8(mayBeSpecial)
    }

    static func mayBeSpecial(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = key.baseAddress else { return false }
        return memchr(start, CInt(UInt8(ascii: "-")), key.count) != nil
            || memchr(start, CInt(UInt8(ascii: "~")), key.count) != nil
    }
}

extension Manifest {
    /// Keys that were meant to replace one that cannot differ between platforms; a checker reports them.
    package var ineffectiveKeys: [String] {
        PlatformKeys.fixed.map { "\($0)-\(PlatformKeys.own)" }.filter { dictionary[$0] != nil }
    }
}
