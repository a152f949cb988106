package import BundleReading
import HostBasics
import Synchronization

extension CatalogIndex {
    /// A plug-in that opens what was asked for, and why it has its place among the others.
    package struct Opening: Sendable {
        package let candidate: Int
        /// How many bytes of the name's end were recognised; 0 for a question about a type.
        fileprivate let length: Int
        fileprivate let distance: Int
        fileprivate let rank: Manifest.DocumentType.Rank
        package let record: PluginRecord

        /// Rank, longer extension, the type before what it conforms to, search path, identifier.
        fileprivate func precedes(_ other: Opening, in index: CatalogIndex) -> Bool {
            if rank != other.rank { return rank < other.rank }
            if length != other.length { return length > other.length }
            if distance != other.distance { return distance < other.distance }
            let folders = [candidate, other.candidate].map { index.candidateRow($0).folder }
            if folders[0] != folders[1] { return folders[0] < folders[1] }
            return record.identifier.precedesInBytes(other.record.identifier)
        }
    }

    /// The plug-ins that open a file with a name, best first.
    ///
    /// `host`: what the application's Info.plist declares.
    package func openings(ofName name: String, host: @autoclosure () -> [Manifest.TypeDeclaration]) -> [Opening] {
        let endings = Self.extensions(of: name)
        return types(host).answer(to: .init(isName: true, text: String(endings.first ?? ""))) { table in
            var found: [Opening] = []
            for ending in endings {
                add(to: &found, OpeningKey(.fileExtension, ending), table, length: ending.utf8.count)
            }
            add(to: &found, .anyFile, table, length: 0)
            return best(of: found)
        }
    }

    /// The plug-ins that open a type, best first.
    ///
    /// `type`: a MIME type, `audio/*` for any of a family, or an identifier.
    package func openings(ofType type: String, host: @autoclosure () -> [Manifest.TypeDeclaration]) -> [Opening] {
        types(host).answer(to: .init(isName: false, text: type)) { table in
            let keys =
                if let family = OpeningKey(familyOf: type) {
                    type.hasSuffix("/*")
                        ? [family] : [OpeningKey(.mimeType, type), OpeningKey(.mimeType, family.text + "/*")]
                } else {
                    [OpeningKey(.identifier, type)]
                }
            var found: [Opening] = []
            for key in keys { add(to: &found, key, table, length: 0) }
            return best(of: found)
        }
    }

    /// The ends of a file's name after each of its dots but one at the beginning, longest first.
    private static func extensions(of name: String) -> [Substring] {
        // A longer name is no file's, and a name with many dots has no more extensions than these.
        let mostExtensions = 8, longestName = 255
        let name = name.utf8.count > longestName ? Substring(name.suffix(longestName)) : name[...]
        let dots = name.indices.dropFirst().filter { name[$0] == "." }.suffix(mostExtensions)
        return dots.map { name[name.index(after: $0)...] }.filter { !$0.isEmpty }
    }

    private func add(to found: inout [Opening], _ key: OpeningKey, _ table: TypeTable, length: Int) {
        for step in table.steps(from: key) {
            for row in openingRows(hash: step.hash) {
                let record = record(candidateRow(row.candidate))
                // Another key may have the same hash.
                let ranks = record.documentTypes.lazy.filter { $0.keys.contains(step.key) }.map(\.rank)
                guard let rank = ranks.min() else { continue }
                found.append(
                    Opening(
                        candidate: row.candidate, length: length, distance: step.distance, rank: rank, record: record))
            }
        }
    }

    /// Each candidate once, sorted.
    private func best(of found: [Opening]) -> [Opening] {
        if found.count < 2 { return found }
        var seen: Set<Int> = []
        return found.sorted { $0.precedes($1, in: self) }.filter { seen.insert($0.candidate).inserted }
    }

    // MARK: Types

    /// The known types: Apple's most common ones, those of the application, and those of the usable plug-ins.
    ///
    /// **Cost.** The first use decodes the record of each plug-in that declares types.
    private func types(_ host: () -> [Manifest.TypeDeclaration]) -> KnownTypes {
        if let known = knownTypes.load() { return known }
        var table = TypeTable()
        for declaration in host() { table.add(declaration) }
        for declaration in declaredTypes { table.add(declaration) }
        return knownTypes.storeIfNil(KnownTypes(table))
    }

    /// What the plug-ins declare: the types that they own first, in the order of their identifiers.
    private var declaredTypes: [Manifest.TypeDeclaration] {
        let rows = (0..<pluginCount).map { candidateRow(plugin($0)) }.filter(\.declaresTypes)
        let declarations = rows.flatMap { record($0).typeDeclarations }
        return declarations.filter(\.isExported) + declarations.filter { !$0.isExported }
    }

    /// The types with the answers to questions that were asked before.
    ///
    /// An application asks for the same few extensions again and again, and decoding the record of each plug-in that opens
    /// a file takes longer than everything else.
    final class KnownTypes: Sendable {
        /// A question: the longest extension of a file's name, or a type.
        struct Question: Hashable {
            let isName: Bool
            let text: String
        }

        private struct Answers {
            var all: [Question: [Opening]] = [:]
            /// The number of plug-ins in them.
            var plugins = 0
        }

        private let table: TypeTable
        private let answers = Lock(Answers())
        /// How much is kept, because the questions may come from names of files.
        private static let mostQuestions = 1_000, mostPlugins = 1_000, longestText = 64

        init(_ table: TypeTable) { self.table = table }

        func answer(to question: Question, _ find: (TypeTable) -> [Opening]) -> [Opening] {
            // Two texts that Swift takes for equal, because they are the same characters, may be different bytes.
            guard question.text.utf8.count <= Self.longestText, question.text.utf8.allSatisfy({ $0 < 0x80 }) else {
                return find(table)
            }
            if let known = answers.withLock({ $0.all[question] }) { return known }
            let found = find(table)
            answers.withLock { answers in
                guard answers.all.count < Self.mostQuestions, answers.plugins + found.count <= Self.mostPlugins,
                    answers.all[question] == nil
                else { return }
                answers.all[question] = found
                answers.plugins += found.count
            }
            return found
        }
    }
}
