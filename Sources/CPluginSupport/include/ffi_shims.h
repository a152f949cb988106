// Calls a C function whose signature is known only at run time, with libffi.
#ifndef PHS_FFI_SHIMS_H
#define PHS_FFI_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The types in a signature, as the machine sees them.
typedef enum phs_ffi_type {
    PHS_FFI_VOID,
    PHS_FFI_INT8, PHS_FFI_INT16, PHS_FFI_INT32, PHS_FFI_INT64,
    PHS_FFI_UINT8, PHS_FFI_UINT16, PHS_FFI_UINT32, PHS_FFI_UINT64,
    PHS_FFI_FLOAT, PHS_FFI_DOUBLE, PHS_FFI_POINTER
} phs_ffi_type;

// One argument or result, in the member for its type; integers narrower than 64 bits use the 64-bit member of the same
// sign.
typedef union phs_ffi_value {
    int64_t i;
    uint64_t u;
    float f;
    double d;
    void *p;
} phs_ffi_value;

typedef struct phs_ffi_call phs_ffi_call;

// Prepares calls of one signature; NULL if libffi refuses it or memory runs out. Free with phs_ffi_free().
// Why: libffi's type objects are mutable globals, which Swift 6 refuses to touch, and a cif must not move in memory.
phs_ffi_call *phs_ffi_prepare(phs_ffi_type result, const phs_ffi_type *arguments, size_t count);

// Calls code with count arguments. Any thread; a prepared call may be used by several threads at once.
// Why: libffi widens integer results to a register, which is undone here, in one place.
void phs_ffi_invoke(phs_ffi_call *call, void (*code)(void), const phs_ffi_value *arguments, phs_ffi_value *result);

void phs_ffi_free(phs_ffi_call *call);

#endif
