extension Sequence<UInt8> {
    /// A hash of the bytes that is the same in every process: FNV-1a with 64 bits.
    ///
    /// It resists no deliberate collisions and protects no secret. Source: Fowler, Noll and Vo, IETF
    /// draft-eastlake-fnv.
    package var nameHash: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
