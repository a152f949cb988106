// Functions for instantiating nibs that Swift does not offer. See Sources/PluginHost/Nibs/NibPlan.swift.
#ifndef PHS_NIB_SHIMS_H
#define PHS_NIB_SHIMS_H

#include <stdbool.h>
#include <stdint.h>

// The number of nested nib instantiations in progress on this thread.
// Why C: Swift has no thread-local variables; see lock_shims.h.
uint32_t phs_nib_depth(void);
void phs_set_nib_depth(uint32_t depth);

// Whether code that is isolated to the main actor may run here: on the main thread, or in a job of the main actor.
// Why both: in a program with an asynchronous main, a thread other than the main thread may run the main actor's jobs.
// Why C: no module declares the runtime's functions, and those of the standard library end the process instead of
// returning false.
bool phs_is_on_main_actor(void);

#endif
