// Starts a worker process and reports its end. Why C: between clone() and execve() the new process shares the memory of
// the host, so no Swift code may run there. The new process only makes system calls: no allocation and no locks.
#ifndef CSANDBOX_WORKER_H
#define CSANDBOX_WORKER_H

#include "confinement.h"
#include <stdbool.h>

// A limit of the kernel (RLIMIT_...). It never raises the host's limit: of each pair of values the smaller one applies.
typedef struct phs_limit {
    int resource;
    uint64_t soft, hard;
} phs_limit;

enum { PHS_WORKER_DESCRIPTORS = 6, PHS_WORKER_CONTROL = 3 };

// Turns a program that contains this library, such as the host's own executable, into a worker. If this variable is set
// and descriptor 3 is a control socket, the library's constructor removes the variable, calls phs_worker_main() and
// ends the process, so that main() does not run. The variable has no effect in a program with elevated privileges.
#define PHS_WORKER_VARIABLE "PLUGINHOST_WORKER"

// Describes the worker to start. Everything in it belongs to the caller and is only read, except the ruleset.
typedef struct phs_worker_plan {
    const char *program;             // for execve(); "/proc/self/exe" is the host's own file, even if it was deleted
    const char *const *arguments;    // end with NULL
    const char *const *environment;  // end with NULL; the worker has no other variables
    // The host's descriptors that become 0 to 5 in the worker: /dev/null, output, output, control, and two more. -1:
    // the worker does not have this number. The worker gets no other descriptor of the host. With a ruleset, 6 is the
    // worker's own directory in /proc: see phs_landlock_add_own_process().
    int descriptors[PHS_WORKER_DESCRIPTORS];
    const phs_limit *limits;
    size_t limit_count;
    // The file “cgroup.procs” of the control group that the worker joins before its program runs; NULL: it stays in the
    // host's group. A worker that cannot join runs anyway: see phs_worker.join_error.
    const char *group_processes;
    // The descriptor from phs_landlock_make(); -1: files are not confined. phs_worker_start() always closes it. Why:
    // the start adds the worker's own directory in /proc to the ruleset, and the next worker must not read that
    // directory.
    int ruleset;
    bool changes_user;  // only for a host with that right; the worker then has no supplementary groups
    uint32_t user, group;
    // Directories that the new user must be able to enter, for example those above the program; end with NULL. Nothing
    // is checked if this is NULL or the user does not change.
    const char *const *directories;
    // The worker may start processes. It is the first process of its own PID namespace, so the kernel kills its
    // children with it, however they hide. If the host is not root, the worker also has its own user namespace, in
    // which its user and group keep their numbers. A signal that the worker sends to itself, as abort() does, does not
    // end it.
    bool has_processes;
    const phs_kernel *kernel;  // NULL, or a test's
} phs_worker_plan;

// Makes a pipe for a worker's output. Both ends are closed on exec; the first one is for reading and does not block.
// Why C: pipe2() needs _GNU_SOURCE. Returns 0, or the error number.
int phs_worker_make_pipe(int ends[2]);

typedef struct phs_worker {
    int32_t process;  // for display only; signals are sent through the descriptor
    int descriptor;   // a pidfd, closed on exec; readable when the process has ended; owned by the caller
    int join_error;   // why it did not join its control group: an error number; 0 if it did, or has none to join
} phs_worker;

// Starts a process in its own session, with no_new_privs, no capabilities, umask 077, default handlers, an empty signal
// mask and no real-time priority. The kernel kills it when the calling thread ends. Returns after execve() succeeded or
// a step failed: 0, or the error number with the failure. Layers: "privileges" (setresuid, capset, no_new_privs; EPERM
// with step "user": a confined worker of root needs another user), "files" (Landlock), "descriptors", "limits" (index:
// the limit), "processes" (the namespaces of has_processes: clone, uid_map), "process" (clone, setsid, execve; "enter"
// with the index of the directory that the other user cannot enter). After a failure no process is left.
// Threads: any thread that lives as long as the worker. Signals and cancellation are blocked until the call returns.
// Cost: independent of the memory of the host. The caller waits until execve() is done, about 0.3 ms; a file system
// that does not respond delays it.
int phs_worker_start(const phs_worker_plan *plan, phs_worker *worker, phs_failure *failure);

// Sends a signal through a pidfd, so that it never reaches a later process with the same number. With group, the signal
// goes to the worker and all processes of its group. Returns 0, or the error number: ESRCH if the worker has ended.
// Before Linux 6.9 the group is addressed by its number, and only if the worker has ended and is not yet reaped; until
// it ends, only the worker gets the signal. Threads: any.
int phs_worker_signal(int descriptor, int signal, bool group);

// Kills the processes that an isolated worker left in its session, including those in another group. Call it after the
// worker has ended and before phs_worker_reap(): until then no other process can have its number, which is also the
// session's. Returns how many processes it killed, or -1 with errno: EBUSY if the worker still runs, ESRCH if its
// number is in use again. A confined worker does not need this: it has no children, or has_processes. Threads: any.
// Cost: reads the state of each process on the machine.
int phs_worker_end_session(const phs_worker *worker);

typedef enum phs_worker_state {
    PHS_WORKER_RUNS, PHS_WORKER_EXITED, PHS_WORKER_KILLED,
    PHS_WORKER_REAPED  // it has ended; the application reaped it itself, and the kernel keeps no status
} phs_worker_state;

typedef struct phs_worker_end {
    phs_worker_state state;
    int number;  // exit status, or signal
} phs_worker_end;

// Reports the end of a worker, without waiting. Does not reap the process, so no other process can have its number.
// Threads: any.
phs_worker_end phs_worker_look(int descriptor);

// Reports the end of a worker, without waiting, and reaps the process. The caller keeps the descriptor. After a call
// has returned a state other than RUNS, the next call returns REAPED on kernels before 6.15. Threads: any, one at a
// time.
phs_worker_end phs_worker_reap(int descriptor);

// Whether two processes share one address space, as after vfork() until execve(). False if the kernel does not say. Why
// C: syscall() takes variable arguments. Threads: any.
bool phs_has_same_memory(int32_t process, int32_t other);

// Lets any process of the same user attach a debugger to this one, where the kernel (Yama) otherwise allows only
// parents. Why C: prctl() takes variable arguments. Threads: any.
void phs_allow_debugger(void);

#endif
