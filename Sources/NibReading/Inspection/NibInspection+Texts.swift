public import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

extension NibInspection {
    /// A text in a nib that a strings table may translate.
    public struct Text: Sendable, Hashable {
        /// The key in the table, as Interface Builder writes it: `17.title`.
        public let key: String
        /// The text in the nib.
        public let text: String
        /// The class of the object, as named by the document or the lists.
        public let className: String
        /// The id of the object; for an object without id, the prefix of its texts' keys.
        public let id: String
        /// The name of the attribute.
        public let attribute: String
        /// The position in the nib.
        public let place: PluginFinding.Place
    }

    /// The attributes that contain texts in the classes of AppKit and UIKit.
    ///
    /// Used for objects whose class is not declared.
    private static let textAttributes: Set<String> = [
        "title", "alternateTitle", "text", "label", "paletteLabel", "toolTip", "headerToolTip", "placeholder",
        "placeholderString", "prompt", "footerTitle", "headerTitle", "accessibilityLabel", "accessibilityHint",
        "normalTitle", "selectedTitle",
    ]

    /// Attributes that have one of those names but never occur in Interface Builder's tables: a pop-up button shows the
    /// title of its selected item.
    private static let neverTexts: [String: Set<String>] = ["popUpButtonCell": ["title", "alternateTitle"]]

    /// The elements whose `placeholder` is a text; in all other elements it is a flag for the editor.
    private static let elementsWithPlaceholders: Set<String> = ["textField", "textView", "searchBar"]

    /// Whether an attribute of an element contains text in the classes of AppKit and UIKit.
    private static func isText(_ name: String, ofElement element: String) -> Bool {
        guard textAttributes.contains(name) else { return false }
        if name == "placeholder" { return elementsWithPlaceholders.contains(element) }
        return !(neverTexts[element]?.contains(name) ?? false)
    }

    /// The name that Interface Builder uses for an attribute in keys, where the two names differ.
    static let keyNames = ["toolTip": "ibShadowedToolTip"]

    /// The texts of a nib, and findings about those that no table can translate.
    public struct Texts: Sendable {
        /// In the order of their positions.
        public let texts: [Text]
        /// A warning for each text whose key is too long for the host to look up.
        public let findings: [PluginFinding]
    }

    /// The texts of the nib: the attributes that a class declares as text.
    ///
    /// For objects whose class is not declared, the attributes that Interface Builder's classes have as text.
    ///
    /// - Throws: ``PluginError`` of code `nibUnreadable` for a nib with more objects or connections than the limits
    ///   allow.
    public func texts(classes: Classes) throws(PluginError) -> Texts {
        let planner: NibPlanner
        do throws(NibFinding) {
            planner = try self.planner(classes.declared.scope, Self.noResources, mode: classes.mode)
        } catch {
            throw PluginError(bundlePath: Path.parent(path), findings: located(error))
        }
        let xml = document.xml
        var found: [(offset: Int, key: String, text: String, className: String, id: String, name: String)] = []
        let untranslatable = NibFindings()
        func add(_ object: Int, _ name: String, key: String?, _ text: String, at offset: Int) {
            let graph = planner.nib.graph
            guard !text.isEmpty else { return }
            guard let id = graph.textKey(of: object, attribute: key ?? name) else {
                return untranslatable.add(.warning) { .untranslatable(name, at: offset) }
            }
            let className =
                xml.value("customClass", ofElement: graph.objects[object].element)
                ?? planner.nib.table(ofObject: object)?.name ?? xml.name(ofElement: graph.objects[object].element)
            found.append(
                (
                    offset, id + "." + (key ?? Self.keyNames[name] ?? name), text, className, id, name
                ))
        }
        func isText(_ object: Int, _ name: String) -> Bool {
            guard let table = planner.nib.table(ofObject: object) else {
                return Self.isText(name, ofElement: xml.name(ofElement: planner.nib.graph.objects[object].element))
            }
            return table.attributes[name]?.role == .text
        }
        for (number, object) in planner.nib.graph.objects.enumerated() where object.role == .made {
            for attribute in xml.attributes(ofElement: object.element) {
                let name = xml.name(ofAttribute: attribute)
                guard !NibPlanner.reserved.contains(name), isText(number, name) else { continue }
                add(number, name, key: nil, xml.value(ofAttribute: attribute), at: xml.offset(ofAttribute: attribute))
            }
        }
        let reader = NibValueReader(xml: xml)
        for part in planner.nib.graph.values where planner.nib.graph.objects[part.object].role == .made {
            guard let name = xml.value("key", ofElement: part.element), isText(part.object, name),
                case .string(let text)? = try? reader.value(ofElement: part.element)
            else { continue }
            add(part.object, name, key: nil, text, at: xml.offset(ofElement: part.element))
        }
        var numbers: [Int: Int] = [:]
        for part in planner.nib.graph.runtimeAttributes {
            let type = xml.value("type", ofElement: part.element) ?? "string"
            guard type == "string" || type == "localizedString" else { continue }
            let number = numbers[part.object, default: 0]
            numbers[part.object] = number + 1
            guard let name = xml.value("keyPath", ofElement: part.element),
                planner.nib.table(ofObject: part.object) == nil ? type == "localizedString" : isText(part.object, name),
                case .string(let text)? = try? reader.value(ofRuntimeAttribute: part.element)
            else { continue }
            add(
                part.object, name, key: "ibExternalUserDefinedRuntimeAttributesLocalizableStrings[\(number)]", text,
                at: xml.offset(ofElement: part.element))
        }
        found.sort { $0.offset < $1.offset }
        let texts = zip(found, xml.places(of: found.map(\.offset))).map { row, place in
            Text(
                key: row.key, text: row.text, className: row.className, id: row.id, attribute: row.name,
                place: PluginFinding.Place(line: place.line, column: place.column))
        }
        return Texts(texts: texts, findings: located(untranslatable))
    }

    /// Whether a key of a table belongs to an object or a binding of the nib.
    ///
    /// Interface Builder writes the placeholders of bindings into its tables.
    public func hasObject(ofKey key: String) -> Bool {
        let id = String(key.prefix { $0 != "." })
        return hasObject(ofID: id) || bindings.contains(id)
    }

    /// The ids of connections that are neither outlets nor actions.
    static func bindings(in xml: XMLDocument) -> Set<String> {
        var ids: Set<String> = []
        for element in 0..<xml.count where xml.isElement(element, named: "connections") {
            for connection in xml.children(of: element)
            where !["outlet", "outletCollection", "action"].contains(xml.name(ofElement: connection)) {
                if let id = xml.value("id", ofElement: connection) { ids.insert(id) }
            }
        }
        return ids
    }
}
