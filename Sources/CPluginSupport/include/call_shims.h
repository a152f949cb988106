/*
 * Calls into a plug-in from which a C++ exception may escape by mistake. Why: Swift cannot catch an exception, and an
 * uncaught one ends the process with a message that names no plug-in. Every process with Swift already contains the C++
 * runtime, because the Swift runtime needs it.
 */
#ifndef PHS_CALL_SHIMS_H
#define PHS_CALL_SHIMS_H

#include "ffi_shims.h"
#include "plugin_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

typedef plugin_status (*phs_entry)(const plugin_host *host);

/* Each calls the given function. If an exception escapes, *thrown is set to the exception's type and text (to be freed;
 * NULL if memory ran out), and the result is PLUGIN_FAILED. Otherwise *thrown is unchanged. */
plugin_status phs_call_entry(phs_entry entry, const plugin_host *host, char *_Nullable *_Nonnull thrown);
plugin_status phs_call_create(
    const plugin_factory *factory, const plugin_host *host, void *_Nullable *_Nonnull instance,
    char *_Nullable *_Nonnull thrown);
plugin_status phs_call_activate(
    const plugin_hooks *hooks, const plugin_host *host, char *_Nullable *_Nonnull thrown);

/* The status of a function whose signature throws, otherwise 0; and the exception as above. */
typedef struct phs_outcome {
    int32_t status;
    char *_Nullable thrown;
} phs_outcome;
/* Calls code, and writes its result to `result`, a bool as 0 or 1. `arguments` contains the values, laid out like the
 * members of a C struct; `result` is aligned to 8 bytes. Any thread.
 * Why a struct, and hidden: only these calls are frequent. A struct is returned in registers, and calling an exported
 * function takes longer. */
__attribute__((visibility("hidden")))
phs_outcome phs_call_foreign(const phs_ffi_call *call, plugin_code code, const void *arguments, void *result);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif /* PHS_CALL_SHIMS_H */
