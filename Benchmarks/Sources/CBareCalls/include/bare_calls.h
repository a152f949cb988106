// Minimal calls through libffi in C. Calls through PluginHost are compared with them.
#ifndef BARE_CALLS_H
#define BARE_CALLS_H

#include <stdint.h>

typedef void (*bare_code)(void);

// The functions to call. They are in this file so that the optimiser cannot see their code.
bare_code bare_add(void);     // int32_t (int32_t, int32_t)
bare_code bare_scale(void);   // double (double, double, double, double)

// Calls each function `count` times by ffi_call() with a prepared signature, and adds the results.
int64_t bare_call_add(int32_t count);
double bare_call_scale(int32_t count);

// How often this process has called malloc().
uint64_t bare_allocations(void);

#endif
