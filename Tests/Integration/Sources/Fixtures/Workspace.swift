import Foundation
import Glibc

/// Where the tests find the built products, and where they may write.
public enum Workspace {
    /// The root of the project.
    public static let project: URL = {
        var url = URL(filePath: #filePath)
        for _ in 0..<5 { url.deleteLastPathComponent() }
        return url
    }()

    /// The folder with the products: that of the running test executable.
    public static let products: URL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// A folder of this process, removed when it ends.
    public static let temporary: URL = {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "pluginhost-tests-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.removeItem(at: folder)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            fatalError("the tests cannot write to \(folder.path): \(error)")
        }
        atexit { try? FileManager.default.removeItem(at: Workspace.temporary) }
        return folder
    }()

    /// The sample plug-ins as bundles, assembled once as `make demo` does.
    public static let samplePlugins: Result<URL, any Error> = Result {
        let folder = temporary.appending(path: "SamplePlugins")
        let plugins = project.appending(path: "Plugins")
        let sources = try FileManager.default.contentsOfDirectory(atPath: plugins.path)
            // Misbehaving is no example to follow.
            .filter { $0 != "Misbehaving" }
            .filter { FileManager.default.fileExists(atPath: plugins.appending(path: "\($0)/Info.plist").path) }
        try Tool.run(
            products.appending(path: "pluginhost").path,
            [
                "pack", "--products", products.path, "--host", products.appending(path: "demo-host").path, "--output",
                folder.path,
            ] + sources.sorted().map { plugins.appending(path: $0).path })
        return folder
    }
}

/// Runs programs.
public enum Tool {
    /// The results of a program that has ended.
    public struct Output: Sendable {
        /// Its exit status, or the signal that ended it with a minus sign.
        public let status: Int32
        /// Its complete standard output.
        public let standardOutput: String
        /// Its complete standard error.
        public let standardError: String
    }

    /// Why a program could not be run, or failed.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason as a sentence.
        public let description: String

        /// A failure with its reason.
        public init(description: String) { self.description = description }
    }

    /// Runs a program to its end.
    public static func output(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Output {
        // Files and not pipes: a program that prints more than a pipe holds would wait for ever.
        let out = Workspace.temporary.appending(path: "out-\(UUID().uuidString)")
        let err = Workspace.temporary.appending(path: "err-\(UUID().uuidString)")
        for file in [out, err] { try Data().write(to: file) }
        defer { for file in [out, err] { try? FileManager.default.removeItem(at: file) } }
        let process = try started {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardOutput = try FileHandle(forWritingTo: out)
            process.standardError = try FileHandle(forWritingTo: err)
            process.standardInput = FileHandle.nullDevice
            return process
        }
        process.waitUntilExit()
        return Output(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            standardOutput: try String(contentsOf: out, encoding: .utf8),
            standardError: try String(contentsOf: err, encoding: .utf8))
    }

    /// Starts a program that may have been written just now.
    ///
    /// Why it is tried again: a process that another test forks at this moment has the new file open for writing until it
    /// starts its own program. Until then the system refuses to start the file (`ETXTBSY`).
    private static func started(_ make: () throws -> Process) throws -> Process {
        for _ in 0..<200 {
            let process = try make()
            do {
                try process.run()
                return process
            } catch let error as NSError
                where (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ETXTBSY)
            {
                usleep(10_000)
            }
        }
        throw Failure(description: "a new program was open for writing for two seconds")
    }

    /// Runs a program that must succeed.
    @discardableResult
    public static func run(_ program: String, _ arguments: [String]) throws -> String {
        let result = try output(program, arguments)
        guard result.status == 0 else {
            throw Failure(
                description:
                    "\(program) \(arguments.joined(separator: " ")) failed:\n\(result.standardError)\(result.standardOutput)"
            )
        }
        return result.standardOutput
    }

    /// A program of the Swift toolchain, or of the PATH.
    public static func find(_ name: String) throws -> String {
        for folder in ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":") {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        // The toolchain's other programs are in the compiler's directory, wherever that is.
        if name != "swiftc" {
            let beside = URL(filePath: try find("swiftc")).resolvingSymlinksInPath().deletingLastPathComponent()
                .appending(path: name)
            if FileManager.default.isExecutableFile(atPath: beside.path) { return beside.path }
        }
        throw Failure(description: "there is no program \(name) in PATH or beside swiftc")
    }
}
