import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The images and sounds that a nib names.
struct NibMedia {
    private let resources: NibPlanner.Resources
    private let findings: NibFindings
    private var missing: Set<String> = []
    /// The images and sounds that the document expects the system to have, each as “image NAME”.
    private var ofSystem: Set<String> = []

    /// Looks up the images and sounds that a document lists.
    ///
    /// - Throws: the finding about a list that exceeds the limit.
    init(_ graph: NibGraph, _ resources: NibPlanner.Resources, limits: NibLimits) throws(NibFinding) {
        self.resources = resources
        findings = graph.findings
        try readList(graph.xml, atMost: limits.resources)
    }

    private mutating func readList(_ xml: XMLDocument, atMost limit: Int) throws(NibFinding) {
        guard let list = xml.children(of: 0).first(where: { xml.isElement($0, named: "resources") }) else { return }
        var count = 0
        for element in xml.children(of: list) {
            let isImage = xml.isElement(element, named: "image")
            guard isImage || xml.isElement(element, named: "sound"),
                let attribute = xml.attribute("name", ofElement: element)
            else { continue }
            count += 1
            guard count <= limit else {
                throw NibFinding(
                    code: .nibUnreadable, offset: xml.offset(ofElement: element),
                    message:
                        "The nib lists more than \(limit) images and sounds, which is the limit.",
                    remedy:
                        "Divide the nib, or raise HostEnvironment.current.nibLimits.resources of the application.")
            }
            let name = xml.value(ofAttribute: attribute)
            if xml.value("catalog", ofElement: element) == "system" || isImage && Self.isNameOfAppKit(name) {
                ofSystem.insert("\(isImage ? "image" : "sound") \(name)")
            } else {
                _ = value(isImage, name, at: xml.offset(ofAttribute: attribute))
            }
        }
    }

    /// Whether it is the name of an image that AppKit has, such as NSAddTemplate.
    ///
    /// Interface Builder writes them without the attribute `catalog`.
    private static func isNameOfAppKit(_ name: String) -> Bool {
        let bytes = name.utf8
        return name.hasPrefix("NS")
            && bytes.dropFirst(2).first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } == true
    }

    /// The image or sound with a name; nil if there is none.
    ///
    /// That is reported once, unless the document expects it from the system.
    mutating func value(_ isImage: Bool, _ name: String, at offset: Int) -> NibValue? {
        guard resources.looksForMedia else { return nil }
        let found: NibValue? =
            isImage ? resources.image(name).map { .image($0) } : resources.sound(name).map { .sound($0) }
        let what = isImage ? "image" : "sound"
        if found == nil, !ofSystem.contains("\(what) \(name)"), missing.insert("\(what) \(name)").inserted {
            findings.add(
                .nibResourceMissing, .warning, at: offset, subject: name,
                "Neither the nib's bundle nor the application has the \(what) \(quoted(name)).",
                "Add the file to the resources, or correct the name.")
        }
        return found
    }
}
