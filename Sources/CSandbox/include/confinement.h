// What the parts of isolation share: how they report a failure, and the system calls that confine a process.
#ifndef CSANDBOX_CONFINEMENT_H
#define CSANDBOX_CONFINEMENT_H

#include <stddef.h>
#include <stdint.h>

// Why a function failed. The texts are constants of this library: nobody frees them. A function that takes a
// phs_failure writes it only when it fails, and NULL is allowed where the caller does not want it.
typedef struct phs_failure {
    int error;          // the error number of the system call, or the one that describes the check that failed
    const char *layer;  // what it belongs to: "privileges", "files", "network", "systemCalls", "process", ...
    const char *step;   // the system call or the check, e.g. "landlock_add_rule"
    size_t index;       // the item of the array that caused it; 0 if no array is involved
} phs_failure;

// The system calls that start and confine a process and that a system may lack, each with the result of syscall(): -1 and errno on failure. Why a table:
// a test passes another one to see the outcome on a kernel that lacks Landlock or seccomp. NULL stands for the kernel.
// Threads: the functions are called on the thread of the caller; in phs_worker_start() also in the new process, which
// still shares the memory of the host, so a replacement may only make system calls and write memory of its own.
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
