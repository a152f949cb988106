/// What a worker process may use: requested in `PHLimits`, reduced by ``IsolationPolicy/limits``.
///
/// Sizes are in MiB. A worker that exceeds a limit gets an error from the system, or ends with a `WorkerEnd` of cause
/// `limit`.
///
/// Programs that a sandboxed plug-in starts share ``memory``, ``threads``, ``output`` and ``state`` with it. Programs
/// of an isolated plug-in share ``output`` and ``state``, and also ``memory`` if a control group was delegated to the
/// application. The kernel applies its other limits, including the one on private memory, to each program separately.
public struct WorkerLimits: Sendable, Hashable {
    /// Private and shared memory together: 512.
    public var memory = 512
    /// The address space: 4,096.
    public var addressSpace = 4_096
    /// The time that its threads may run on processors, in seconds; nil, the default, for no limit.
    public var processorSeconds: Int?
    /// Open files and other descriptors: 256.
    public var openFiles = 256
    /// The size of each file that it writes: 64.
    public var fileSize = 64
    /// Threads, including at most ten that take calls and messages; nil, the default, if only the address space limits them.
    ///
    /// The host counts them at least four times a second, and together with those of started programs twice a second.
    public var threads: Int?
    /// The size of the values of one call, and of the values of its answer: 256.
    public var message = 256
    /// What it may print per second; a worker that prints more waits for the next second: 1.
    public var output = 1
    /// All files in its own directory, `$STATE`: 64.
    public var state = 64

    /// The limits that apply unless the bundle or the application changes them.
    public init() {}

    /// The limits with the smaller value of each.
    ///
    /// - Parameter most: the limits that none may exceed.
    /// - Returns: limits of which none is larger than in either.
    public func limited(to most: WorkerLimits) -> WorkerLimits {
        var limits = self
        for name in Name.allCases {
            guard let other = most[name] else { continue }
            limits[name] = min(limits[name] ?? other, other)
        }
        return limits
    }

    /// The limits, as `PHLimits` spells them.
    @_spi(Tools) public enum Name: String, CaseIterable {
        case memory, addressSpace, processorSeconds, openFiles, fileSize, threads, message, output, state
    }

    /// The maximum number of threads of a sandboxed worker and of the programs that it starts, together.
    package static let mostProcesses = 512

    /// The largest value, which is no limit in practice.
    package static let largest = Int(Int32.max)

    /// The bytes of a limit in MiB, at most what an `Int` holds.
    package static func bytes(_ mebibytes: Int) -> Int {
        let (bytes, overflow) = mebibytes.multipliedReportingOverflow(by: 1 << 20)
        return overflow ? .max : bytes
    }

    /// A limit by its name; nil for no limit, which only ``processorSeconds`` and ``threads`` can be.
    @_spi(Tools) public subscript(name: Name) -> Int? {
        get {
            switch name {
            case .memory: memory
            case .addressSpace: addressSpace
            case .processorSeconds: processorSeconds
            case .openFiles: openFiles
            case .fileSize: fileSize
            case .threads: threads
            case .message: message
            case .output: output
            case .state: state
            }
        }
        set {
            switch (name, newValue) {
            case (.processorSeconds, _): processorSeconds = newValue
            case (.threads, _): threads = newValue
            case (.memory, let value?): memory = value
            case (.addressSpace, let value?): addressSpace = value
            case (.openFiles, let value?): openFiles = value
            case (.fileSize, let value?): fileSize = value
            case (.message, let value?): message = value
            case (.output, let value?): output = value
            case (.state, let value?): state = value
            case (_, nil): break
            }
        }
    }
}
