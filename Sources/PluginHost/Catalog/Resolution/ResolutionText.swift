/// The words in which failures of a resolution are told.
struct ResolutionText {
    let graph: RequirementGraph

    /// How many steps of a chain, versions or names are told before the others are counted.
    static let longest = 8

    /// An identifier as it stands in a sentence.
    func name(_ identifier: Int) -> String { Self.name(graph.identifiers[identifier]) }

    /// An identifier, in quotation marks if it has other characters than identifiers have.
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

    /// A choice with what it requires, which requires the next, and so forth: `org.a 1.0 needs org.b 2 or later, which
    /// needs org.c below 3`.
    ///
    /// - Parameter links: each choice with the requirement that leads to the next one.
    func chain(_ links: [(choice: Int, requirement: Int)]) -> String {
        var text = "\(name(choice: links[0].choice)) needs \(wanted(links[0].requirement))"
        let told = links.count > Self.longest ? Self.longest / 2 : links.count
        for place in 1..<max(told, 1) {
            // Of several versions that would do, the most preferred one stands for all.
            let isOneOfSeveral = graph.requirements[links[place - 1].requirement].fitting.count > 1
            text += isOneOfSeveral ? ", of which \(graph.choices[links[place].choice].version)" : ", which"
            text += " needs " + wanted(links[place].requirement)
        }
        guard told < links.count else { return text }
        let last = links[links.count - 1]
        return text + ", and so on through \(links.count - told - 1) more to \(name(choice: last.choice)), "
            + "which needs \(wanted(last.requirement))"
    }

    /// `installed is org.c 3.1`, `installed are org.c 3.1, 3.0 and 2.9`.
    func installed(_ identifier: Int) -> String {
        let versions = graph.choices(of: identifier).map { graph.choices[$0].version.description }
        return "installed \(versions.count == 1 ? "is" : "are") \(name(identifier)) \(Self.list(versions))"
    }

    /// `a, b and c`, and of very many the first ones and how many more.
    static func list(_ parts: some Collection<String>, _ word: String = "and") -> String {
        guard parts.count > 1 else { return parts.first ?? "" }
        guard parts.count <= longest else {
            return parts.prefix(longest - 2).joined(separator: ", ") + " \(word) \(parts.count - longest + 2) more"
        }
        return parts.dropLast().joined(separator: ", ") + " \(word) "
            + parts[parts.index(parts.startIndex, offsetBy: parts.count - 1)]
    }

    /// Each of the identifiers requires the next: `org.a needs org.b, which needs org.a`.
    func circle(_ identifiers: [Int]) -> String {
        let names = identifiers.map { name($0) }
        guard names.count > 1 else { return "\(names[0]) needs itself" }
        let told = names.count > Self.longest ? Self.longest / 2 : names.count
        var text = names[0] + " needs " + names[1..<told].joined(separator: ", which needs ")
        if told < names.count {
            text += ", and so on through \(names.count - told - 1) more to \(names[names.count - 1])"
        }
        return text + ", which needs " + names[0]
    }

    /// What to do about a circle.
    func remedy(circle identifiers: [Int]) -> String {
        guard identifiers.count > 1 else {
            return "Ask its author to take \(name(identifiers[0])) out of its own PHRequires."
        }
        return "Ask the authors of \(Self.list(identifiers.map { name($0) })): one of them must do without the next."
    }
}
