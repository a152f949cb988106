import PluginABI
import PluginHost

/// What must hold for every nib: it is read or refused with an error that names its places, and what is read makes its
/// objects or is refused as a whole.
struct NibChecks {
    let bytes: UnsafeRawBufferPointer

    /// Registers what nibs of the samples name, once for all processes.
    static func prepare() {
        HostEnvironment.current.log = { _ in }
        HostEnvironment.current.nibClasses.register(FuzzedBlock.self, element: "view") { _ in FuzzedBlock() }
        HostEnvironment.current.nibClasses.register(FuzzedBlock.self, as: "Dial", element: "textField") { _ in
            FuzzedBlock()
        }
        HostEnvironment.current.nibClasses.leaveOut(elements: ["constraint"])
    }

    func run() throws(Violation) {
        let before = FuzzedBlock.living
        try instantiate()
        guard FuzzedBlock.living == before else {
            throw Violation("\(FuzzedBlock.living - before) objects were not released")
        }
    }

    private func instantiate() throws(Violation) {
        let owner = FuzzedBlock()
        // Circles of strong outlets keep their objects; they are the nib's, not the library's.
        defer { owner.clear() }
        do {
            let nib = try Nib(nibData: bytes, bundle: nil)
            let made = try nib.instantiate(owner: owner)
            defer { made.objects.forEach { ($0 as? FuzzedBlock)?.clear() } }
            guard made.objects.count <= NibLimits().objects else { throw Violation("the limit on objects is broken") }
            for case let block as FuzzedBlock in made.objects where block.awoken != 1 {
                throw Violation("an object was awake \(block.awoken) times")
            }
            for case let block as FuzzedBlock in made.objects {
                for action in block.actions {
                    let isPerformed = try action.send(from: block)
                    guard isPerformed == action.isEnabled else { throw Violation("an action to a target is lost") }
                }
            }
            let second = FuzzedBlock()
            defer { second.clear() }
            let again = try nib.instantiate(owner: second)
            defer { again.objects.forEach { ($0 as? FuzzedBlock)?.clear() } }
            guard again.objects.count == made.objects.count else {
                throw Violation("the second time makes other objects")
            }
        } catch let violation as Violation {
            throw violation
        } catch let error as PluginError {
            try check(error)
            guard owner.awoken == 0, owner.isUntouched else { throw Violation("the owner was changed: \(error)") }
        } catch {
            throw Violation("an error of another type: \(error)")
        }
    }

    private func check(_ error: PluginError) throws(Violation) {
        // A hundred errors and a hundred warnings, and how many others there are of each.
        guard error.findings.count <= 202 else { throw Violation("\(error.findings.count) findings are listed") }
        for finding in error.findings {
            if let place = finding.place,
                place.line < 1 || place.column < 1 || place.line + place.column > bytes.count + 2
            {
                throw Violation("a place is outside: \(place) of \(finding.message)")
            }
            let text = finding.message + finding.remedy
            let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
            guard isPrintable, !finding.message.isEmpty else {
                throw Violation("a message may not be printed: \(text.debugDescription)")
            }
        }
    }
}

/// What objects of the samples serve.
protocol FuzzedService: AnyObject {}

/// The one class of the samples.
final class FuzzedBlock: NibObject, FuzzedService {
    enum Weight: String, NibAttribute { case light, bold }

    /// How many exist.
    ///
    /// A process checks its inputs on one thread.
    nonisolated(unsafe) static var living = 0

    var title: String? = ""
    var tag = 0
    var ratio = 0.0
    var isOn = false
    var weight = Weight.light
    var frame: NibRect?
    var origin: NibPoint?
    var extent: NibSize?
    var span: NibRange?
    var color: NibColor?
    var font: NibRecord?
    var image: NamedImage?
    var next: FuzzedBlock?
    var header: FuzzedBlock?
    weak var delegate: (any NibObject)?
    var served: (any FuzzedService)?
    var parts: [FuzzedBlock] = []
    var blocks: [any NibObject] = []
    var actions: [NibAction] = []
    var awoken = 0

    static let nibInterface = NibInterface(for: FuzzedBlock.self) { nib in
        nib.attribute("title") { $0.title = $1 }
        nib.attribute("tag") { $0.tag = $1 }
        nib.attribute("ratio") { $0.ratio = $1 }
        nib.attribute("isOn") { $0.isOn = $1 }
        nib.attribute("weight") { $0.weight = $1 }
        nib.attribute("frame") { $0.frame = $1 }
        nib.attribute("origin") { $0.origin = $1 }
        nib.attribute("extent") { $0.extent = $1 }
        nib.attribute("span") { $0.span = $1 }
        nib.attribute("color") { $0.color = $1 }
        nib.attribute("font") { $0.font = $1 }
        nib.attribute("image") { $0.image = $1 }
        nib.outlet("next") { $0.next = $1 }
        nib.outlet("header") { $0.header = $1 }
        nib.outlet("delegate") { $0.delegate = $1 }
        nib.outlet("served", as: (any FuzzedService).self) { $0.served = $1 }
        nib.outlets("subviews") { $0.parts = $1 }
        nib.outlets("blocks") { $0.blocks = $1 }
        nib.event { if let action = $1 { $0.actions.append(action) } }
        nib.events("touch") { $0.actions += $1 }
        nib.action("open:", FuzzedBlock.open)
        nib.serves((any FuzzedService).self) { $0 }
    }

    init() { Self.living += 1 }
    deinit { Self.living -= 1 }

    /// Whether no nib has set an outlet.
    var isUntouched: Bool { next == nil && delegate == nil && served == nil && blocks.isEmpty && actions.isEmpty }

    func clear() { (next, header, served, parts, blocks, actions) = (nil, nil, nil, [], [], []) }
    func open(_ sender: FuzzedBlock) {}
    func awakeFromNib() { awoken += 1 }
    func nibDidLoad(_ nib: NibInstance) {}
}

extension Corpus {
    /// A nib that is sound.
    mutating func nib() -> Sample {
        let count = 1 + random.below(8)
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
                <objects>
                    <customObject id="-2" userLabel="File's Owner" customClass="FuzzedBlock"/>
                    <customObject id="-1" customClass="FirstResponder"/>

            """
        for number in 0..<count {
            text += "<view id=\"v\(number)\" title=\"a &amp; b &#x41;\" tag=\"\(number)\">"
            text += "<rect key=\"frame\" x=\"0\" y=\"1.5\" width=\"2\" height=\"1e3\"/>"
            text += "<subviews><view id=\"s\(number)\"><string key=\"title\">t</string></view></subviews>"
            text += "<constraints><constraint id=\"c\(number)\"/></constraints>"
            text += "<userDefinedRuntimeAttributes><userDefinedRuntimeAttribute type=\"number\" keyPath=\"tag\">"
            text += "<integer key=\"value\" value=\"3\"/></userDefinedRuntimeAttribute></userDefinedRuntimeAttributes>"
            text +=
                "<connections><outlet property=\"delegate\" destination=\"v\(random.below(count))\" id=\"o\(number)\"/>"
            text +=
                "<action selector=\"open:\" target=\"\(random.pick(["-1", "-2", "v0"]))\" id=\"a\(number)\"/></connections></view>\n"
        }
        return Sample(bytes: Array((text + "</objects></document>").utf8), value: nil)
    }
}
