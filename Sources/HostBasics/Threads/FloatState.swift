internal import CPluginSupport.Shims

/// How a thread calculates with floating-point numbers: rounding, very small numbers, and exceptions.
///
/// The host reads it before and after each call into a plug-in that starts or stops the plug-in, because code often changes
/// it by mistake: the option -ffast-math links a constructor that does. Nobody sees such a change, and it makes the
/// calculations of innocent code wrong.
///
/// The flags of past exceptions are not part of it.
public struct FloatState: Sendable, Hashable {
    fileprivate let bits: UInt64

    /// The state of the calling thread.
    ///
    /// **Cost.** 12 ns for two readings.
    public static var current: FloatState { FloatState(bits: phs_float_state()) }

    /// Gives this state to the calling thread again, if a plug-in has changed it.
    ///
    /// - Returns: the change that was undone; nil if there was none.
    package func restore(after step: FloatChange.Step) -> FloatChange? {
        let now = phs_float_state()
        return now == bits ? nil : undo(now, step)
    }

    @inline(never)
    private func undo(_ now: UInt64, _ step: FloatChange.Step) -> FloatChange {
        phs_set_float_state(bits)
        return FloatChange(step: step, words: FloatState(bits: now).differences(from: self))
    }

    /// The differences from an earlier state, in words, such as “results round upward instead of to nearest”.
    public func differences(from old: FloatState) -> [String] {
        var words: [String] = []
        for part in Self.parts {
            for word in part.differences(from: old.bits, to: bits) where !words.contains(word) { words.append(word) }
        }
        return words
    }

    // MARK: The bits

    /// The bits of one register.
    private struct Part {
        /// Where the directions of rounding are, two bits.
        var rounding: UInt64
        /// The directions in the order of their numbers.
        var directions: [String]
        /// Single bits, with words for set and not set.
        var switches: [(bit: UInt64, set: String, clear: String)]
        /// Where the precision of the x87 registers is, two bits; nil for a register without one.
        var precision: UInt64?

        func differences(from old: UInt64, to new: UInt64) -> [String] {
            var words: [String] = []
            for (bit, set, clear) in switches where (old ^ new) >> bit & 1 != 0 {
                words.append(new >> bit & 1 != 0 ? set : clear)
            }
            let (before, after) = (old >> rounding & 3, new >> rounding & 3)
            if before != after {
                words.append("results round \(directions[Int(after)]) instead of \(directions[Int(before)])")
            }
            if let precision, (old ^ new) >> precision & 3 != 0 {
                let names = ["24", "an unknown number of", "53", "64"]
                words.append(
                    "long double has \(names[Int(new >> precision & 3)]) bits of precision instead of "
                        + names[Int(old >> precision & 3)])
            }
            return words
        }
    }

    private static func exceptions(_ names: [(bit: UInt64, name: String)], raisedIf isSet: Bool) -> [(
        bit: UInt64, set: String, clear: String
    )] {
        names.map { bit, name in
            let (raises, ignores) = ("\(name) raises SIGFPE", "\(name) does not raise SIGFPE")
            return isSet ? (bit, raises, ignores) : (bit, ignores, raises)
        }
    }

    private static let smallResults = "results that are too small for full precision become zero (flush to zero)"
    private static let keptResults = "results that are too small for full precision are kept (no flush to zero)"

    #if arch(arm64)
    private static let parts = [
        Part(
            rounding: 22, directions: ["to nearest", "upward", "downward", "toward zero"],
            switches: [
                (24, smallResults, keptResults),
                (19, "small half-precision numbers become zero", "small half-precision numbers are kept"),
                (25, "every NaN becomes the default NaN", "NaNs keep their contents"),
                (26, "half precision has no infinity", "half precision has an infinity"),
                (0, "small operands count as zero", "small operands keep their value"),
                (1, "alternate handling of small numbers is on", "alternate handling of small numbers is off"),
                (2, "vector operations keep other elements", "vector operations clear other elements"),
            ]
                + exceptions(
                    [
                        (8, "an invalid operation"), (9, "a division by zero"), (10, "an overflow"),
                        (11, "an underflow"), (12, "an inexact result"), (15, "a small operand"),
                    ], raisedIf: true))
    ]
    #else
    private static let directions = ["to nearest", "downward", "upward", "toward zero"]
    private static func exceptions(from first: UInt64) -> [(bit: UInt64, set: String, clear: String)] {
        exceptions(
            [
                (first, "an invalid operation"), (first + 1, "a small operand"), (first + 2, "a division by zero"),
                (first + 3, "an overflow"), (first + 4, "an underflow"), (first + 5, "an inexact result"),
            ], raisedIf: false)
    }
    private static let parts = [
        // MXCSR
        Part(
            rounding: 13, directions: directions,
            switches: [
                (15, smallResults, keptResults),
                (
                    6, "operands that are too small for full precision count as zero (denormals are zero)",
                    "operands that are too small for full precision keep their value"
                ),
            ] + exceptions(from: 7)),
        // The control word of the x87, which long double uses.
        Part(rounding: 42, directions: directions, switches: exceptions(from: 32), precision: 40),
    ]
    #endif
}
