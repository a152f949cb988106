@_spi(Tools) import HostBasics

/// The extension points that Info.plist declares for the code.
package struct DeclaredPoints {
    package let names: Set<String>
    /// The path of the Info.plist.
    package let list: String

    package init(names: Set<String>, list: String) {
        self.names = names
        self.list = list
    }
}

extension CompleteInspection {
    /// Compares the declarations in Info.plist with what the file shows about its code.
    ///
    /// It only warns, because the code decides at run time what it registers.
    package mutating func compare(_ declared: DeclaredPoints) {
        guard host.unread.first == nil else { return }
        if declared.names.isEmpty {
            checkUndeclared(declared)
        } else {
            checkSpelling(of: declared)
        }
    }

    /// A Swift plug-in registers providers with one function, whose name is in the file.
    private mutating func checkUndeclared(_ declared: DeclaredPoints) {
        guard file.uses(symbolBeginningWith: Self.provide) else { return }
        warn(
            .undeclaredRegistration, path: declared.list, subject: "PHFactories",
            "The code registers providers at extension points, but Info.plist declares none in PHFactories, so no catalogue "
                + "lists them.",
            "Declare each in PHFactories of Info.plist with its name, extensionPoint and version; “pluginhost load” lists "
                + "them.")
    }

    /// The mangled beginning of PluginABI's `PluginRegistrar.provide(_:named:displayName:order:_:)`.
    private static let provide = "$s9PluginABI0A9RegistrarC7provide"

    // MARK: - Misspelt names

    /// Reports names of extension points that are probably wrong: the application contains a similar name but not this
    /// one, or the code contains a similar name and neither contains this one, or no file contains one of the two.
    private mutating func checkSpelling(of declared: DeclaredPoints) {
        // Swift stores texts of up to 15 bytes in instructions, where they cannot be found.
        let names = declared.names.filter { $0.utf8.count > 15 }.sorted()
        if names.isEmpty { return }
        let own = closure.newFiles
        let others = (host.libraries + closure.present).compactMap(\.file).filter { file in
            !own.contains { $0 === file } && !Self.isSwiftRuntime(file)
        }
        let (inHost, inCode) = (TextSearch(for: names, in: others), TextSearch(for: names, in: own))
        let canSeeAllTexts = inHost.isComplete && inCode.isComplete && self.canSeeAllTexts
        for name in names {
            let isInHost = inHost.found[name]?.contains { $0.text == name } ?? false
            let isInCode = inCode.found[name]?.contains { $0.text == name } ?? false
            guard !isInHost else { continue }
            guard let other = inHost.found[name]?.first ?? (isInCode ? nil : inCode.found[name]?.first) else {
                if !isInCode, canSeeAllTexts { reportAbsence(of: name, declared) }
                continue
            }
            warn(
                .unfulfilledDeclaration, path: declared.list, subject: name,
                "PHFactories declares the extension point \(quoted(name)), which is not in \(quoted(other.path)); that file "
                    + "has \(quoted(other.text)).",
                isInCode
                    ? "If it is misspelt, correct it in PHFactories of Info.plist and in the code."
                    : "If it is misspelt, correct it in PHFactories of Info.plist.")
        }
    }

    /// Whether every file that may contain the name of an extension point was found.
    ///
    /// A plug-in API that is part of an unknown program shows by its symbols. Compilers of C also store longer texts in
    /// instructions, where they cannot be found.
    private var canSeeAllTexts: Bool {
        file.uses(symbolBeginningWith: Self.provide) && closure.missing.isEmpty
            && !(host.libraries + closure.present).contains(where: Self.isUnknown)
            && !findings.contains { $0.code == .symbolMissing || $0.code == .dependencyMissing }
    }

    private mutating func reportAbsence(of name: String, _ declared: DeclaredPoints) {
        warn(
            .unfulfilledDeclaration, path: declared.list, subject: name,
            "PHFactories declares the extension point \(quoted(name)), whose name is neither in the code nor in a library "
                + "that it uses, so it can hardly register anything there.",
            "Write the name of the point as the application's plug-in API has it, ExtensionPoint(“NAME”): into PHFactories of "
                + "Info.plist. If the code puts the name together when it runs, ignore this.")
    }
}

/// The constant texts in files that are equal or similar to names.
private struct TextSearch {
    struct FoundText {
        let text: String
        let path: String
    }

    /// The texts by the name that they are similar to.
    private(set) var found: [String: [FoundText]] = [:]
    /// Whether all texts of all files were compared.
    private(set) var isComplete = true
    private var comparisons = 0

    private static let mostConstants: UInt64 = 32 << 20
    /// The maximum number of comparisons: enough for a hundred names and a hundred thousand texts of similar length.
    private static let mostComparisons = 10_000_000

    init(for names: [String], in files: [ELFFile]) {
        let wanted = names.map { (name: $0, bytes: Array($0.utf8)) }
        for file in files where comparisons <= Self.mostComparisons { search(file, wanted) }
    }

    private mutating func search(_ file: ELFFile, _ wanted: [(name: String, bytes: [UInt8])]) {
        let lengths = wanted.map(\.bytes.count)
        guard let shortest = lengths.min(), let longest = lengths.max() else { return }
        guard let section = file.section(named: ".rodata") else {
            // Without a table of sections nobody knows where the texts are.
            if file.sections.isEmpty { isComplete = false }
            return
        }
        guard let bytes = file.content(of: section, limit: Self.mostConstants) else {
            isComplete = false
            return
        }
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
                let length = rest.offset(of: 0) ?? rest.count
                defer { start += length + 1 }
                guard shortest - Self.slip <= length, length <= longest + Self.slip else { continue }
                let text = rest[..<length]
                comparisons += wanted.count
                if comparisons > Self.mostComparisons {
                    isComplete = false
                    return
                }
                for name in wanted where Self.isSlip(text, of: name.bytes) {
                    found[name.name, default: []].append(
                        FoundText(text: String(decoding: text, as: UTF8.self), path: file.path))
                }
            }
        }
    }

    /// The maximum number of bytes that a typing mistake adds, leaves out or changes.
    private static let slip = 2

    /// Whether changing, adding or removing a few bytes turns one text into the other.
    private static func isSlip(_ text: Slice<UnsafeRawBufferPointer>, of other: [UInt8]) -> Bool {
        guard abs(text.count - other.count) <= slip else { return false }
        // The difference is between the common beginning and the common end.
        let same = zip(text, other).prefix { $0 == $1 }.count
        let rest = (Array(text.dropFirst(same)), Array(other.dropFirst(same)))
        let sameEnd = zip(rest.0.reversed(), rest.1.reversed()).prefix { $0 == $1 }.count
        let (left, right) = (rest.0.dropLast(sameEnd), rest.1.dropLast(sameEnd))
        // A misspelt name differs in a few bytes of one word; a longer different part means another name.
        guard max(left.count, right.count) <= 2 * slip + 4 else { return false }
        return left.editDistance(to: right, atMost: slip) != nil
    }
}
