package import BundleReading

extension Manifest.DocumentType {
    /// The minimum size in bytes: no name, three empty lists, role, rank and no icon.
    package static let smallest = 1 + 3 * 4 + 2 + 1

    package func write(to writer: inout RecordWriter) {
        writer.put(name)
        for texts in [extensions, mimeTypes, contentTypes] { writer.put(texts) { $0.put($1) } }
        writer.put(UInt8(Role.allCases.firstIndex(of: role) ?? 0))
        writer.put(UInt8(rank.position))
        writer.put(iconFile)
    }

    package init(from reader: inout RecordReader) {
        let name = reader.optionalText()
        let lists = (0..<3).map { _ in reader.list(4) { $0.text() } }
        // A damaged index may contain other numbers.
        func value<Value: CaseIterable>(_ number: UInt8, of type: Value.Type) -> Value?
        where Value.AllCases == [Value] {
            Int(number) < type.allCases.count ? type.allCases[Int(number)] : nil
        }
        let role = value(reader.number(), of: Role.self) ?? Role.none
        let rank = value(reader.number(), of: Rank.self) ?? Rank.none
        self.init(
            name: name, extensions: lists[0], mimeTypes: lists[1], contentTypes: lists[2], role: role, rank: rank,
            iconFile: reader.optionalText())
    }
}

extension Manifest.TypeDeclaration {
    /// The minimum size in bytes: a text, three empty lists and a flag.
    package static let smallest = 4 + 3 * 4 + 1

    package func write(to writer: inout RecordWriter) {
        writer.put(identifier)
        for texts in [conformsTo, extensions, mimeTypes] { writer.put(texts) { $0.put($1) } }
        writer.put(isExported ? UInt8(1) : 0)
    }

    package init(from reader: inout RecordReader) {
        let identifier = reader.text()
        let lists = (0..<3).map { _ in reader.list(4) { $0.text() } }
        self.init(
            identifier: identifier, conformsTo: lists[0], extensions: lists[1], mimeTypes: lists[2],
            isExported: reader.number(UInt8.self) != 0)
    }
}
