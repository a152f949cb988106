// What instantiating nibs needs and Swift does not offer. See Sources/PluginHost/Nibs/NibPlan.swift.
#ifndef PHS_NIB_SHIMS_H
#define PHS_NIB_SHIMS_H

#include <stdbool.h>
#include <stdint.h>

// How many instantiations of nibs are under way on this thread, one inside the other.
// Why C: Swift has no variable of a thread; see lock_shims.h.
uint32_t phs_nib_depth(void);
void phs_set_nib_depth(uint32_t depth);

// Whether code that is isolated to the main actor may run here: on the main thread, or in a job of the main actor.
// Why both: a program with an asynchronous main gives its main thread away, and another thread runs the main actor's jobs.
// Why C: the runtime's functions are in no module, and the ones of the standard library end the process instead of
// answering no.
bool phs_is_on_main_actor(void);

#endif
