public import PluginABI

extension CRemoteTable {
    /// The functions of `demo_checksum.h`, so that checksums of plug-ins in C can be computed in another process.
    ///
    /// The name and the version are those of that header. They are repeated here, so that a plug-in in Swift needs no module
    /// of C.
    public static let checksum = CRemoteTable(
        "org.example.checksum", version: 1,
        [
            "title": "bytes", "digest_length": "uint64", "update": "(object, bytes) -> void",
            "finish": "(object, out digest_length) -> void",
        ])
}
