import HostBasics

/// The sentences about failures of a resolution.
struct ResolutionText {
    let graph: RequirementGraph
    /// The path of a file that could not be read and may have been a candidate.
    var unread: String?
    /// The identifiers whose plug-ins are installed, but may not be used.
    var refused: Set<String> = []

    /// The most steps of a chain, versions or names that are listed; the rest is only counted.
    static let longest = 8

    /// An identifier in a sentence.
    func name(_ identifier: Int) -> String { Self.name(graph.identifiers[identifier]) }

    /// An identifier, in quotation marks if it contains unusual characters.
    static func name(_ identifier: String) -> String {
        let isPlain = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        let shown = identifier.utf8.count > 200 ? identifier.prefix(200) + "…" : identifier[...]
        return isPlain && !identifier.isEmpty ? String(shown) : quoted(shown)
    }

    /// `org.a 1.0`.
    func name(choice: Int) -> String { "\(name(graph.choices[choice].identifier)) \(graph.choices[choice].version)" }

    /// `org.b 2 or later`.
    func wanted(_ requirement: Int) -> String {
        let words = graph.requirements[requirement].range.inWords
        return name(graph.requirements[requirement].target) + (words.isEmpty ? "" : " " + words)
    }

    /// `org.b (2 or later)`.
    func request(_ requirement: Int) -> String {
        let words = graph.requirements[requirement].range.inWords
        return name(graph.requirements[requirement].target) + (words.isEmpty ? "" : " (\(words))")
    }

    /// A choice and one of its requirements, which leads to the next choice.
    typealias Link = (choice: Int, requirement: Int)

    /// A chain of choices, each of which requires the next.
    ///
    /// For example: `org.a 1.0 needs org.b 2 or later, which needs org.c below 3`. `links`: the whole chain, or its
    /// beginning. `omitted`: how many of the following links are not listed. `last`: the link after these.
    func chain(_ links: some Collection<Link>, omitted: Int = 0, last: Link? = nil) -> String {
        if links.count > Self.longest, last == nil {
            let shown = Self.longest / 2
            let end = links.dropFirst(links.count - 1).first
            return chain(links.prefix(shown), omitted: links.count - shown - 1, last: end)
        }
        var text = ""
        var previous: Link?
        for link in links {
            if let previous {
                // If several versions meet the requirement, the most preferred one is named.
                let isOneOfSeveral = graph.requirements[previous.requirement].fitting.count > 1
                text += isOneOfSeveral ? ", of which \(graph.choices[link.choice].version)" : ", which"
            } else {
                text += name(choice: link.choice)
            }
            text += " needs " + wanted(link.requirement)
            previous = link
        }
        guard let last else { return text }
        return text + ", and so on through \(omitted) more to \(name(choice: last.choice)), "
            + "which needs \(wanted(last.requirement))"
    }

    /// `org.c 3.1 is installed`, `org.c 3.1, 3.0 and 2.9 are installed`.
    func installed(_ identifier: Int) -> String {
        let versions = graph.choices(of: identifier).map { graph.choices[$0].version.description }
        return "\(name(identifier)) \(Self.list(versions)) \(versions.count == 1 ? "is" : "are") installed"
    }

    /// `org.c is not installed`, unless it is and may not be used, or a file that could not be read may be this plug-in.
    func missing(_ identifier: Int) -> String {
        if refused.contains(graph.identifiers[identifier]) { return "\(name(identifier)) is installed, but not used" }
        guard unread != nil else { return "\(name(identifier)) is not installed" }
        return "\(name(identifier)) is not among the bundles that could be read"
    }

    /// `, and “/a/B.bundle/Contents/Info.plist” could not be read`, appended to a statement about the files that could
    /// be read.
    var exception: String { unread.map { ", and \(quoted($0)) could not be read" } ?? "" }

    /// `a, b and c`.
    ///
    /// A long list shows the first ones and the number of the others.
    static func list(_ parts: some Collection<String>, _ word: String = "and") -> String {
        guard parts.count > 1 else { return parts.first ?? "" }
        guard parts.count <= longest else {
            return parts.prefix(longest - 2).joined(separator: ", ") + " \(word) \(parts.count - longest + 2) more"
        }
        return parts.dropLast().joined(separator: ", ") + " \(word) "
            + parts[parts.index(parts.startIndex, offsetBy: parts.count - 1)]
    }

    /// Each of the identifiers requires the next: `org.a needs org.b, which needs org.a`.
    func circle(_ identifiers: some RandomAccessCollection<Int>) -> String {
        guard let first = identifiers.first, let last = identifiers.last, identifiers.count > 1 else {
            return identifiers.first.map { "\(name($0)) needs itself" } ?? ""
        }
        let shown = identifiers.count > Self.longest ? Self.longest / 2 : identifiers.count
        var text = name(first) + " needs "
        text += identifiers.dropFirst().prefix(shown - 1).map { name($0) }.joined(separator: ", which needs ")
        if shown < identifiers.count {
            text += ", and so on through \(identifiers.count - shown - 1) more to \(name(last))"
        }
        return text + ", which needs " + name(first)
    }

    /// The remedy for a circle.
    func remedy(circle identifiers: some RandomAccessCollection<Int>) -> String {
        if let only = identifiers.first, identifiers.count == 1 {
            return "Ask its author to remove \(name(only)) from its own PHRequires."
        }
        return
            "Ask the authors of \(Self.list(identifiers.lazy.map { name($0) })): one of them must stop requiring the next."
    }

    /// The identifiers of a circle.
    ///
    /// For a large circle, the first and the last ones.
    func identifiers(ofCircle identifiers: some RandomAccessCollection<Int>) -> [String] {
        var shown = Array(identifiers.prefix(2 * Self.longest))
        if identifiers.count > shown.count {
            let end = identifiers.index(identifiers.endIndex, offsetBy: -Self.longest)
            shown[Self.longest...] = ArraySlice(identifiers[end...])
        }
        return shown.map { graph.identifiers[$0] }
    }
}
