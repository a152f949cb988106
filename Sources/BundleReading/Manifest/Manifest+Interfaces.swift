package import InterfaceRecords
internal import PropertyLists

extension Manifest {
    /// `PHInterfaces`: the interfaces of other modules that the code was compiled against.
    package struct CompiledInterfaces: Sendable {
        /// The build-id of the executable that was packed: of another executable, the rest says nothing.
        package var code: String
        package var record: InterfaceRecord
    }

    /// What the packer wrote about the interfaces of the application.
    ///
    /// Why it is no property: nobody but a load and a check needs it, and it may have some thousand texts.
    ///
    /// - Returns: nil if the list does not have it.
    /// - Throws: the reason why it cannot be used. It then has no effect.
    ///
    /// **Cost.** Reads this value of the list.
    package func compiledInterfaces() throws(InterfaceRecord.Fault) -> CompiledInterfaces? {
        guard hasInterfaces, let list = list.interfaces else { return nil }
        let record = try InterfaceRecord(list)
        guard let code = list[Self.codeKey]?.string, !code.isEmpty else {
            throw .damaged("The key \(Self.codeKey) is missing.")
        }
        return CompiledInterfaces(code: code, record: record)
    }

    /// The key of the build-id in `PHInterfaces`.
    @_spi(Tools) public static let codeKey = "Code"
}
