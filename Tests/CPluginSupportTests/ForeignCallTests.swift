import CPluginSupport.Shims
import Testing

/// Narrow integers through libffi, which widens them in results.
@Suite struct ForeignCallTests {
    @Test func everyNarrowIntegerTypeComesBackWithItsSign() throws {
        let negate: @convention(c) (Int8) -> Int8 = { -$0 }
        #expect(try call(negate, PHS_FFI_INT8, PHS_FFI_INT8, phs_ffi_value(i: 5)).i == -5)
        let halve: @convention(c) (Int16) -> Int16 = { $0 / 2 }
        #expect(try call(halve, PHS_FFI_INT16, PHS_FFI_INT16, phs_ffi_value(i: -300)).i == -150)
        let last: @convention(c) (UInt8) -> UInt8 = { 255 &- $0 }
        #expect(try call(last, PHS_FFI_UINT8, PHS_FFI_UINT8, phs_ffi_value(u: 1)).u == 254)
        let wide: @convention(c) (UInt32) -> UInt64 = { UInt64($0) << 32 }
        #expect(
            try call(wide, PHS_FFI_UINT64, PHS_FFI_UINT32, phs_ffi_value(u: 0xFFFF_FFFF)).u == 0xFFFF_FFFF_0000_0000)
        let half: @convention(c) (Float) -> Double = { Double($0) / 2 }
        #expect(try call(half, PHS_FFI_DOUBLE, PHS_FFI_FLOAT, phs_ffi_value(f: 3)).d == 1.5)
    }

    private func call<F>(
        _ function: F, _ result: phs_ffi_type, _ argument: phs_ffi_type, _ value: phs_ffi_value
    ) throws -> phs_ffi_value {
        let prepared = try #require(phs_ffi_prepare(result, [argument], 1))
        defer { phs_ffi_free(prepared) }
        var returned = phs_ffi_value()
        let code = unsafeBitCast(function, to: (@convention(c) () -> Void).self)
        phs_ffi_invoke(prepared, code, [value], &returned)
        return returned
    }
}
