public import PluginHost
public import PropertyLists

/// A bundle that a test builds from values in its code.
///
/// ```swift
/// let words = try TemporaryBundle(
///     "Words", info: ["CFBundleIdentifier": "org.example.Words"],
///     resources: ["words.txt": "one two"], strings: ["de": ["Localizable": ["Hello": "Guten Tag"]]])
/// #expect(try words.open().localizedString(forKey: "Hello", value: nil, table: nil) == "Guten Tag")
/// ```
/// **Threads.** Any. **Lifetime.** Its directory is removed with the last reference to the object. A ``TestHost`` in
/// which it is opened keeps the object until the test ends.
public final class TemporaryBundle: Sendable {
    /// The absolute path of the bundle's directory.
    public let path: String
    private let folder: TemporaryFolder

    /// Makes a bundle.
    ///
    /// - Parameters:
    ///   - name: the name of its directory, without `.bundle`.
    ///   - info: its Info.plist. The identifier `org.example.NAME` is added if there is none, and `NSExecutable` if
    ///     there is code.
    ///   - resources: the resource files: the text of each file by its path, such as `fr.lproj/welcome.txt`.
    ///   - strings: the strings tables: the text of each key, by language and table.
    ///   - executable: a file that is copied into the bundle as its code; ``builtLibrary(named:)`` finds one. Nil makes
    ///     a bundle without code.
    /// - Throws: ``TestKitError`` of code `nameInvalid`, `manifestInvalid`, `unreadable` or `notWritable`.
    public init(
        _ name: String, info: [String: PropertyList] = [:], resources: [String: String] = [:],
        strings: [String: [String: [String: String]]] = [:], executable: String? = nil
    ) throws(TestKitError) {
        folder = try TemporaryFolder()
        let bundle = try Self.checked(name, isFile: true) + ".bundle"
        path = "\(folder.path)/\(bundle)"
        var info = info
        info["CFBundleIdentifier"] = info["CFBundleIdentifier"] ?? .string("org.example.\(name)")
        if let executable {
            if info["CFBundleExecutable"] == nil { info["NSExecutable"] = info["NSExecutable"] ?? .string(name) }
            let file = (info["NSExecutable"] ?? info["CFBundleExecutable"])?.string ?? name
            try folder.copy(executable, to: "\(bundle)/Contents/Linux/\(Self.checked(file, isFile: true))")
        }
        try folder.write("\(bundle)/Contents/Info.plist", Self.list(info, of: path))
        for (file, text) in resources {
            try folder.write("\(bundle)/Contents/Resources/\(Self.checked(file))", Array(text.utf8))
        }
        for (language, tables) in strings {
            for (table, texts) in tables {
                let file = try Self.checked("\(language).lproj/\(table).strings")
                try folder.write(
                    "\(bundle)/Contents/Resources/\(file)", Self.list(texts.mapValues(PropertyList.string), of: path))
            }
        }
    }

    /// Opens the bundle.
    ///
    /// In a ``TestHost`` it is unloaded when the test ends.
    ///
    /// - Returns: the directory's only bundle object.
    /// - Throws: ``/PluginHost/PluginError``.
    public func open() throws -> PluginBundle {
        let bundle = try PluginBundle.open(path: path)
        TestHost.current?.keep(bundle, of: self)
        return bundle
    }

    /// The bytes of a property list.
    static func list(_ values: [String: PropertyList], of path: String) throws(TestKitError) -> [UInt8] {
        do throws(PropertyListFault) { return Array(try PropertyListWriter.xml(.dictionary(values)).utf8) } catch {
            throw TestKitError(
                code: .manifestInvalid, path: path, message: "A property list of “\(path)” cannot be written: \(error)",
                remedy: "Remove the value from it.")
        }
    }

    /// Returns the name if it stays inside the bundle, and throws otherwise.
    private static func checked(_ name: String, isFile: Bool = false) throws(TestKitError) -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }), !isFile || parts.count == 1,
            !name.utf8.contains(0)
        else {
            throw TestKitError(
                code: .nameInvalid, path: name, message: "“\(name)” is no path inside a bundle.",
                remedy: isFile ? "Use the name of a file without “/”." : "Use a relative path without “..”.")
        }
        return name
    }
}

extension PropertyList: @retroactive ExpressibleByStringLiteral, @retroactive ExpressibleByIntegerLiteral,
    @retroactive ExpressibleByBooleanLiteral, @retroactive ExpressibleByArrayLiteral,
    @retroactive ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Values in order.
    public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
    /// Values by key; of two equal keys the last one counts.
    public init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}
