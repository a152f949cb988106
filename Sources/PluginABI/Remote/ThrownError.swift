/// The form in which an error that ends a request crosses to the other process.
///
/// ``PluginFailure`` and ``RemoteFailure`` cross with all their fields; any other error with its type and text only.
enum ThrownError {
    private static let codes: [RemoteFailure.Code] = [
        .callFailed, .callRefused, .messageTooLarge, .protocolViolation, .interfaceMismatch, .notRemote,
    ]

    /// `number`: the number under which the sender keeps the error, so that the original can be restored; 0 for none.
    static func write(_ error: any Error, number: UInt32, to writer: inout RemoteWriter) throws {
        if let failure = error as? PluginFailure {
            try writer.write(case: 0)
            try writer.write(failure.message)
            try writer.write(failure.remedy)
            try writer.write(failure.code)
            return
        }
        let failure =
            error as? RemoteFailure
            ?? RemoteFailure(.callFailed, "\(name(of: error)): \(text(of: error))", origin: number)
        try writer.write(case: 1)
        try writer.write(failure.code.rawValue)
        try writer.write(failure.message)
        try writer.write(failure.remedy)
        try writer.write(failure.origin)
    }

    /// Reads the error for the caller.
    static func read(from reader: inout RemoteReader) throws -> any Error {
        switch try reader.caseNumber() {
        case 0:
            return PluginFailure(try reader.next(), remedy: try reader.next(), code: try reader.next())
        case 1:
            let code = RemoteFailure.Code(rawValue: try reader.next())
            let failure = RemoteFailure(
                code, try reader.next(), remedy: try reader.next(), origin: try reader.next())
            // Other codes are reserved for the host, such as the end of a worker; no message may use them.
            guard codes.contains(code) else { throw RemoteFailure.violation("An error has the code “\(code)”.") }
            return failure
        case let other: throw RemoteFailure.violation("A message has an error of kind \(other).")
        }
    }

    private static func name(of error: any Error) -> String { String(reflecting: type(of: error)) }

    /// The text of an error, at most 16 KiB.
    static func text(of error: any Error) -> String {
        let text = String(describing: error)
        let limit = 16_384
        guard text.utf8.count > limit else { return text }
        // A character can have any number of bytes, but a scalar has at most four.
        return String(text.unicodeScalars.prefix(limit / 4)) + "…"
    }
}
