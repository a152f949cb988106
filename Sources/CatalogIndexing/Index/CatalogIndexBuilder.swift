import BundleReading
import DependencyResolution
import ELFImages
package import HostBasics

/// Builds an index from the results of a scan.
package struct CatalogIndexBuilder {
    package let rules: CatalogRules
    private var folders: [CatalogIndex.Folder] = []
    private var candidates: [CatalogSelection.Candidate] = []

    package init(rules: CatalogRules) { self.rules = rules }

    /// Adds a search path with its content.
    ///
    /// `bundles`: sorted by name.
    package mutating func add(
        path: String, realPath: String, stamp: IndexStamp, finding: PluginFinding?, bundles: [ScannedBundle]
    ) {
        let number = folders.count
        folders.append(
            CatalogIndex.Folder(
                path: path, realPath: realPath, stamp: stamp,
                candidates: candidates.count..<candidates.count + bundles.count, finding: finding))
        candidates.reserveCapacity(candidates.count + bundles.count)
        for bundle in bundles {
            candidates.append(CatalogSelection.Candidate(bundle: bundle, folder: number, realPath: realPath))
        }
    }

    /// The index of everything that was added.
    package consuming func index() -> CatalogIndex {
        let selection = CatalogSelection(candidates, problems: folders.compactMap(\.finding), rules: rules)
        let plugins = selection.loadOrder.sorted {
            candidates[$0].bundle.record.identifier.precedesInBytes(candidates[$1].bundle.record.identifier)
        }
        let extensionRows = extensionRows(plugins)
        let extensionCount = extensionRows.reduce(0) { $0 + $1.1.count }
        let openingRows = openingRows(plugins)
        let sizes = IndexHeader(
            candidateCount: candidates.count, pluginCount: plugins.count, extensionCount: extensionCount,
            openingCount: openingRows.count, foldersOffset: 0)

        // The parts of known size come before the texts to which they point. Space is left for them, and filled in
        // later.
        var parts = RecordWriter()
        parts.reserve(sizes.textsOffset)
        var texts = RecordWriter()
        texts.reserve(candidates.reduce(sizes.textsOffset + 4096) { $0 + $1.bundle.bytes.count + 64 })
        texts.bytes += repeatElement(0, count: sizes.textsOffset)
        func put(_ body: (inout RecordWriter) -> Void) -> IndexPlace {
            let start = texts.bytes.count
            body(&texts)
            return IndexPlace(offset: start, length: texts.bytes.count - start)
        }
        func put(text: String) -> IndexPlace { put { writer in writer.putWithoutLength(text) } }

        var readings: [Int: Int64] = Dictionary(minimumCapacity: candidates.count)
        for number in candidates.indices {
            let bundle = candidates[number].bundle
            let findings = selection.findings[number]
            let record = put { writer in bundle.bytes.withUnsafeBytes { writer.append($0) } }
            let row = CandidateRow(
                stamp: bundle.stamp, folder: candidates[number].folder,
                hasUsualList: bundle.record.listPath == PluginRecord.usualListPath,
                declaresTypes: !bundle.record.typeDeclarations.isEmpty, verdict: selection.verdicts[number],
                other: selection.others[number], name: put(text: bundle.name),
                identifier: PluginRecord.placeOfIdentifier(bundle.record.identifier, inRecordAt: record),
                record: record,
                findings: findings.isEmpty ? .none : put { $0.put(findings) { $1.write(to: &$0) } })
            row.write(to: &parts)
            readings[row.name.offset] = bundle.nanoseconds
        }
        for number in plugins + selection.loadOrder { parts.put(UInt32(number)) }
        for (point, extensionRows) in extensionRows {
            let point = put(text: point)
            for row in extensionRows {
                let declaration = candidates[row.candidate].bundle.record.extensions[row.index]
                ExtensionRow(
                    point: point, name: put(text: declaration.name), version: declaration.version,
                    candidate: row.candidate, index: row.index
                ).write(to: &parts)
            }
        }
        for row in openingRows { row.write(to: &parts) }
        let foldersOffset = texts.bytes.count
        texts.put(rules.description)
        texts.put(folders) { $1.write(to: &$0) }
        let numbers =
            selection.replacing.isEmpty
            ? [:] : Dictionary(plugins.map { (candidates[$0].bundle.record.identifier, $0) }, uniquingKeysWith: { $1 })
        let replacing = selection.replacing.sorted { $0.key < $1.key }.compactMap { old, newer in
            numbers[newer.identifier].map { (old, $0) }
        }
        texts.put(replacing) { writer, pair in
            writer.put(pair.0)
            writer.put(UInt32(pair.1))
        }
        let header = IndexHeader(
            candidateCount: candidates.count, pluginCount: plugins.count, extensionCount: extensionCount,
            openingCount: openingRows.count, foldersOffset: foldersOffset)
        header.complete(&texts.bytes, with: parts.bytes)
        do throws(CatalogIndex.Fault) {
            return try CatalogIndex(bytes: texts.bytes, readings: readings, isPassing: isPassing)
        } catch {
            preconditionFailure("the index that was made \(error.reason)")
        }
    }

    private var isPassing: Bool {
        folders.contains { $0.finding?.isPassing ?? false }
            || candidates.contains { $0.bundle.record.findings.contains(where: \.isPassing) }
    }

    /// By hash, then best rank first, then by candidate, so that equal bundles give equal bytes.
    private func openingRows(_ plugins: [Int]) -> [OpeningRow] {
        plugins.flatMap { OpeningRow.rows(of: candidates[$0].bundle.record, candidate: $0) }
            .sorted { ($0.hash, $0.rank, $0.candidate) < ($1.hash, $1.rank, $1.candidate) }
    }

    private struct PlacedExtension {
        var order: Int
        var candidate: Int
        var index: Int
    }

    /// By point; at each point, lower orders first, then earlier search paths, names and extensions.
    private func extensionRows(_ plugins: [Int]) -> [(point: String, [PlacedExtension])] {
        var byPoint: [String: [PlacedExtension]] = [:]
        for candidate in plugins {
            for (index, declaration) in candidates[candidate].bundle.record.extensions.enumerated() {
                guard let point = declaration.extensionPoint else { continue }
                byPoint[point, default: []].append(
                    PlacedExtension(order: declaration.order, candidate: candidate, index: index))
            }
        }
        return byPoint.sorted { $0.key.precedesInBytes($1.key) }.map { point, extensionRows in
            (point, extensionRows.sorted { ($0.order, $0.candidate, $0.index) < ($1.order, $1.candidate, $1.index) })
        }
    }
}
