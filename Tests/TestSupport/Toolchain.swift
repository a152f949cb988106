package import Foundation

/// The compilers that the tests call.
package enum Toolchain {
    /// A tool in the directory of the Swift compiler.
    package static func tool(_ name: String) throws -> URL {
        for folder in ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":") {
            let swift = URL(filePath: "\(folder)/swiftc")
            guard FileManager.default.isExecutableFile(atPath: swift.path) else { continue }
            let beside = swift.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
            if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// Runs a tool or program, and returns its status and what it wrote to both outputs.
    package static func run(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, said: String) {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, said)
    }
}
