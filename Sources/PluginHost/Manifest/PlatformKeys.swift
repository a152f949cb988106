import Glibc
internal import PropertyLists

/// Keys of an Info.plist that hold on one platform or for one product only: `Key-linux` replaces `Key`, and what is
/// another platform's is left out. Source: Apple, Information Property List Key Reference, "Creating Platform- and
/// Device-Specific Keys"; docs/bundle-format.md, "Info.plist".
enum PlatformKeys {
    /// Keys that no platform may change, because others find the bundle by them. What looks like a change of one is kept
    /// as a key of its own, which means nothing; a checker tells so.
    static let fixed = ["CFBundleExecutable", "CFBundleIdentifier"]

    /// The ending of the keys that hold here.
    static let own = "linux"

    private static let foreign: Set<Substring> = [
        "android", "appletvos", "bridgeos", "driverkit", "freebsd", "ios", "iphoneos", "macos", "macosx", "openbsd",
        "tvos", "visionos", "wasi", "watchos", "windows", "xros",
    ]
    private static let products: Set<Substring> = ["ipad", "iphone", "ipod"]

    /// What a list says on this platform.
    ///
    /// **Cost.** A look at the bytes of each key; nothing else where no key is special, as in nearly every list.
    static func applied(to list: [String: PropertyList]) -> [String: PropertyList] {
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

    /// Whether a key of a list, or the one that it replaces here, decides about code.
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
        /// The key that it stands for.
        case here(base: String)
    }

    private static func scope(of key: String) -> Scope {
        var name = key[...]
        // `Key-platform~product`: a product is always somebody else's.
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

    /// By memchr(), because going through the characters of all keys takes as long as a system call.
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
    /// Keys that were meant to replace one that no platform may change; a checker reports them.
    var ineffectiveKeys: [String] {
        PlatformKeys.fixed.map { "\($0)-\(PlatformKeys.own)" }.filter { dictionary[$0] != nil }
    }
}
