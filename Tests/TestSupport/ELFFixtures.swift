import Foundation
import Testing

/// Shared objects and programs for the tests, built from a few lines of source at their first use, in a directory that is
/// removed at the end.
package enum ELFFixtures {
    package struct BuildFailure: Error, CustomStringConvertible {
        package let description: String
        package init(description: String) { self.description = description }
    }

    package static let directory: String = {
        let path = NSTemporaryDirectory() + "/pluginhost-images-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: ELFFixtures.directory) }
        // The dynamic linker and /proc return paths without links and doubled slashes.
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }()

    /// The results of all builds, by file name.
    ///
    /// The lock is held during a build, because two tests may need the same file.
    private static let built = FixtureLock<[String: FixtureLock<Result<String, BuildFailure>?>]>([:])

    // MARK: - Sources

    package static let entry = """
        #include "plugin_abi.h"
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) { (void)host; return PLUGIN_OK; }
        """
    package static let entryWithNote = entry + "\nPLUGIN_DECLARE_NOTE;\n"
    package static let swiftEntry =
        "@c(plugin_entry) public func pluginEntry(_ host: UnsafeRawPointer) -> Int32 { 0 }\n"

    /// A plug-in without any fault.
    package static func sound() throws -> String { try c("sound.so", entryWithNote) }

    // MARK: - Building

    /// Compiles and links C.
    package static func c(_ name: String, _ source: String, _ flags: [String] = ["-shared"]) throws -> String {
        try build(name, source, extension: "c") { file, output in
            [try tool("clang"), "-fPIC", "-O1", "-I", headers, "-o", output, file] + flags
        }
    }

    /// Compiles C++ without linking its library.
    package static func cxx(_ name: String, _ source: String, _ flags: [String] = ["-shared"]) throws -> String {
        try build(name, source, extension: "cpp") { file, output in
            [try tool("clang"), "-fPIC", "-O1", "-I", headers, "-o", output, file] + flags
        }
    }

    /// Compiles and links Swift.
    package static func swift(
        _ name: String, module: String, _ source: String, _ flags: [String] = ["-emit-library"]
    ) throws -> String {
        try build(name, source, extension: "swift") { file, output in
            [try tool("swiftc"), "-module-name", module, "-parse-as-library", "-o", output, file] + flags
        }
    }

    /// A file with the bytes given.
    package static func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let path = directory + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func build(
        _ name: String, _ source: String, extension suffix: String, _ command: (String, String) throws -> [String]
    ) throws -> String {
        let entry = built.withLock { built in
            if let known = built[name] { return known }
            let new = FixtureLock<Result<String, BuildFailure>?>(nil)
            built[name] = new
            return new
        }
        // Held while the compiler runs: two tests that need one file build it once, and others build theirs meanwhile.
        return try entry.withLock { built in
            if let built { return try built.get() }
            let output = directory + "/" + name
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: output).deletingLastPathComponent(), withIntermediateDirectories: true)
            let file = output + "." + suffix
            try source.write(toFile: file, atomically: true, encoding: .utf8)
            let said = try run(try command(file, output))
            let result: Result<String, BuildFailure> =
                said == nil ? .success(output) : .failure(BuildFailure(description: "\(name): \(said!)"))
            built = result
            return try result.get()
        }
    }

    /// - Returns: the tool's output if it failed.
    private static func run(_ command: [String]) throws -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let said = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : String(decoding: said, as: UTF8.self)
    }

    /// A tool of the Swift toolchain, or of the system.
    private static func tool(_ name: String) throws -> String {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map(
            String.init)
        let toolchain = directories.first { FileManager.default.isExecutableFile(atPath: $0 + "/swiftc") }
        for directory in [toolchain].compactMap({ $0 }) + directories {
            let path = directory + "/" + name
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw BuildFailure(description: "there is no \(name) in PATH")
    }

    /// The C header, for a Swift plug-in that imports no module of the library.
    package static var abiHeader: String { headers + "/plugin_abi.h" }

    private static let headers = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Sources/CPluginSupport/include").standardizedFileURL.path
}

/// The bytes of an ELF file, to change fields of.
package struct ELFBytes {
    package var bytes: [UInt8]

    package init(_ path: String) throws { bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    package subscript<Value: FixedWidthInteger>(offset: Int, as type: Value.Type) -> Value {
        get { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) } }
        set { bytes.withUnsafeMutableBytes { $0.storeBytes(of: newValue, toByteOffset: offset, as: type) } }
    }

    // Offsets in the file header.
    package static let type = 16
    package static let machine = 18
    package static let programHeaders = 32
    package static let programHeaderSize = 54
    package static let programHeaderCount = 56

    // Offsets in a program header.
    package static let flags = 4
    package static let fileOffset = 8
    package static let address = 16
    package static let fileSize = 32
    package static let memorySize = 40
    package static let alignment = 48

    /// Where the n-th program header of a type is.
    package func segment(_ type: UInt32, _ number: Int = 0) throws -> Int {
        let start = Int(self[Self.programHeaders, as: UInt64.self])
        let all = (0..<Int(self[Self.programHeaderCount, as: UInt16.self])).map { start + $0 * 56 }
        let found = all.filter { self[$0, as: UInt32.self] == type }
        return try #require(found.count > number ? found[number] : nil)
    }

    /// Where the value of an entry of PT_DYNAMIC is.
    package func dynamicValue(_ tag: UInt64) throws -> Int {
        let segment = try segment(2)
        var offset = Int(self[segment + Self.fileOffset, as: UInt64.self])
        while self[offset, as: UInt64.self] != 0 {
            if self[offset, as: UInt64.self] == tag { return offset + 8 }
            offset += 16
        }
        throw ELFFixtures.BuildFailure(description: "there is no dynamic entry \(tag)")
    }

    /// Where a run of bytes begins.
    package func firstIndex(of text: String) throws -> Int {
        let wanted = Array(text.utf8)
        return try #require(
            (0...(bytes.count - wanted.count)).first {
                bytes[$0] == wanted[0] && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
            })
    }

    /// Replaces each occurrence by another text of the same length.
    package mutating func replace(_ text: String, by other: String) throws {
        precondition(text.utf8.count == other.utf8.count)
        let wanted = Array(text.utf8)
        var count = 0
        for start in 0...(bytes.count - wanted.count)
        where bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
            bytes.replaceSubrange(start..<(start + wanted.count), with: other.utf8)
            count += 1
        }
        try #require(count > 0)
    }

    package func save(_ name: String) throws -> String { try ELFFixtures.file(name, bytes) }
}

/// A value behind a POSIX mutex.
///
/// The thread sanitiser knows that mutex, but not the inside of the standard library's.
package final class FixtureLock<Value>: @unchecked Sendable {
    // @unchecked because of the value, which is used only under the lock.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
