import CDemoAPI
import DemoAPI
import PluginABI

/// The card at the head of the report: File's Owner of the nib that the exporter names.
///
/// The nib says which parts the card has and how they are laid out; this class fills in the exporter's texts. The fingerprint
/// is computed by an object of the plug-in Checksum, which is written in C: the nib makes it and connects it.
final class SummaryCard: NibObject {
    private let summary: Summary
    private let report: Report
    /// The outermost part.
    private(set) var element: (any ReportElement)?

    private var texts: [String: CardText] = [:]
    private var checksum: NibForeignObject?

    init(_ summary: Summary, of report: Report) {
        self.summary = summary
        self.report = report
    }

    static let nibInterface = NibInterface(for: SummaryCard.self) { nib in
        nib.outlet("element", as: (any ReportElement).self, required: true) { $0.element = $1 }
        for name in ["documents", "words", "sentences", "minutes", "fingerprint"] {
            nib.outlet(name) { (card: SummaryCard, text: CardText?) in card.texts[name] = text }
        }
        // An object in C has no class in Swift. The name of its C class decides what its table of functions is.
        nib.outlet("checksum", ofForeignClass: "CRC32") { $0.checksum = $1 }
    }

    /// Everything is connected: the texts are filled in.
    func nibDidLoad(_ nib: NibInstance) {
        for (name, value) in summary.values { texts[name]?.value = value }
        texts["fingerprint"]?.value = digest ?? "–"
    }

    /// The checksum of the texts' beginnings, as hexadecimal digits.
    private var digest: String? {
        guard let checksum, let functions = checksum.functions(as: demo_checksum_functions.self) else { return nil }
        for section in report.sections {
            let bytes = Array(section.opening.utf8)
            functions.pointee.update(checksum.pointer, bytes, bytes.count)
        }
        var digest = [UInt8](repeating: 0, count: min(functions.pointee.digest_length, Int(DEMO_CHECKSUM_MAX_DIGEST)))
        functions.pointee.finish(checksum.pointer, &digest)
        return digest.map { hexadecimal(UInt64($0), digits: 2) }.joined()
    }
}
