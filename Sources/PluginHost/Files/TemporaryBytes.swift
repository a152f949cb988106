import CPluginSupport.Shims

/// Lends memory for the time of a call, with whatever stands in it, on the stack where it is no more than some pages.
///
/// `withUnsafeTemporaryAllocation` takes all above 1 KiB from the heap, where a block of some pages at the heap's end
/// makes malloc() grow and shrink the heap at every call: two system calls, and a page fault for each page.
func withTemporaryBytes<Value, Failure: Error>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    // Less than a thread's smallest stack by far, and enough for an Info.plist or the tables of an ELF file.
    guard count <= 32768 else { return try withHeapBytes(count, body) }
    var result: Result<Value, Failure>?
    withoutActuallyEscaping({ (bytes: UnsafeMutableRawPointer) in
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: count)
        do throws(Failure) { result = .success(try body(buffer)) } catch { result = .failure(error) }
    }) { (call: @escaping (UnsafeMutableRawPointer) -> Void) in
        var call = call
        phs_with_stack_bytes(
            count,
            { bytes, call in
                call?.assumingMemoryBound(to: ((UnsafeMutableRawPointer) -> Void).self).pointee(bytes!)
            }, &call)
    }
    // The shim calls its function exactly once.
    return try result!.get()
}

private func withHeapBytes<Value, Failure: Error>(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    let result: Result<Value, Failure> = withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
        do throws(Failure) { return .success(try body(buffer)) } catch { return .failure(error) }
    }
    return try result.get()
}
