/// How much work and memory a reader may still spend on one input.
///
/// A file from a stranger's bundle may be written so that a few bytes of it stand for gigabytes: objects that overlap,
/// one value under thousands of keys, names in names. Every reader counts what it does for such an input in a value of
/// this type, and stops with an error when nothing is left. The limit grows with the input: ``factor`` times its size
/// and ``allowance``. Sound files stay far below it.
///
/// ```swift
/// var budget = ReadingBudget(inputSize: file.count)
/// try budget.spend(bytes: text.count)             // or:
/// guard budget.take(steps: 1) else { return fault(budget.exhausted) }
/// ```
///
/// **Threads.** A value of one reader. **Cost.** A subtraction and a comparison.
public struct ReadingBudget: Sendable {
    /// Steps, and decoded bytes, that each byte of the input allows.
    public static let factor = 16
    /// Steps, and decoded bytes, that any input may take beside that: small files have fixed costs.
    public static let allowance = 1 << 20
    /// A reader lists at most this many findings about one input. One more then states how many others there are.
    public static let mostFindings = 100

    /// What ran out.
    public enum Resource: String, Sendable {
        /// Work in proportion to the bytes or elements that were looked at.
        case steps
        /// Memory for what was decoded.
        case bytes
    }

    /// An input asks for more than its size allows.
    public struct Exhausted: Error, Sendable, Equatable {
        /// What ran out.
        public let resource: Resource
        /// The size of the input in bytes.
        public let inputSize: Int

        /// The cause, as the end of a sentence that begins with the name of the file.
        public var reason: String {
            let limit = ReadingBudget.limit(forInputOf: inputSize)
            return switch resource {
            case .bytes: "stands for more than \(limit) bytes of content, the limit for its \(inputSize) bytes"
            case .steps: "takes more than \(limit) steps to read, the limit for its \(inputSize) bytes"
            }
        }

        /// The cause and the next step, for a fault of a list.
        var sentence: String { "The list \(reason). \(Self.remedy)" }

        /// The next step, as a full sentence.
        public static let remedy = "Write the file anew without parts that are shared, nested or repeated so often."
    }

    /// The size of the input, in bytes.
    public let inputSize: Int
    /// The steps that are left.
    public private(set) var steps: Int
    /// The decoded bytes that are left.
    public private(set) var bytes: Int
    /// What ran out first; nil as long as nothing has.
    public private(set) var lacks: Resource?

    /// The budget of an input.
    public init(inputSize: Int) {
        let limit = Self.limit(forInputOf: inputSize)
        self.inputSize = inputSize
        steps = limit
        bytes = limit
    }

    /// The budget of a list, without the memory for its findings and so many bytes for each byte of the file that the
    /// reader uses while it reads: for the file in another encoding, for the text of a value that is put together.
    init(list size: Int, working bytesOfEach: Int) {
        self.init(inputSize: size)
        bytes -= bytesOfEach * size + 1 << 16
    }

    /// The most steps, and the most decoded bytes, for an input of a size.
    public static func limit(forInputOf size: Int) -> Int {
        let (product, overflows) = max(size, 0).multipliedReportingOverflow(by: factor)
        return overflows || product > Int.max - allowance ? .max : product + allowance
    }

    /// Takes steps; false when they are not left, and for a negative number. Afterwards none are left.
    @inline(__always)
    public mutating func take(steps count: Int) -> Bool {
        if count >= 0, count <= steps {
            steps &-= count
            return true
        }
        lack(.steps)
        return false
    }

    /// Takes decoded bytes; false when they are not left, and for a negative number. Afterwards none are left.
    @inline(__always)
    public mutating func take(bytes count: Int) -> Bool {
        if count >= 0, count <= bytes {
            bytes &-= count
            return true
        }
        lack(.bytes)
        return false
    }

    /// Gives back decoded bytes whose memory was freed.
    @inline(__always)
    public mutating func giveBack(bytes count: Int) {
        bytes &+= count
    }

    /// Takes steps, or throws.
    @inline(__always)
    public mutating func spend(steps count: Int) throws(Exhausted) {
        guard take(steps: count) else { throw exhausted }
    }

    /// Takes decoded bytes, or throws.
    @inline(__always)
    public mutating func spend(bytes count: Int) throws(Exhausted) {
        guard take(bytes: count) else { throw exhausted }
    }

    /// The error for what ran out.
    public var exhausted: Exhausted { Exhausted(resource: lacks ?? .steps, inputSize: inputSize) }

    @inline(never)
    private mutating func lack(_ resource: Resource) {
        if resource == .steps { steps = 0 } else { bytes = 0 }
        lacks = lacks ?? resource
    }
}
