/*
 * Calls into a plug-in that a C++ exception may leave by mistake. Why: Swift cannot catch an exception, and an uncaught
 * one ends the process with a message that names no plug-in. The C++ runtime is in every process with Swift already,
 * because the Swift runtime needs it.
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

/* Each calls the function. If an exception leaves it, *thrown becomes the exception's type and text (to be freed; NULL if
 * memory ran out), and the result is PLUGIN_FAILED. Otherwise *thrown keeps its value. */
plugin_status phs_call_entry(phs_entry entry, const plugin_host *host, char *_Nullable *_Nonnull thrown);
plugin_status phs_call_create(
    const plugin_factory *factory, const plugin_host *host, void *_Nullable *_Nonnull instance,
    char *_Nullable *_Nonnull thrown);
plugin_status phs_call_activate(
    const plugin_hooks *hooks, const plugin_host *host, char *_Nullable *_Nonnull thrown);
/* Like phs_ffi_invoke(). */
int32_t phs_call_foreign(
    const phs_ffi_call *call, plugin_code code, void *frame, char *_Nullable *_Nonnull thrown);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif /* PHS_CALL_SHIMS_H */
