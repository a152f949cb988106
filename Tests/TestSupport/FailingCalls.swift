import CPluginSupport.Shims
import Glibc
import Synchronization

/// Makes system calls of the library fail, in a test's own process, because this affects every thread.
package enum FailingCalls {
    private struct Plan {
        var call: String
        var ending: String
        var errno: CInt
        var times: Int
        var action: (@Sendable () -> Void)?
    }

    private static let plans = Mutex<[Plan]>([])

    /// - Parameters:
    ///   - call: “open”, “stat”, “fstat”, “list” or “read”.
    ///   - ending: the end of the file's path.
    ///   - errno: the error.
    ///   - times: how often.
    package static func fail(_ call: String, _ ending: String, _ errno: CInt, times: Int = 1) {
        add(Plan(call: call, ending: ending, errno: errno, times: times))
    }

    /// Does something right before a call, which then succeeds.
    package static func before(_ call: String, _ ending: String, _ action: @escaping @Sendable () -> Void) {
        add(Plan(call: call, ending: ending, errno: 0, times: 1, action: action))
    }

    private static func add(_ plan: Plan) {
        plans.withLock { $0.append(plan) }
        phs_set_fault { call, descriptor, path in
            guard let call else { return 0 }
            return FailingCalls.number(
                of: String(cString: call), path.map { String(cString: $0) } ?? FailingCalls.path(of: descriptor))
        }
    }

    /// Lets every call succeed again.
    package static func stop() {
        phs_set_fault(nil)
        plans.withLock { $0 = [] }
    }

    /// How many failures have not happened yet.
    package static var left: Int { plans.withLock { $0.reduce(0) { $0 + $1.times } } }

    private static func number(of call: String, _ path: String) -> CInt {
        let plan: Plan? = plans.withLock { plans in
            for index in plans.indices
            where plans[index].times > 0 && plans[index].call == call && path.hasSuffix(plans[index].ending) {
                plans[index].times -= 1
                return plans[index]
            }
            return nil
        }
        plan?.action?()
        return plan?.errno ?? 0
    }

    private static func path(of descriptor: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, Int(PATH_MAX))
        return count < 0 ? "" : String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Leaves the process without a free descriptor while body runs.
    package static func withoutDescriptors<Result>(_ body: () throws -> Result) rethrows -> Result {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        // The lowest free number: other threads of the test library may open higher ones.
        var none = rlimit(rlim_cur: 0, rlim_max: before.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
        return try body()
    }
}
