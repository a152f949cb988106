/// How much work and memory a reader may still spend on one input.
///
/// A file from a stranger's bundle may be written so that a few bytes expand to gigabytes: overlapping objects, one
/// value under thousands of keys, names inside names. Every reader counts its work for such an input in a value of this
/// type, and stops with an error when the budget is used up. The limit grows with the input: ``factor`` times its size
/// plus ``allowance``. Ordinary files stay far below it.
///
/// ```swift
/// var budget = ReadingBudget(inputSize: file.count)
/// try budget.spend(bytes: text.count)             // or:
/// guard budget.take(steps: 1) else { return fault(budget.exhausted) }
/// ```
///
/// **Threads.** A value used by one reader. **Cost.** A subtraction and a comparison.
public struct ReadingBudget: Sendable {
    /// The steps, and the decoded bytes, that each byte of the input allows.
    public static let factor = 16
    /// The steps, and the decoded bytes, that any input may use in addition, because small files have fixed costs.
    public static let allowance = 1 << 20
    /// The maximum number of findings that a reader lists about one input.
    ///
    /// One more finding then states how many others there are.
    public static let mostFindings = 100

    /// The resource that is used up.
    public enum Resource: String, Sendable {
        /// Work in proportion to the examined bytes or elements.
        case steps
        /// Memory for the decoded content.
        case bytes
    }

    /// An input needs more than its size allows.
    public struct Exhausted: Error, Sendable, Equatable {
        /// The resource that is used up.
        public let resource: Resource
        /// The size of the input in bytes.
        public let inputSize: Int

        /// The cause, as the end of a sentence that begins with the name of the file.
        public var reason: String {
            let limit = ReadingBudget.limit(forInputOf: inputSize)
            return switch resource {
            case .bytes: "expands to more than \(limit) bytes of content, the limit for its \(inputSize) bytes"
            case .steps: "takes more than \(limit) steps to read, the limit for its \(inputSize) bytes"
            }
        }

        /// The cause and the next step, for a fault of a list.
        var sentence: String { "The list \(reason). \(Self.remedy)" }

        /// The next step, as a full sentence.
        public static let remedy = "Write the file again without parts that are shared, nested or repeated so often."
    }

    /// The size of the input, in bytes.
    public let inputSize: Int
    /// The steps that are left.
    public private(set) var steps: Int
    /// The decoded bytes that are left.
    public private(set) var bytes: Int
    /// The resource that was used up first; nil as long as none is.
    public private(set) var lacks: Resource?

    /// The budget for an input.
    public init(inputSize: Int) {
        let limit = Self.limit(forInputOf: inputSize)
        self.inputSize = inputSize
        steps = limit
        bytes = limit
    }

    /// The budget for a list, less the memory for its findings and the working memory of the reader.
    ///
    /// `bytesOfEach`: the working memory for each byte of the file. The reader needs it for the file in another
    /// encoding, or for the text of a value under construction.
    init(list size: Int, working bytesOfEach: Int) {
        self.init(inputSize: size)
        bytes -= bytesOfEach * size + 1 << 16
    }

    /// The maximum number of steps, and of decoded bytes, for an input of a given size.
    public static func limit(forInputOf size: Int) -> Int {
        let (product, overflows) = max(size, 0).multipliedReportingOverflow(by: factor)
        return overflows || product > Int.max - allowance ? .max : product + allowance
    }

    /// Takes steps from the budget.
    ///
    /// Returns false if not enough are left, and for a negative number; none are left afterwards.
    @inline(__always)
    public mutating func take(steps count: Int) -> Bool {
        if count >= 0, count <= steps {
            steps &-= count
            return true
        }
        lack(.steps)
        return false
    }

    /// Takes decoded bytes from the budget.
    ///
    /// Returns false if not enough are left, and for a negative number; none are left afterwards.
    @inline(__always)
    public mutating func take(bytes count: Int) -> Bool {
        if count >= 0, count <= bytes {
            bytes &-= count
            return true
        }
        lack(.bytes)
        return false
    }

    /// Returns decoded bytes whose memory was freed.
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

    /// The error for the used-up resource.
    public var exhausted: Exhausted { Exhausted(resource: lacks ?? .steps, inputSize: inputSize) }

    @inline(never)
    private mutating func lack(_ resource: Resource) {
        if resource == .steps { steps = 0 } else { bytes = 0 }
        lacks = lacks ?? resource
    }
}
