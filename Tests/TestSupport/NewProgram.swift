import Foundation
import Testing

/// Copies a program that a test is about to start.
///
/// Why by another process: a file that this one writes may also be open in a process that another test starts at that
/// moment, and cannot be started (`ETXTBSY`) as long as it is.
package func copyProgram(_ source: String, to path: String) throws {
    let copy = try Process.run(URL(filePath: "/bin/cp"), arguments: ["-p", source, path])
    copy.waitUntilExit()
    try #require(copy.terminationStatus == 0)
}
