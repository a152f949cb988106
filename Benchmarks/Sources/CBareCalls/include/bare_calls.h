// What a call through PluginHost is compared with, in C: the least that libffi can be called with.
#ifndef BARE_CALLS_H
#define BARE_CALLS_H

#include <stdint.h>

typedef void (*bare_code)(void);

// The functions that are called. Why here: the optimiser must not look into them.
bare_code bare_add(void);     // int32_t (int32_t, int32_t)
bare_code bare_scale(void);   // double (double, double, double, double)

// Calls each `count` times by ffi_call() with a signature that is prepared, and sums the results up.
int64_t bare_call_add(int32_t count);
double bare_call_scale(int32_t count);

// How often malloc() was called in this process.
uint64_t bare_allocations(void);

#endif
