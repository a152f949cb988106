import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The last stage of planning: reports required outlets that are not connected.
struct NibRequiredOutlets {
    let nib: ResolvedNib
    let connected: ConnectedOutlets

    /// Checks every object.
    ///
    /// `owner`: File's Owner of the caller, which has required outlets even if the document does not mention it.
    func check(_ owner: (any NibObject)?) {
        let required = nib.classes.map { $0.table.requiredOutlets }
        if required.contains(where: { !$0.isEmpty }) {
            let identities = required.map { Set($0.map { ObjectIdentifier($0) }) }
            for number in nib.resolved.indices {
                guard case .object(_, let aClass) = nib.resolved[number], !required[aClass].isEmpty else { continue }
                let lacks = required[aClass].count - connected.count(of: number, among: identities[aClass])
                guard lacks > 0 else { continue }
                // Looking for each of them takes time proportional to the number of the class's outlets.
                guard nib.findings.lists(.error) else {
                    nib.findings.addUnlisted(.error, lacks)
                    continue
                }
                check(
                    required[aClass], of: nib.classes[aClass].table, number,
                    at: nib.xml.offset(ofElement: nib.graph.objects[number].element))
            }
        }
        if nib.graph.owner == nil, let owner {
            check(owner.nibTable.requiredOutlets, of: owner.nibTable, nil, at: nil)
        }
    }

    private func check(
        _ required: [NibOutlet], of table: NibClassTable, _ object: Int?, at offset: Int?
    ) {
        for outlet in required {
            if let object, connected.destination(of: ObjectIdentifier(outlet), of: object) != nil { continue }
            nib.findings.add(
                .nibOutletUnconnected, at: offset, subject: outlet.name,
                "The required outlet \(quoted(outlet.name)) of \(quoted(table.name)) is not connected.",
                "Connect it to a \(quoted(outlet.target.name ?? "NibObject")).")
        }
    }
}
