import ELFImages
import HostBasics
internal import PropertyLists

/// A parsed XIB document: its elements, and the element that contains its objects.
struct NibDocument: Sendable {
    let xml: XMLDocument
    /// The element `objects`.
    let root: Int

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: the file's content.
    ///   - path: the file; nil if the bytes come from no file.
    ///   - bundlePath: the bundle that errors name.
    ///   - limits: the limits for the document's size.
    /// - Throws: ``PluginError`` of code `nibUnreadable` or `nibUnsupported`.
    init(_ bytes: [UInt8], path: String?, bundlePath: String, limits: NibLimits) throws(PluginError) {
        let thing = path.map { quoted($0) } ?? "the nib's data"
        func refused(_ code: PluginError.Code, _ message: String, _ remedy: String, _ place: PluginFinding.Place?)
            -> PluginError
        {
            var finding = PluginFinding(code, filePath: path, message: message, remedy: remedy)
            finding.place = place
            return PluginError(bundlePath: bundlePath, finding)
        }
        if let refusal = NibFormat.refusal(ofBytes: bytes) {
            throw refused(.nibUnsupported, "\(thing): \(refusal.message)", refusal.remedy, nil)
        }
        let document: XMLDocument
        do throws(PropertyListFault) {
            document = try XMLDocument(bytes, limits: limits.document)
        } catch {
            if let refusal = NibFormat.refusal(ofUnreadable: bytes) {
                throw refused(.nibUnsupported, "\(thing): \(refusal.message)", refusal.remedy, nil)
            }
            let place: PluginFinding.Place? =
                if case .text(let line, let column) = error.position { .init(line: line, column: column) } else { nil }
            throw refused(
                .nibUnreadable, "The nib \(thing) cannot be read: \(error.message)",
                "Open it in its editor and save it again.", place)
        }
        xml = document
        func place(_ offset: Int) -> PluginFinding.Place {
            let place = document.places(of: [offset])[0]
            return PluginFinding.Place(line: place.line, column: place.column)
        }
        if let (refusal, offset) = NibFormat.refusal(of: document) {
            throw refused(.nibUnsupported, refusal.message, refusal.remedy, place(offset))
        }
        let roots = document.children(of: 0).filter { document.isElement($0, named: "objects") }
        guard roots.count == 1 else {
            throw refused(
                .nibUnreadable,
                roots.isEmpty
                    ? "The document has no element <objects>." : "The document has the element <objects> twice.",
                "Open it in its editor and save it again.",
                place(document.offset(ofElement: roots.count > 1 ? roots[1] : 0)))
        }
        root = roots[0]
    }
}
