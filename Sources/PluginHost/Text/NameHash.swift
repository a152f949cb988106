extension Sequence<UInt8> {
    /// FNV-1a of 64 bits: the same in every process. For names, of which none is chosen to collide with another; no secret
    /// is kept by it. Source: Fowler, Noll and Vo, IETF draft-eastlake-fnv.
    var nameHash: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
