// Counts how many of the host's locks each thread holds. See Sources/HostBasics/Threads/HeldLocks.swift.
#ifndef PHS_LOCK_SHIMS_H
#define PHS_LOCK_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Why C: Swift has no thread-local variables. pthread_getspecific() would cost as much as the lock itself. An access to
// this variable is one instruction, because it is at a fixed distance from the thread register.
typedef struct phs_held_locks {
    size_t depth;     // how many locks the thread holds at the same time
    void *postponed;  // work to run when the thread holds no lock; owned by HeldLocks.swift
} phs_held_locks;

// Hidden, because only this library's own code may change the count.
extern _Thread_local phs_held_locks phs_thread_locks __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline void phs_note_lock(void) { phs_thread_locks.depth += 1; }

// Returns whether this was the outermost lock and there is postponed work.
static inline bool phs_note_unlock(void) {
    return --phs_thread_locks.depth == 0 && __builtin_expect(phs_thread_locks.postponed != NULL, 0);
}

static inline bool phs_holds_lock(void) { return __builtin_expect(phs_thread_locks.depth != 0, 0); }

static inline void *phs_postponed(void) { return phs_thread_locks.postponed; }
static inline void phs_set_postponed(void *list) { phs_thread_locks.postponed = list; }

#endif
