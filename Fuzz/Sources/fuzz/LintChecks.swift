import PropertyLists

/// What must hold for every file that is linted.
struct LintChecks {
    private let bytes: UnsafeRawBufferPointer

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    func run() throws(Violation) {}
}
