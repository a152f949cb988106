// Shared by all parts of isolation: how they report a failure, and the system calls that confine a process.
#ifndef CSANDBOX_CONFINEMENT_H
#define CSANDBOX_CONFINEMENT_H

#include <stddef.h>
#include <stdint.h>

// Why a function failed. The texts are constants of this library and are never freed. A function that takes a
// phs_failure writes it only on failure; a caller that does not need it passes NULL.
typedef struct phs_failure {
    int error;          // the error number of the system call, or the one that describes the check that failed
    const char *layer;  // the part of isolation: "privileges", "files", "network", "systemCalls", "process", ...
    const char *step;   // the system call or the check, e.g. "landlock_add_rule"
    size_t index;       // the item of the array that caused it; 0 if no array is involved
} phs_failure;

// The system calls that start and confine a process and that some systems lack. Each returns what syscall() returns: -1
// and errno on failure. Why a table: a test passes its own to see the outcome on a kernel without Landlock or seccomp.
// NULL means the real kernel.
// Threads: the functions run on the caller's thread. In phs_worker_start() they also run in the new process, which
// still shares the memory of the host, so a replacement may only make system calls and write its own memory.
typedef struct phs_kernel {
    long (*landlock_create_ruleset)(const void *attributes, size_t size, uint32_t flags);
    long (*landlock_add_rule)(int ruleset, int kind, const void *rule, uint32_t flags);
    long (*landlock_restrict_self)(int ruleset, uint32_t flags);
    long (*seccomp)(unsigned operation, unsigned flags, void *arguments);
    int (*clone)(int (*function)(void *), void *stack, int flags, void *argument, int *descriptor);
    long (*close_range)(unsigned first, unsigned last, unsigned flags);
} phs_kernel;

extern const phs_kernel phs_real_kernel;

#endif
