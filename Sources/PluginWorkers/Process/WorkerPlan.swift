import BundleReading
internal import CSandbox
import Glibc

/// The arguments of phs_worker_start(), as Swift values.
struct WorkerPlan {
    var program: String
    var arguments: [String]
    /// As in `LANG=C`.
    var environment: [String]
    /// The descriptors that become 0 to 3 in the worker.
    var descriptors: [CInt]
    var limits: [phs_limit]
    /// The file of a control group to which the worker adds itself; nil for none.
    var groupProcesses: String?
    /// The descriptor of the ruleset, which is always closed; -1 if the worker's files are not confined.
    var ruleset: CInt
    var user: (user: UInt32, group: UInt32)?
    /// The directories that another user must be able to enter.
    var directories: [String]
    /// Whether it may start processes, which then end with it.
    var hasProcesses: Bool
    var kernel: UnsafePointer<phs_kernel>?

    /// Why a worker that may start processes could not be started here; nil if it could.
    static func obstacleToProcesses(kernel: UnsafePointer<phs_kernel>?) -> WorkerFailure? {
        do throws(WorkerFailure) { try ProcessTree.check() } catch { return error }
        // There is no such program, so the start fails after all other steps and leaves no process.
        let plan = WorkerPlan(
            program: "", arguments: [], environment: [], descriptors: [], limits: [], ruleset: -1, user: nil,
            directories: [], hasProcesses: true, kernel: kernel)
        guard case .failure(let failure) = plan.start(), failure.layer == .processes else { return nil }
        return failure
    }

    /// Starts the process; the calling thread must live as long as the process.
    func start() -> Result<phs_worker, WorkerFailure> {
        let words = CTexts(arguments)
        let variables = CTexts(environment)
        let folders = CTexts(directories)
        return limits.withUnsafeBufferPointer { limits in
            program.withCString { program in
                let group = groupProcesses.map { strdup($0)! }
                defer { free(group) }
                var plan = phs_worker_plan()
                plan.group_processes = UnsafePointer(group)
                plan.program = program
                plan.arguments = UnsafePointer(words.pointer)
                plan.environment = UnsafePointer(variables.pointer)
                withUnsafeMutableBytes(of: &plan.descriptors) { bytes in
                    let places = bytes.bindMemory(to: CInt.self)
                    for index in places.indices { places[index] = index < descriptors.count ? descriptors[index] : -1 }
                }
                plan.limits = limits.baseAddress
                plan.limit_count = limits.count
                plan.ruleset = ruleset
                plan.changes_user = user != nil
                plan.user = user?.user ?? 0
                plan.group = user?.group ?? 0
                plan.directories = UnsafePointer(folders.pointer)
                plan.has_processes = hasProcesses
                plan.kernel = kernel
                var process = phs_worker()
                var failure = phs_failure()
                if phs_worker_start(&plan, &process, &failure) == 0 { return .success(process) }
                var failed = WorkerFailure(failure)
                if failed.step == WorkerFailure.enterStep { failed.path = directories[Int(failure.index)] }
                return .failure(failed)
            }
        }
    }
}

/// Texts for a function of C: an array of pointers that ends with NULL.
private final class CTexts {
    private let texts: [UnsafeMutablePointer<CChar>?]
    let pointer: UnsafeMutablePointer<UnsafePointer<CChar>?>

    init(_ texts: [String]) {
        self.texts = texts.map { strdup($0) } + [nil]
        pointer = .allocate(capacity: self.texts.count)
        pointer.initialize(from: self.texts.map { $0.map { UnsafePointer($0) } }, count: self.texts.count)
    }

    deinit {
        texts.forEach { free($0) }
        pointer.deallocate()
    }
}
