import Foundation

/// A program that is run to its end.
public enum Child {
    /// Why there are no figures.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason as a sentence.
        public let description: String

        /// A failure with its reason.
        public init(description: String) { self.description = description }
    }

    /// This program, for a round in a process of its own.
    public static let thisProgram = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path

    /// Where strace is, if it is installed.
    public static let strace = ["/usr/bin/strace", "/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// - Returns: what it printed.
    /// - Throws: ``Failure`` if it ended with another status than 0.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program).resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The figures that a round of this program prints, one a line.
    public static func figures(_ arguments: [String], environment: [String: String]) throws -> [Figure] {
        let output = try run(thisProgram, arguments, environment: environment)
        let figures = output.split(separator: "\n").compactMap(Figure.init(line:))
        guard !figures.isEmpty else { throw Failure(description: "a round printed no figures") }
        return figures
    }
}
