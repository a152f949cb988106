// What instantiating nibs needs and Swift does not offer. See Sources/PluginHost/Nibs/NibPlan+Running.swift.
#ifndef PHS_NIB_SHIMS_H
#define PHS_NIB_SHIMS_H

#include <stdbool.h>
#include <stdint.h>

// How many instantiations of nibs are under way on this thread, one inside the other.
// Why C: Swift has no variable of a thread; see lock_shims.h.
uint32_t phs_nib_depth(void);
void phs_set_nib_depth(uint32_t depth);

// Whether this is the main thread, on which the main actor runs.
// Why: glibc's gettid() is hidden from Swift, and only full Foundation has Thread.isMainThread.
bool phs_is_main_thread(void);

#endif
