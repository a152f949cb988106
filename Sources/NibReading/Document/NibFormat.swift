import HostBasics
internal import PropertyLists

/// Detects the kind of nib in a file from its content.
enum NibFormat {
    /// Why a file is not read, as a sentence, and a remedy.
    typealias Refusal = (message: String, remedy: String)

    private static let xcode = "Open it in Xcode 5 or later and save it, or convert it with ibtool --upgrade."
    private static let source = "Ship the XIB document that it was compiled from."

    /// The refusal of a file that is not XML; nil if it may be XML.
    static func refusal(ofBytes bytes: [UInt8]) -> Refusal? {
        if bytes.starts(with: "bplist".utf8) { return ("The file is a keyed archive, which is not read.", source) }
        if bytes.starts(with: "NIBArchive".utf8) { return ("The file is a NIBArchive, which is not read.", source) }
        // The first variant has NeXT's byte order, the second the opposite one.
        if ["typedstream", "streamtyped"].contains(where: { bytes.starts(with: "\u{4}\u{B}\($0)".utf8) }) {
            return ("The file is a typed stream of objects, which is not read.", source)
        }
        if bytes.starts(with: "GNUstep archive".utf8) {
            return ("The file is an archive of objects, which is not read.", source)
        }
        return nil
    }

    /// The refusal of a file that the XML reader rejected, if the file is a property list; nil for any other file.
    ///
    /// Keyed archives in XML are property lists. They have a document type, which no nib may have.
    static func refusal(ofUnreadable bytes: [UInt8]) -> Refusal? {
        let head = bytes.prefix(longestProlog)
        guard head.contains("<!DOCTYPE plist".utf8) || head.contains("<plist".utf8) else { return nil }
        return refusal(ofPropertyList: bytes.contains("$archiver".utf8))
    }

    /// The maximum length of the part before the first element: a declaration, and usually a document type.
    private static let longestProlog = 1_024

    private static func refusal(ofPropertyList isArchive: Bool) -> Refusal {
        isArchive
            ? ("The file is a keyed archive in XML, which is not read.", source)
            : ("The file is a property list, and no XIB document.", "Save it as a XIB document.")
    }

    /// The refusal of a directory in place of a nib file.
    static func refusal(ofDirectory path: String) -> Refusal {
        if path.hasSuffix(".gorm") { return ("It is a Gorm file, which is not read.", "Save it as a XIB document.") }
        return (
            "It is a directory, as nib files of earlier systems are, which is not read.",
            "Save it as a XIB document."
        )
    }

    /// The refusal of a document, with its position; nil for a XIB document.
    static func refusal(of xml: XMLDocument) -> (refusal: Refusal, offset: Int)? {
        func refuse(_ message: String, _ remedy: String, at attribute: Int? = nil) -> (refusal: Refusal, offset: Int) {
            let offset = attribute.map(xml.offset(ofAttribute:)) ?? xml.offset(ofElement: 0)
            return ((message, remedy), offset)
        }
        let type = xml.value("type", ofElement: 0) ?? ""
        let typePlace = xml.attribute("type", ofElement: 0)
        if xml.isElement(0, named: "archive") {
            return type.hasPrefix("com.apple.InterfaceBuilder3")
                ? refuse("The file is an archive of Interface Builder 3, which is not read.", xcode)
                : refuse("The file is an archive of objects, which is not read.", source)
        }
        if xml.isElement(0, named: "plist") {
            let isArchive = (0..<xml.count).contains {
                xml.isElement($0, named: "key") && xml.text(ofElement: $0) == "$archiver"
            }
            let refusal = refusal(ofPropertyList: isArchive)
            return refuse(refusal.message, refusal.remedy)
        }
        guard xml.isElement(0, named: "document") else {
            return refuse(
                "The file begins with the element <\(xml.name(ofElement: 0).prefix(64))>; a XIB document begins with "
                    + "<document>.", "Save it as a XIB document.")
        }
        // Why by bytes: contains(_:) on strings takes as long as a quarter of parsing a typical nib.
        if type.utf8.split(separator: UInt8(ascii: ".")).contains(where: { $0.elementsEqual("Storyboard".utf8) }) {
            return refuse(
                "The file is a storyboard, which is not read.", "Make a XIB document of each scene.", at: typePlace)
        }
        // The types of tvOS have no 3.
        guard type.hasPrefix("com.apple.InterfaceBuilder"), type.hasSuffix(".XIB") else {
            return refuse(
                "The document is of the type \(quoted(type)), which is not read.", "Save it as a XIB document.",
                at: typePlace)
        }
        let version = xml.value("version", ofElement: 0) ?? ""
        guard version == "3" || version.hasPrefix("3.") else {
            return refuse(
                "The document is of the version \(quoted(version)); 3.0 is read.", xcode,
                at: xml.attribute("version", ofElement: 0))
        }
        return nil
    }
}
