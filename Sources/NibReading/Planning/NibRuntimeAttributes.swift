import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The stage of planning that sets user-defined runtime attributes, after all connections are known.
struct NibRuntimeAttributes {
    private let nib: ResolvedNib
    private let xml: XMLDocument

    init(_ nib: ResolvedNib) {
        self.nib = nib
        xml = nib.xml
    }

    /// Sets the attributes, in the order of the document.
    func set(_ setting: inout NibValueSetting, _ connected: ConnectedOutlets) {
        let reader = NibValueReader(xml: xml)
        /// The number of texts so far, by object.
        var texts: [Int: Int] = [:]
        for part in nib.graph.runtimeAttributes {
            let type = xml.value("type", ofElement: part.element) ?? "string"
            let isText = type == "string" || type == "localizedString"
            let textNumber = texts[part.object, default: 0]
            if isText { texts[part.object] = textNumber + 1 }
            guard let path = xml.value("keyPath", ofElement: part.element), !path.isEmpty else {
                nib.findings.add(
                    .nibAttributeInvalid, at: xml.offset(ofElement: part.element),
                    "A runtime attribute has no keyPath.", "Give it the name of an attribute.")
                continue
            }
            let place = xml.attribute("keyPath", ofElement: part.element).map(xml.offset(ofAttribute:))
            guard let (object, name) = follow(path, from: part.object, at: place, connected),
                case .object(let slot, let aClass) = nib.resolved[object]
            else { continue }
            let table = nib.classes[aClass].table
            guard let declared = table.attributes[name] else {
                nib.findings.add(
                    .nibAttributeInvalid, at: place, subject: name,
                    "\(quoted(table.name)) has no attribute \(quoted(name)).",
                    "It has \(attributes(near: name, in: table)); correct keyPath, or declare the attribute in \(displayed(table.name)).nibInterface."
                )
                continue
            }
            do throws(NibValueReader.Fault) {
                var value = try reader.value(ofRuntimeAttribute: part.element)
                if type == "image", case .string(let imageName) = value {
                    guard let found = setting.image(imageName, at: xml.offset(ofElement: part.element)) else {
                        continue
                    }
                    value = found
                }
                let key = (
                    part.object,
                    "ibExternalUserDefinedRuntimeAttributesLocalizableStrings[\(textNumber)]"
                )
                if !isText, case .string = value, declared.role == .text {
                    // Not one of the text types of runtime attributes, so it has no key.
                    nib.findings.add(
                        .nibAttributeInvalid, at: xml.offset(ofElement: part.element), subject: name,
                        "The attribute \(quoted(name)) of \(quoted(table.name)) takes a String, and the value is of the type \(quoted(type)).",
                        "Correct the type.")
                    continue
                }
                setting.set(
                    declared, of: slot, object, aClass, value, key: key, at: xml.offset(ofElement: part.element),
                    nib.graph.objects[part.object].isMade ? .runtimeAttributes : .externals)
            } catch {
                nib.findings.add(
                    .nibAttributeInvalid, at: error.offset, subject: name,
                    "The value of the attribute \(quoted(name)) of \(quoted(table.name)) \(error.reason).",
                    "Correct the value.")
            }
        }
    }

    /// The attributes that were probably meant; all attributes if none is similar, although that list may be cut off.
    private func attributes(near name: String, in table: NibClassTable) -> String {
        let close = nib.findings.suggestions.names(near: name, among: table.attributes.keys)
        return close.isEmpty ? quotedList(table.attributes.keys, or: "none") : quotedList(close, or: "none")
    }

    /// Follows a path through outlets that the nib connects; returns the last object and the attribute at the end of
    /// the path.
    ///
    /// Nil if the path leads nowhere, which is reported, or if a class on the way is not known.
    ///
    /// A class may declare the rest of the path as one attribute: `layer.cornerRadius`.
    private func follow(
        _ path: String, from start: Int, at offset: Int?, _ connected: ConnectedOutlets
    ) -> (object: Int, name: String)? {
        var object = start
        var last = path[...]
        while let dot = last.firstIndex(of: ".") {
            var table: NibClassTable?
            if case .object(_, let aClass) = nib.resolved[object] { table = nib.classes[aClass].table }
            if let table, last.utf8.count <= Self.longestPath, table.attributes[String(last)] != nil { break }
            let name = String(last[..<dot])
            guard let next = connected.destination(ofOutlet: name, of: object, in: nib) else {
                // An unknown class may declare the attribute.
                if case .unknown = nib.resolved[object] { return nil }
                nib.findings.add(
                    .nibAttributeInvalid, at: offset, subject: path,
                    "The path \(quoted(path)) goes through the outlet \(quoted(name)) of \(nib.shown(object)), which the nib does not connect.",
                    table?.outlets[name] == nil
                        ? "Declare the attribute \(quoted(String(last)))\(table.map { " in \($0.name).nibInterface" } ?? ""), or correct keyPath."
                        : "Connect the outlet, or set the attribute of the other object.")
                return nil
            }
            object = next
            last = last[last.index(after: dot)...]
        }
        if case .absent = nib.resolved[object] {
            nib.addAbsent(object, at: offset ?? 0)
            return nil
        }
        return (object, String(last))
    }

    /// In bytes.
    ///
    /// A longer rest of a path cannot be an attribute's name, so it is not looked up at each of its dots.
    private static let longestPath = 1_024
}
