// How many of the host's locks each thread holds. See Sources/PluginHost/Locking/HeldLocks.swift.
#ifndef PHS_LOCK_SHIMS_H
#define PHS_LOCK_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Why C: Swift has no variable of a thread. pthread_getspecific() would cost as much as the lock itself; this is one
// instruction for each access, because the variable stands at a fixed distance from the thread's own register.
typedef struct phs_held_locks {
    size_t depth;     // how many locks the thread holds, one inside the other
    void *postponed;  // what is to run when it holds none; owned by HeldLocks.swift
} phs_held_locks;

// Hidden, because only this library's own code may count.
extern _Thread_local phs_held_locks phs_thread_locks __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline void phs_note_lock(void) { phs_thread_locks.depth += 1; }

// Returns whether that was the outermost lock and something was postponed until now.
static inline bool phs_note_unlock(void) {
    return --phs_thread_locks.depth == 0 && __builtin_expect(phs_thread_locks.postponed != NULL, 0);
}

static inline bool phs_holds_lock(void) { return __builtin_expect(phs_thread_locks.depth != 0, 0); }

static inline void *phs_postponed(void) { return phs_thread_locks.postponed; }
static inline void phs_set_postponed(void *list) { phs_thread_locks.postponed = list; }

#endif
