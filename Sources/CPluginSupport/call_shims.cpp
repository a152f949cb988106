#include "call_shims.h"
#include "ffi_call.h"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <typeinfo>

namespace {

/* The type and text of the current exception; an exception of another language has no type. */
char *description(const char *text) noexcept {
    const std::type_info *type = abi::__cxa_current_exception_type();
    const char *mangled = type ? type->name() : "an exception of another language";
    int status = 0;
    char *plain = type ? abi::__cxa_demangle(mangled, nullptr, nullptr, &status) : nullptr;
    char *result = nullptr;
    const char *name = plain ? plain : mangled;
    int length = text ? asprintf(&result, "%s: %s", name, text) : asprintf(&result, "%s", name);
    if (length < 0) result = nullptr;
    free(plain);
    return result;
}

template <typename Call> plugin_status guarded(char **thrown, Call call) {
    try {
        return call();
    } catch (abi::__forced_unwind &) {
        throw; /* the thread is cancelled or exits; glibc aborts a process that catches this */
    } catch (const std::exception &exception) {
        *thrown = description(exception.what());
    } catch (...) {
        *thrown = description(nullptr);
    }
    return PLUGIN_FAILED;
}

} // namespace

plugin_status phs_call_entry(phs_entry entry, const plugin_host *host, char **thrown) {
    return guarded(thrown, [=] { return entry(host); });
}

plugin_status phs_call_create(const plugin_factory *factory, const plugin_host *host, void **instance, char **thrown) {
    return guarded(thrown, [=] { return factory->create(factory, host, instance); });
}

plugin_status phs_call_activate(const plugin_hooks *hooks, const plugin_host *host, char **thrown) {
    return guarded(thrown, [=] { return hooks->activate(host, hooks->user_data); });
}

phs_outcome phs_call_foreign(const phs_ffi_call *call, plugin_code code, const void *arguments, void *result) {
    phs_outcome outcome = {0, nullptr};
    outcome.status = guarded(&outcome.thrown, [=] { return phs_ffi_invoke(call, code, arguments, result); });
    return outcome;
}
