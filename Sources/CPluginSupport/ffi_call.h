// A prepared signature, and the call itself. Why a header: a call through libffi takes 20 ns, so the cost of one more
// function call in between would matter.
#ifndef PHS_FFI_CALL_H
#define PHS_FFI_CALL_H

#include "ffi_shims.h"

#include <ffi.h>

struct phs_ffi_call {
    ffi_cif cif;
    uint16_t result; // the first number of the result's type
    bool throws;
    unsigned count;  // of arguments, without the extra one for the result of a function that throws
    size_t result_size;
    size_t arguments_size;
    uint32_t *offsets; // of each argument; this array and those of the cif come after the struct in memory
};

// Whether libffi returns the result as a whole register.
static inline bool phs_ffi_is_narrow(const phs_ffi_call *call) {
    return call->result_size < sizeof(ffi_arg) && call->result != PHS_FFI_STRUCT && call->result != PHS_FFI_FLOAT;
}

// Calls code; see phs_call_foreign(). Why: libffi takes an array of addresses, and widens integer results to a
// register, which this function undoes.
static inline int32_t phs_ffi_invoke(
    const phs_ffi_call *call, void (*code)(void), const void *arguments, void *result) {
    void *pointers[PHS_FFI_MOST_ARGUMENTS + 1];
#pragma clang loop vectorize(disable) unroll(disable)
    for (unsigned i = 0; i < call->count; i++) pointers[i] = (char *)arguments + call->offsets[i];
    int32_t status = 0;
    if (call->throws) {
        ffi_arg returned = 0;
        pointers[call->count] = &result;
        ffi_call((ffi_cif *)&call->cif, code, &returned, pointers);
        status = (int32_t)returned;
    } else {
        ffi_call((ffi_cif *)&call->cif, code, result, pointers);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        size_t size = call->result_size;
        if (phs_ffi_is_narrow(call)) __builtin_memmove(result, (char *)result + sizeof(ffi_arg) - size, size);
#endif
    }
    if (call->result == PHS_FFI_BOOL) *(uint8_t *)result = *(uint8_t *)result != 0;
    return status;
}

#endif
