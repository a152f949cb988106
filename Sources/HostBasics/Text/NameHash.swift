extension Sequence<UInt8> {
    /// A hash of the bytes that is the same in every process: FNV-1a with 64 bits.
    ///
    /// It is for names that nobody chooses in order to collide; it protects no secret. Source: Fowler, Noll and Vo,
    /// IETF draft-eastlake-fnv.
    package var nameHash: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
