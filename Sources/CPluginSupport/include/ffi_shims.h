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

// The machine types in a signature. PHS_FFI_STRUCT is followed by the number of its fields (at least 1) and their
// types.
typedef enum phs_ffi_type {
    PHS_FFI_VOID, PHS_FFI_BOOL,
    PHS_FFI_INT8, PHS_FFI_INT16, PHS_FFI_INT32, PHS_FFI_INT64,
    PHS_FFI_UINT8, PHS_FFI_UINT16, PHS_FFI_UINT32, PHS_FFI_UINT64,
    PHS_FFI_FLOAT, PHS_FFI_DOUBLE, PHS_FFI_POINTER, PHS_FFI_STRUCT
} phs_ffi_type;

// A prepared signature. Immutable; any number of threads may use it at once.
typedef struct phs_ffi_call phs_ffi_call;

// Prepares a signature: `types` contains the type of the result, followed by those of the arguments; `length` numbers
// in total. With `throws`, the C function returns a plugin_status and writes its result, unless that is void, through
// one more argument. NULL if libffi refuses the signature, if it has more than PHS_FFI_MOST_ARGUMENTS arguments, or if
// memory runs out. Free with phs_ffi_free().
#define PHS_FFI_MOST_ARGUMENTS 32
phs_ffi_call *phs_ffi_prepare(const uint16_t *types, size_t length, bool throws);
void phs_ffi_free(phs_ffi_call *call);

// The size of the arguments in bytes; they are laid out like the members of a C struct.
size_t phs_ffi_arguments_size(const phs_ffi_call *call);
// The number of bytes that a call needs for its result, unless the result itself is larger.
#define PHS_FFI_RESULT 16

// A C function that calls a handler. `result` points to zeroed memory of the result's size (NULL for void), and
// `arguments` to the address of each argument. For a signature that throws, the handler returns the status.
typedef struct phs_ffi_closure phs_ffi_closure;
typedef int32_t (*phs_ffi_handler)(void *context, void *result, void *const *arguments);

// NULL if the system provides no executable memory. The signature must outlive the closure. Free with
// phs_ffi_closure_free().
phs_ffi_closure *phs_ffi_closure_make(const phs_ffi_call *signature, phs_ffi_handler handler, void *context);
void *phs_ffi_closure_code(const phs_ffi_closure *closure);
void phs_ffi_closure_free(phs_ffi_closure *closure);

#ifdef __cplusplus
}
#endif

#endif
