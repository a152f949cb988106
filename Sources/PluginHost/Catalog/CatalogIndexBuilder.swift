/// Makes an index of what a scan found.
struct CatalogIndexBuilder {
    struct Item: Sendable {
        /// In its folder.
        var name: String
        var stamp: IndexStamp
        var record: PluginRecord
        /// How long the reading took; nil for what was known.
        var nanoseconds: Int64?
    }

    let rules: CatalogRules
    private var folders: [CatalogIndex.Folder] = []
    private var items: [Item] = []
    private var candidates: [CatalogSelection.Candidate] = []
    /// All but the header.
    private var writer = RecordWriter()

    init(rules: CatalogRules) { self.rules = rules }

    /// Adds a search path with what stands in it.
    ///
    /// - Parameter items: in the order of their names.
    mutating func add(
        path: String, realPath: String, stamp: IndexStamp, problem: PluginFinding?, items: [Item]
    ) {
        let number = folders.count
        folders.append(
            CatalogIndex.Folder(
                path: path, realPath: realPath, stamp: stamp,
                entries: self.items.count..<self.items.count + items.count, problem: problem))
        self.items += items
        candidates += items.map { item in
            let directory = item.record.linkedPath ?? BundlePath.join(realPath, item.name)
            return CatalogSelection.Candidate(
                folder: number, path: directory,
                listPath: BundlePath.join(directory, item.record.listPath ?? PluginRecord.usualListPath),
                record: item.record)
        }
    }

    /// The index of all that was added.
    consuming func index() -> CatalogIndex {
        let selection = CatalogSelection(candidates, rules: rules)
        let plugins = selection.loadOrder.sorted {
            items[$0].record.identifier.precedesInBytes(items[$1].record.identifier)
        }
        let contributions = contributions(plugins)
        let sizes = IndexHeader(
            entryCount: items.count, pluginCount: plugins.count, contributionCount: contributions.count,
            foldersOffset: 0)

        var texts = RecordWriter()
        func put(_ body: (inout RecordWriter) -> Void) -> IndexPlace {
            let start = texts.bytes.count
            body(&texts)
            return IndexPlace(offset: sizes.textsOffset + start, length: texts.bytes.count - start)
        }
        func put(text: String) -> IndexPlace { put { writer in writer.putWithoutLength(text) } }

        writer.reserve(sizes.textsOffset + 256 * items.count)
        var readings: [Int: Int64] = [:]
        for number in items.indices {
            let item = items[number]
            let findings = selection.findings[number]
            let entry = IndexEntry(
                stamp: item.stamp, folder: candidates[number].folder,
                hasUsualList: item.record.listPath == PluginRecord.usualListPath, verdict: selection.verdicts[number],
                other: selection.others[number], name: put(text: item.name),
                identifier: put(text: item.record.identifier), record: put { item.record.write(to: &$0) },
                findings: findings.isEmpty ? .none : put { $0.put(findings) { $1.write(to: &$0) } })
            entry.write(to: &writer)
            readings[entry.name.offset] = item.nanoseconds
        }
        for number in plugins + selection.loadOrder { writer.put(UInt32(number)) }
        var points: [String: IndexPlace] = [:]
        for contribution in contributions {
            let point = points[contribution.point] ?? put(text: contribution.point)
            points[contribution.point] = point
            IndexContribution(
                point: point, name: put(text: contribution.name), version: contribution.version,
                entry: contribution.entry, factory: contribution.factory
            ).write(to: &writer)
        }
        let foldersOffset = sizes.textsOffset + texts.bytes.count
        texts.put(rules.description)
        texts.put(folders) { $1.write(to: &$0) }
        texts.bytes.withUnsafeBytes { writer.append($0) }
        let header = IndexHeader(
            entryCount: items.count, pluginCount: plugins.count, contributionCount: contributions.count,
            foldersOffset: foldersOffset)
        do throws(CatalogIndex.Damage) {
            return try CatalogIndex(bytes: header.assembled(with: writer.bytes), readings: readings)
        } catch {
            preconditionFailure("the index that was made \(error.reason)")
        }
    }

    private struct Contribution {
        var point: String
        var name: String
        var version: UInt32
        var order: Int
        var entry: Int
        var factory: Int
    }

    /// By point; at each, lower orders first, then earlier search paths, names and factories.
    private func contributions(_ plugins: [Int]) -> [Contribution] {
        var all: [Contribution] = []
        for entry in plugins {
            for (number, factory) in items[entry].record.factories.enumerated() {
                guard let point = factory.extensionPoint else { continue }
                all.append(
                    Contribution(
                        point: point, name: factory.name, version: UInt32(factory.version), order: factory.order,
                        entry: entry, factory: number))
            }
        }
        return all.sorted { a, b in
            if a.point != b.point { return a.point.precedesInBytes(b.point) }
            return (a.order, a.entry, a.factory) < (b.order, b.entry, b.factory)
        }
    }

}
