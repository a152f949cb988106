import Testing
import XCTest

/// The place of an assertion in the author's test.
struct SourcePlace: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
        (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
    }

    /// Makes the running test fail, whichever framework runs it.
    func fail(_ message: String) {
        guard Self.isSwiftTesting else { return XCTFail(message, file: filePath, line: line) }
        Issue.record(
            Comment(rawValue: message),
            sourceLocation: SourceLocation(
                fileID: fileID.description, filePath: filePath.description, line: Int(line), column: Int(column)))
    }

    /// Whether a test of Swift Testing is running.
    ///
    /// Why the arguments count too: a task that a test detaches has no current test. XCTest would drop its failure
    /// silently; Swift Testing reports it. The package manager runs one test program twice, once for each framework,
    /// and names the framework in the arguments.
    private static var isSwiftTesting: Bool { Test.current != nil || isRunOfSwiftTesting }

    private static let isRunOfSwiftTesting = {
        let arguments = CommandLine.arguments
        return zip(arguments, arguments.dropFirst()).contains {
            $0 == "--testing-library" && $1.lowercased() == "swift-testing"
        }
    }()
}
