// Calls C functions whose signatures are known only at run time, and makes C functions from closures, with libffi.
// Why: libffi's type objects are mutable globals, which Swift 6 refuses to use, and a cif must not move in memory.
#ifndef PHS_FFI_SHIMS_H
#define PHS_FFI_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The machine's types in a signature. After PHS_FFI_STRUCT come the number of its fields (at least 1) and their types.
typedef enum phs_ffi_type {
    PHS_FFI_VOID, PHS_FFI_BOOL,
    PHS_FFI_INT8, PHS_FFI_INT16, PHS_FFI_INT32, PHS_FFI_INT64,
    PHS_FFI_UINT8, PHS_FFI_UINT16, PHS_FFI_UINT32, PHS_FFI_UINT64,
    PHS_FFI_FLOAT, PHS_FFI_DOUBLE, PHS_FFI_POINTER, PHS_FFI_STRUCT
} phs_ffi_type;

// A prepared signature. Immutable; any number of threads may use it at once.
typedef struct phs_ffi_call phs_ffi_call;

// Prepares a signature: `types` has the result's type and then those of the arguments, `length` numbers in all. With
// `throws`, the C function returns a plugin_status and writes its result, unless that is void, through one more argument.
// NULL if libffi refuses it or memory runs out. Free with phs_ffi_free().
phs_ffi_call *phs_ffi_prepare(const uint16_t *types, size_t length, bool throws);
void phs_ffi_free(phs_ffi_call *call);

// The size of the memory for one call, which is aligned to 16 bytes. The result comes first. It takes PHS_FFI_RESULT
// bytes, or its own size rounded up to 8 if that is more. Then come the arguments, each with its size rounded up to 8.
size_t phs_ffi_frame_size(const phs_ffi_call *call);
#define PHS_FFI_RESULT 16

// Calls code with the arguments in frame, and writes its result there, a bool as 0 or 1. Returns the status of a
// function that throws, otherwise 0. Any thread; each call needs a frame of its own.
// Why: libffi takes an array of addresses, and widens integer results to a register, which this function undoes.
int32_t phs_ffi_invoke(const phs_ffi_call *call, void (*code)(void), void *frame);

// A C function that calls a handler. `result` points to zeroed memory of the result's size (NULL for void), and
// `arguments` to the address of each argument. The handler returns the status for a function that throws.
typedef struct phs_ffi_closure phs_ffi_closure;
typedef int32_t (*phs_ffi_handler)(void *context, void *result, void *const *arguments);

// NULL if the system gives no memory for code. The signature must outlive it. Free with phs_ffi_closure_free().
phs_ffi_closure *phs_ffi_closure_make(const phs_ffi_call *signature, phs_ffi_handler handler, void *context);
void *phs_ffi_closure_code(const phs_ffi_closure *closure);
void phs_ffi_closure_free(phs_ffi_closure *closure);

#ifdef __cplusplus
}
#endif

#endif
