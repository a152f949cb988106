// Internal to this target: how its parts report failures.
#ifndef CSANDBOX_INTERNAL_H
#define CSANDBOX_INTERNAL_H

#include "confinement.h"

static inline const phs_kernel *kernel_or_real(const phs_kernel *kernel) {
    return kernel == NULL ? &phs_real_kernel : kernel;
}

// Fills a failure, and returns the error number.
static inline int fail(phs_failure *failure, int error, const char *layer, const char *step, size_t index) {
    if (failure != NULL) *failure = (phs_failure){error, layer, step, index};
    return error;
}

#endif
