import CPluginSupport.Shims
import Testing

/// Functions and closures that are called through libffi, which widens narrow integers.
@Suite struct ForeignCallTests {
    @Test func everyNarrowIntegerTypeComesBackWithItsSign() throws {
        let negate: @convention(c) (Int8) -> Int8 = { -$0 }
        #expect(try call(negate, PHS_FFI_INT8, PHS_FFI_INT8, Int8(5), Int8.self) == -5)
        let halve: @convention(c) (Int16) -> Int16 = { $0 / 2 }
        #expect(try call(halve, PHS_FFI_INT16, PHS_FFI_INT16, Int16(-300), Int16.self) == -150)
        let last: @convention(c) (UInt8) -> UInt8 = { 255 &- $0 }
        #expect(try call(last, PHS_FFI_UINT8, PHS_FFI_UINT8, UInt8(1), UInt8.self) == 254)
        let wide: @convention(c) (UInt32) -> UInt64 = { UInt64($0) << 32 }
        #expect(try call(wide, PHS_FFI_UINT64, PHS_FFI_UINT32, UInt32.max, UInt64.self) == 0xFFFF_FFFF_0000_0000)
        let half: @convention(c) (Float) -> Double = { Double($0) / 2 }
        #expect(try call(half, PHS_FFI_DOUBLE, PHS_FFI_FLOAT, Float(3), Double.self) == 1.5)
    }

    @Test func aFrameHasTheResultAndThenEachArgumentOnEightBytes() throws {
        let types = [PHS_FFI_STRUCT.rawValue, 3] + Array(repeating: PHS_FFI_INT64.rawValue, count: 3)
        let numbers = (types + [PHS_FFI_INT8.rawValue, PHS_FFI_DOUBLE.rawValue]).map(UInt16.init)
        let prepared = try #require(phs_ffi_prepare(numbers, numbers.count, false))
        defer { phs_ffi_free(prepared) }
        #expect(phs_ffi_frame_size(prepared) == 24 + 8 + 8)
    }

    @Test func aClosureIsACFunctionThatCallsItsHandler() throws {
        let types = [PHS_FFI_INT16, PHS_FFI_INT8, PHS_FFI_UINT16].map { UInt16($0.rawValue) }
        let prepared = try #require(phs_ffi_prepare(types, types.count, false))
        defer { phs_ffi_free(prepared) }
        var calls: Int32 = 0
        let closure = try #require(
            phs_ffi_closure_make(
                prepared,
                { context, result, arguments in
                    context!.assumingMemoryBound(to: Int32.self).pointee += 1
                    let sum = Int16(arguments![0]!.load(as: Int8.self)) - Int16(arguments![1]!.load(as: UInt16.self))
                    result!.storeBytes(of: sum, as: Int16.self)
                    return 0
                }, &calls))
        defer { phs_ffi_closure_free(closure) }
        let code = unsafeBitCast(phs_ffi_closure_code(closure), to: (@convention(c) (Int8, UInt16) -> Int16).self)
        #expect(code(-3, 300) == -303)
        #expect(calls == 1)
    }

    private func call<F, Argument: BitwiseCopyable, Result: BitwiseCopyable>(
        _ function: F, _ result: phs_ffi_type, _ argument: phs_ffi_type, _ value: Argument, _: Result.Type
    ) throws -> Result {
        let types = [UInt16(result.rawValue), UInt16(argument.rawValue)]
        let prepared = try #require(phs_ffi_prepare(types, 2, false))
        defer { phs_ffi_free(prepared) }
        return withUnsafeTemporaryAllocation(byteCount: phs_ffi_frame_size(prepared), alignment: 16) { frame in
            frame.baseAddress!.storeBytes(of: value, toByteOffset: Int(PHS_FFI_RESULT), as: Argument.self)
            let code = unsafeBitCast(function, to: (@convention(c) () -> Void).self)
            #expect(phs_ffi_invoke(prepared, code, frame.baseAddress) == 0)
            return frame.baseAddress!.load(as: Result.self)
        }
    }
}
