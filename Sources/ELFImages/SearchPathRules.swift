import HostBasics

/// The rules for a plug-in's search path: it may contain absolute directories, and directories of its bundle (fault
/// 69).
struct SearchPathRules {
    /// RUNPATH or RPATH.
    package let tag: String
    /// The file that has the search path.
    package let path: String
    package let bundlePath: String

    /// Whether every element is absolute, or begins with `$ORIGIN` and has no `..`.
    ///
    /// Nearly every file has only such elements, and this check needs no String. An empty search path has no element;
    /// the dynamic linker ignores it (glibc's decompose_rpath()).
    static func isPlainlySafe(_ text: UnsafeRawBufferPointer) -> Bool {
        guard !text.isEmpty else { return true }
        var rest = text
        while true {
            let end = rest.offset(of: UInt8(ascii: ":")) ?? rest.endIndex
            guard isPlainlySafe(element: UnsafeRawBufferPointer(rebasing: rest[..<end])) else { return false }
            guard end < rest.endIndex else { return true }
            rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
        }
    }

    private static func isPlainlySafe(element: UnsafeRawBufferPointer) -> Bool {
        guard let first = element.first else { return false }
        if first == UInt8(ascii: "/") { return true }
        return beginsPlainly(element, with: "$ORIGIN") || beginsPlainly(element, with: "${ORIGIN}")
    }

    private static func beginsPlainly(_ element: UnsafeRawBufferPointer, with origin: StaticString) -> Bool {
        let count = origin.utf8CodeUnitCount
        guard element.starts(with: UnsafeRawBufferPointer(start: origin.utf8Start, count: count)) else { return false }
        guard element.count > count else { return true }
        guard element[count] == UInt8(ascii: "/") else { return false }
        var previous: UInt8 = 0
        for byte in element[count...] {
            if byte == UInt8(ascii: "."), previous == byte { return false }
            previous = byte
        }
        return true
    }

    /// The findings about a search path.
    package func findings(for text: String) -> [PluginFinding] {
        text.split(separator: ":", omittingEmptySubsequences: false).compactMap { element in
            guard let fault = fault(of: String(element)) else { return nil }
            return PluginFinding(
                .error, .unsafeSearchPath, filePath: path, subject: String(element),
                message: "\(quoted(path)) has \(fault.what) in its \(tag) \(quoted(text)): \(fault.why).",
                remedy: fault.remedy)
        }
    }

    private func fault(of element: String) -> (what: String, why: String, remedy: String)? {
        let link = "Link it with -rpath '$ORIGIN' (swiftc: -Xlinker -rpath -Xlinker '$ORIGIN')"
        if element.isEmpty {
            return (
                "an empty element", "it means the host's current directory, where anybody may put a library",
                link + ", or remove the element: patchelf --set-rpath."
            )
        }
        guard let leading = leadingDirectory(of: element) else {
            return (
                "the relative element \(quoted(element))",
                "it is relative to the host's current directory, where anybody may put a library", link + "."
            )
        }
        guard leading.isOrigin else { return nil }
        let directory = Path.lexicallyNormalized(leading.path)
        guard isInBundle(directory) else {
            return (
                "the element \(quoted(element))", "it leads out of the bundle, to \(quoted(directory))",
                "Put the libraries into the bundle, next to the executable or in Contents/Frameworks, and name that "
                    + "directory with $ORIGIN."
            )
        }
        return nil
    }

    /// The element with `$ORIGIN` replaced, or nil if it is relative.
    private func leadingDirectory(of element: String) -> (path: String, isOrigin: Bool)? {
        if element.utf8.first == UInt8(ascii: "/") { return (element, false) }
        for name in ["${ORIGIN}", "$ORIGIN"] where element.hasPrefix(name) {
            let rest = element.dropFirst(name.count)
            guard rest.isEmpty || rest.utf8.first == UInt8(ascii: "/") else { continue }
            return (Path.parent(path) + rest, true)
        }
        return nil
    }

    private func isInBundle(_ directory: String) -> Bool {
        let bundle = Path.lexicallyNormalized(bundlePath)
        return directory == bundle || Path.isInside(directory, directory: bundle)
    }
}
