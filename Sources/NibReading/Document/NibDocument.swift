package import HostBasics
package import PropertyLists

/// A parsed XIB document: its elements, and the element that contains its objects.
package struct NibDocument: Sendable {
    package let xml: XMLDocument
    /// The element `objects`.
    package let root: Int

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: the file's content.
    ///   - path: the file; nil if the bytes come from no file.
    ///   - bundlePath: the bundle that errors name.
    ///   - limits: the limits for the document's size.
    /// - Throws: ``PluginError`` of code `nibUnreadable` or `nibUnsupported`.
    package init(_ bytes: [UInt8], path: String?, bundlePath: String, limits: NibLimits) throws(PluginError) {
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

    /// The content of a nib's file.
    ///
    /// - Throws: ``PluginError`` of code `nibMissing`, `nibUnreadable` or `nibUnsupported`; the error names
    ///   `bundlePath`.
    package static func bytes(atPath path: String, bundlePath: String, limits: NibLimits) throws(PluginError) -> [UInt8]
    {
        do throws(OpenedFile.Failure) {
            // If the file exceeds the limit, this reads one byte more, and the reader reports the excess.
            return try OpenedFile(path: path).bytes(atMost: limits.size)
        } catch {
            if case .notRegular = error, FileIdentity(path: path)?.isDirectory ?? false {
                let refusal = NibFormat.refusal(ofDirectory: path)
                throw PluginError(
                    bundlePath: bundlePath,
                    PluginFinding(
                        .nibUnsupported, filePath: path, message: "The nib \(quoted(path)): \(refusal.message)",
                        remedy: refusal.remedy))
            }
            throw PluginError(
                bundlePath: bundlePath,
                PluginFinding(
                    error == .missing ? .nibMissing : .nibUnreadable, filePath: path,
                    message: "The nib \(quoted(path)) \(error.reason(at: path)).",
                    remedy: error.remedy(else: "Put a XIB document in its place.")
                )
                .refused(by: error.errno))
        }
    }
}
