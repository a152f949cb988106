internal import CPluginSupport.Shims
internal import CSandbox
import Glibc
import HostBasics

/// The variables of the environment that concern workers.
enum WorkerEnvironment {
    /// The variables that a worker gets: languages, time zone, where libraries are, and those that were granted.
    ///
    /// - Parameters:
    ///   - granted: the names of the granted variables.
    ///   - libraries: the directories in which the worker program finds its libraries.
    /// - Returns: the variables, as in `LANG=C`.
    static func variables(granted: Set<String>, libraries: [String]) -> [String] {
        // After a crash, Swift's runtime would start another program to print the stack. That can take half a minute,
        // during which the process does not end and its callers wait.
        var variables = ["\(PHS_WORKER_VARIABLE)=1", "SWIFT_BACKTRACE=enable=no"]
        for (name, value) in host where isForEveryWorker(name) || granted.contains(name) {
            variables.append("\(name)=\(value)")
        }
        if !libraries.isEmpty { variables.append("LD_LIBRARY_PATH=" + libraries.joined(separator: ":")) }
        return variables
    }

    /// The directories that the dynamic linker searches first in this process: those in `LD_LIBRARY_PATH` that exist,
    /// with links resolved.
    ///
    /// An element with a `$` is left to the dynamic linker.
    static var libraryDirectories: [String] {
        guard let list = value("LD_LIBRARY_PATH"), !list.isEmpty else { return [] }
        var seen: Set<String> = []
        return list.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }.compactMap { element in
            if element.contains("$") { return String(element) }
            // An empty element means the current directory. A worker may have another one.
            return Path.resolved(element.isEmpty ? "." : String(element))
        }.filter { seen.insert($0).inserted }
    }

    /// Whether `PLUGINHOST_WORKER_DEBUG` asks each worker to wait for a debugger.
    ///
    /// While it waits, no time limit runs.
    static var waitsForDebugger: Bool { value("PLUGINHOST_WORKER_DEBUG") == "wait" }

    private static func isForEveryWorker(_ name: String) -> Bool {
        ["LANG", "LANGUAGE", "TZ"].contains(name) || name.hasPrefix("LC_")
    }

    private static func value(_ name: String) -> String? { UserDirectories.process.variable(name) }

    /// The variables of this process; none in a program with elevated privileges.
    private static var host: [(name: String, value: String)] {
        guard phs_secure_getenv("PATH") != nil || getenv("PATH") == nil else { return [] }
        var place = environ
        var variables: [(name: String, value: String)] = []
        while let text = place.pointee {
            defer { place += 1 }
            guard let text = String(validatingCString: text), let sign = text.firstIndex(of: "=") else { continue }
            variables.append((String(text[..<sign]), String(text[text.index(after: sign)...])))
        }
        return variables
    }
}
