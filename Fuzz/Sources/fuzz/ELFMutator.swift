/// Damages an ELF file in one or two of its numbers, in a string's end, or by cutting it off where a part ends.
struct ELFMutator {
    let bytes: [UInt8]
    let fields: ELFFields

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        fields = ELFFields(of: bytes)
    }

    /// A mutant, and what was changed.
    func mutant(_ random: inout SeededGenerator) -> (bytes: [UInt8], change: String) {
        var mutant = bytes
        switch random.below(20) {
        case 0:
            let border = random.pick(fields.borders)
            let length = max(0, min(bytes.count, border + random.pick([-8, -1, 0, 1, 8])))
            return (Array(bytes.prefix(length)), "truncation")
        case 1 where !fields.terminators.isEmpty:
            mutant[random.pick(fields.terminators)] = 0x41
            return (mutant, "terminator")
        case 2...5:
            let first = change(&mutant, &random)
            let second = change(&mutant, &random)
            return (mutant, "\(first) & \(second)")
        default:
            let what = change(&mutant, &random)
            return (mutant, what)
        }
    }

    private func change(_ mutant: inout [UInt8], _ random: inout SeededGenerator) -> String {
        let field = random.pick(random.pick(fields.groups))
        let old = ELFFields.number(mutant, field.offset, field.size)
        let new = value(old, field, &random)
        for index in 0..<field.size {
            mutant[field.offset + index] = UInt8(truncatingIfNeeded: new >> UInt64(index * 8))
        }
        return field.kind
    }

    /// A replacement for a number: an edge value, a neighbour, or a number from another place.
    private func value(_ old: UInt64, _ field: ELFField, _ random: inout SeededGenerator) -> UInt64 {
        switch random.below(12) {
        case 0: return 0
        case 1: return old &+ 1
        case 2: return old &- 1
        case 3: return old &+ 8
        case 4: return old &- 8
        case 5: return random.pick(fields.addresses)
        case 6: return random.pick(fields.addresses) &+ UInt64(random.below(64))
        case 7: return UInt64(bytes.count)
        case 8: return .max >> UInt64(random.below(64))
        case 9: return old ^ 1 << UInt64(random.below(field.size * 8))
        case 10: return UInt64(random.below(bytes.count * 2))
        default: return UInt64(random.below(64))
        }
    }
}
