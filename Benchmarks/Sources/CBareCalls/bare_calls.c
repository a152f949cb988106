#include "bare_calls.h"

#include <ffi.h>
#include <stdatomic.h>
#include <stddef.h>

static int32_t add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static double scale(double a, double b, double c, double d) { return a * b + c * d; }

bare_code bare_add(void) { return (bare_code)add; }
bare_code bare_scale(void) { return (bare_code)scale; }

int64_t bare_call_add(int32_t count) {
    ffi_cif cif;
    ffi_type *types[] = {&ffi_type_sint32, &ffi_type_sint32};
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 2, &ffi_type_sint32, types) != FFI_OK) return 0;
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t a = i, b = 2;
        void *arguments[] = {&a, &b};
        ffi_arg result;
        ffi_call(&cif, (bare_code)add, &result, arguments);
        sum += (int32_t)result;
    }
    return sum;
}

double bare_call_scale(int32_t count) {
    ffi_cif cif;
    ffi_type *types[] = {&ffi_type_double, &ffi_type_double, &ffi_type_double, &ffi_type_double};
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 4, &ffi_type_double, types) != FFI_OK) return 0;
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        double a = i, b = 0.5, c = 2, d = 3, result;
        void *arguments[] = {&a, &b, &c, &d};
        ffi_call(&cif, (bare_code)scale, &result, arguments);
        sum += result;
    }
    return sum;
}

// Replaces the C library's malloc() in the whole process.
static _Atomic uint64_t allocations;
extern void *__libc_malloc(size_t size);
void *malloc(size_t size) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

uint64_t bare_allocations(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }
