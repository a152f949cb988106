// Starting a worker process and learning its end. Why C: between clone() and execve() the new process shares the memory
// of the host, so no Swift code may run in it: the start is system calls only, without allocation and without locks.
#ifndef CSANDBOX_WORKER_H
#define CSANDBOX_WORKER_H

#include "confinement.h"
#include <stdbool.h>

// A limit of the kernel (RLIMIT_...). Neither value raises what the host has; the smaller one counts.
typedef struct phs_limit {
    int resource;
    uint64_t soft, hard;
} phs_limit;

enum { PHS_WORKER_DESCRIPTORS = 6, PHS_WORKER_CONTROL = 3 };

// A worker whose program contains this library, such as the host's own executable: if this variable is set to anything
// and descriptor 3 is a control socket, the library's constructor removes the variable, calls phs_worker_main() and
// ends the process, so that main() does not run. Nothing happens in a program with raised rights.
#define PHS_WORKER_VARIABLE "PLUGINHOST_WORKER"

// What to start. Everything belongs to the caller and is only read, except the ruleset.
typedef struct phs_worker_plan {
    const char *program;             // for execve(); "/proc/self/exe" is the host's own file, even if it was deleted
    const char *const *arguments;    // end with NULL
    const char *const *environment;  // end with NULL; the worker has no other variables
    // Descriptors of the host that become 0 to 5 in the worker: /dev/null, output, output, control, and two more. -1:
    // the worker does not have that one. No other descriptor of the host reaches the worker. With a ruleset, 6 is the
    // worker's own directory in /proc: see phs_landlock_add_own_process().
    int descriptors[PHS_WORKER_DESCRIPTORS];
    const phs_limit *limits;
    size_t limit_count;
    // The file “cgroup.procs” of the control group that the worker joins before its program runs; NULL: it stays in that
    // of the host. If it cannot join, it runs all the same: see phs_worker.join_error.
    const char *group_processes;
    // Of phs_landlock_make(); -1: files are not confined. phs_worker_start() closes it in every case. Why: the start
    // adds the worker's own directory of /proc to it, which the next worker must not read.
    int ruleset;
    bool changes_user;  // only a host with the right to do so; the worker then has no supplementary groups
    uint32_t user, group;
    // Directories that the other user must be able to enter, for example those above the program; end with NULL. NULL:
    // nothing is checked, as without another user.
    const char *const *directories;
    // The worker may start processes: it is the first one of a PID namespace of its own, so that the kernel kills all of
    // them with it, however they hide. If the host is not root, it has a user namespace too, in which its user and group
    // keep their numbers. It does not end by a signal that it sends to itself, such as that of abort().
    bool has_processes;
    const phs_kernel *kernel;  // NULL, or a test's
} phs_worker_plan;

// Makes a pipe for the output of a worker: both ends are closed on exec, and the first one, which reads, does not block.
// Why: pipe2() needs _GNU_SOURCE. Returns 0, or the error number.
int phs_worker_make_pipe(int ends[2]);

typedef struct phs_worker {
    int32_t process;  // only to show: signals are sent through the descriptor
    int descriptor;   // a pidfd, closed on exec; readable when the process has ended; owned by the caller
    int join_error;   // the error number with which it did not join its control group; 0 if it did, or was to join none
} phs_worker;

// Starts a process in a session of its own, with no_new_privs, no capabilities, umask 077, default handlers, an empty
// signal mask and no real-time priority. The kernel kills it when the calling thread ends. Returns after execve()
// succeeded or a step failed: 0, or the error number with the failure. Layers: "privileges" (setresuid, capset,
// no_new_privs; EPERM with step "user": a confined worker of root needs another user), "files" (Landlock),
// "descriptors", "limits" (index: the limit), "processes" (the namespaces of has_processes: clone, uid_map),
// "process" (clone, setsid, execve; "enter" with the index of the directory that the other user cannot enter). After a
// failure no process is left.
// Threads: any, but one that lives as long as the worker. Signals and cancellation are held back until it returns.
// Cost: independent of the memory of the host. The caller waits until execve() is done, about 0.3 ms; a program on a
// file system that does not answer holds it up.
int phs_worker_start(const phs_worker_plan *plan, phs_worker *worker, phs_failure *failure);

// Sends a signal through a pidfd, so that it never reaches a process that got the same number later. With group, to the
// worker and all processes of its group. Returns 0, or the error number: ESRCH if it has ended. Before Linux 6.9 the
// group is reached by its number, only while the worker is not yet reaped. Threads: any.
int phs_worker_signal(int descriptor, int signal, bool group);

// Kills what an isolated worker left behind in its session: children, also those in another group. Call it when the
// worker has ended and before phs_worker_reap(): until then its number, which is the session's, belongs to nobody else.
// Returns how many processes it killed, or -1 with errno: EBUSY if the worker runs, ESRCH if its number is in use
// again. A confined worker has no children, or has_processes. Threads: any. Cost: reads the state of each process of
// the machine.
int phs_worker_end_session(const phs_worker *worker);

typedef enum phs_worker_state {
    PHS_WORKER_RUNS, PHS_WORKER_EXITED, PHS_WORKER_KILLED,
    PHS_WORKER_REAPED  // it has ended; the application took the status itself, and the kernel keeps none
} phs_worker_state;

typedef struct phs_worker_end {
    phs_worker_state state;
    int number;  // exit status, or signal
} phs_worker_end;

// The end of a worker, without waiting. The process is not reaped: its number still belongs to it. Threads: any.
phs_worker_end phs_worker_look(int descriptor);

// The end of a worker, without waiting; it reaps the process. The descriptor stays the caller's. Once it has returned
// another state than RUNS, a second call returns REAPED on kernels before 6.15. Threads: any, one at a time.
phs_worker_end phs_worker_reap(int descriptor);

// Whether two processes have one address space, as until execve() after vfork(). False if the kernel does not tell. Why:
// syscall() takes variable arguments. Threads: any.
bool phs_has_same_memory(int32_t process, int32_t other);

// Lets any process of the same user attach a debugger to this one, where the kernel (Yama) allows it to parents only.
// Why: prctl() takes variable arguments. Threads: any.
void phs_allow_debugger(void);

#endif
