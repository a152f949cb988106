internal import HostBasics
@_spi(Tools) internal import PluginHost
public import PropertyLists

/// A list or table as a linter sees it: its content, and the faults of the file itself.
struct LintedFile {
    let path: String
    let type: BundleLinter.FileType
    /// Nil if the file cannot be read.
    let list: InspectedList?
    private let places: Places?
    private(set) var findings: [LintFinding] = []

    /// Reads a file.
    init(path: String, type: BundleLinter.FileType) {
        do throws(OpenedFile.Failure) {
            let bytes = try OpenedFile(path: path).bytes(atMost: Self.limits(path).size)
            self.init(path: path, type: type, bytes: bytes)
        } catch {
            self.init(
                path: path, type: type,
                unreadable: LintFinding(
                    .error, .unreadable, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                    remedy: error.remedy(else: "Make it a regular file that may be read.")))
        }
    }

    private init(path: String, type: BundleLinter.FileType, unreadable finding: LintFinding) {
        self.path = path
        self.type = type
        list = nil
        places = nil
        findings = [finding]
    }

    init(path: String, type: BundleLinter.FileType, bytes: [UInt8]) {
        self.path = path
        self.type = type
        let limits = Self.limits(path)
        let list = bytes.withUnsafeBytes { bytes in
            ListInspector.inspect(bytes, as: type == .stringsTable ? .stringsTable : .propertyList, limits: limits)
        }
        self.list = list
        places = Places(list)
        findings = list.faults.map { LintFinding($0, path: path, type: type) }
    }

    /// The limits with which the host reads such a file.
    private static func limits(_ path: String) -> PropertyListLimits {
        isInfoList(path) ? .standard : .stringsTable
    }

    /// Whether its name is that of a bundle's Info.plist.
    var isInfoList: Bool { Self.isInfoList(path) }

    private static func isInfoList(_ path: String) -> Bool {
        path.split(separator: "/").last.map { $0 == "Info.plist" || $0 == "Info-gnustep.plist" } ?? false
    }

    /// Whether the file could be read.
    ///
    /// If not, it is unknown which entries are missing.
    var wasRead: Bool { list != nil }

    /// The outermost dictionary; empty if there is none.
    var dictionary: [String: PropertyList] { list?.value?.dictionary ?? [:] }

    /// The place of a key.
    func place(of keys: String...) -> LintFinding.Place? { place(of: keys) }

    func place(of keys: [String]) -> LintFinding.Place? {
        guard let list, let places else { return nil }
        return list.place(ofKey: keys, in: places.all).flatMap { LintFinding.Place($0.position, $0.excerpt) }
    }

    /// The places of the list's keys, computed at the first use.
    ///
    /// All copies of a `LintedFile` share one object, and only one thread uses it.
    private final class Places {
        private let list: InspectedList
        private(set) lazy var all = list.keyPlaces()
        init(_ list: InspectedList) { self.list = list }
    }

    /// A finding about a key of this file.
    func finding(
        _ severity: LintFinding.Severity, _ code: LintFinding.Code, at keys: [String], subject: String? = nil,
        _ message: String, remedy: String = "", related: [LintFinding.Related] = []
    ) -> LintFinding {
        LintFinding(
            severity, code, filePath: path, place: place(of: keys), subject: subject ?? keys.first, message: message,
            remedy: remedy, related: related)
    }
}

extension LintFinding {
    /// A fault that the readers found.
    init(_ fault: InspectedList.Fault, path: String, type: BundleLinter.FileType) {
        let code = Code(fault.fault.code)
        let first = fault.first.map {
            Related(filePath: path, place: Place($0.position, $0.excerpt), message: "The first one is here.")
        }
        self.init(
            Self.isMild(fault.fault.code, type) ? .warning : .error, code, filePath: path,
            place: Place(fault.fault.position, fault.excerpt), message: fault.fault.message,
            related: first.map { [$0] } ?? [])
    }

    /// Whether a fault is only a warning, because it affects nothing else in the file.
    ///
    /// A missing semicolon is an error: it affects nothing here, but other readers stop there.
    private static func isMild(_ code: PropertyListFault.Code, _ type: BundleLinter.FileType) -> Bool {
        switch code {
        case .duplicateKey, .assumedLatin1, .foreignEscape: type == .stringsTable
        case .repeatedKey, .furtherFaults: true
        default: false
        }
    }
}

@_spi(Tools) extension LintFinding.Code {
    /// The code of a reader's fault: `missing-separator` becomes `missingSeparator`, the style of all other codes of
    /// the library.
    public init(_ code: PropertyListFault.Code) {
        let words = code.rawValue.split(separator: "-")
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        self.init(rawValue: ([words.first.map(String.init) ?? ""] + rest).joined())
    }
}

@_spi(Tools) extension LintFinding.Place {
    /// A position that a reader reports; nil for the file as a whole.
    public init?(_ position: PropertyListFault.Position, _ excerpt: SourceExcerpt?) {
        switch position {
        case .text(let line, let column):
            self.init(line: line, column: column, excerpt: excerpt.map(LintFinding.Excerpt.init))
        case .byte(let offset): self.init(byte: offset)
        case .whole: return nil
        }
    }
}

extension LintFinding.Excerpt {
    init(_ excerpt: SourceExcerpt) {
        self.init(
            before: excerpt.before, after: excerpt.after, isCutBefore: excerpt.isCutBefore,
            isCutAfter: excerpt.isCutAfter)
    }
}
