// Inside of this target: how its parts report failures.
#ifndef PHS_CONFINEMENT_H
#define PHS_CONFINEMENT_H

#include "confinement_shims.h"

static inline const phs_kernel *kernel_or_real(const phs_kernel *kernel) {
    return kernel == NULL ? &phs_real_kernel : kernel;
}

// Fills a failure, and returns the error number.
static inline int fail(phs_failure *failure, int error, const char *layer, const char *step, size_t index) {
    if (failure != NULL) *failure = (phs_failure){error, layer, step, index};
    return error;
}

#endif
