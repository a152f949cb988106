import HostBasics
import PropertyLists

/// One list of a Settings.bundle while it is read: its content, and the findings in it with their places.
struct SettingsList {
    let path: String
    let content: [String: PropertyList]
    private(set) var findings: [PluginFinding] = []
    private var further = 0
    private let bytes: [UInt8]
    /// Made for the first finding; most lists have none.
    private var inspected: InspectedList?
    private var elements: ElementPlaces?

    /// Where a fault is.
    struct Spot {
        /// The number of the element among those that are dictionaries with at least one key.
        var element: Int?
        var key: String?
    }

    init(path: String, bytes: [UInt8], content: [String: PropertyList]) {
        self.path = path
        self.bytes = bytes
        self.content = content
    }

    mutating func add(
        _ severity: PluginFinding.Severity, _ code: PluginError.Code, at spot: Spot, _ message: String,
        remedy: String
    ) {
        guard findings.count < SettingsLimits.mostFindings else {
            further += 1
            return
        }
        var finding = PluginFinding(
            severity, code, filePath: path, subject: spot.key, message: message, remedy: remedy)
        finding.place = place(of: spot)
        findings.append(finding)
    }

    /// All findings, with one more for those that are not listed.
    var allFindings: [PluginFinding] {
        guard further > 0 else { return findings }
        return findings + [
            .further(further, .error, .settingsMalformed, in: path, remedy: "Correct the ones above first.")
        ]
    }

    private mutating func place(of spot: Spot) -> PluginFinding.Place? {
        if inspected == nil {
            let list = bytes.withUnsafeBytes {
                ListInspector.inspect($0, as: .propertyList, limits: SettingsLimits.list)
            }
            inspected = list
            elements = list.places(inArray: [SettingsSchemaReader.specifiersKey])
        }
        let position =
            spot.element.map { elements?.position(ofKey: spot.key, inDictionary: $0) }
            ?? spot.key.flatMap { inspected?.place(ofKey: [$0])?.position }
        guard case .text(let line, let column)? = position else { return nil }
        return PluginFinding.Place(line: line, column: column)
    }
}
