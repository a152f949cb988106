/// Lends memory for the time of a call, zeroed or not, on the stack where it is no more than ``stackBytes``.
///
/// `withUnsafeTemporaryAllocation` takes all above 1 KiB from the heap, where a block of some pages at the heap's end
/// makes malloc() grow and shrink the heap at every call: two system calls, and a page fault for each page.
func withTemporaryBytes<Value, Failure: Error>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    guard count <= stackBytes else { return try withHeapBytes(count, body) }
    var bytes = InlineArray<16384, UInt8>(repeating: 0)
    return try withUnsafeMutableBytes(of: &bytes) { (buffer) throws(Failure) in
        try body(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }
}

/// Less than a thread's smallest stack by far, and enough for an Info.plist or the tables of an ELF file.
let stackBytes = 16384

private func withHeapBytes<Value, Failure: Error>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    let result: Result<Value, Failure> = withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
        do throws(Failure) { return .success(try body(buffer)) } catch { return .failure(error) }
    }
    return try result.get()
}
