// seccomp: which system calls a worker may make. The filter is an allow list; each call in it states why. It is built
// as a program for the kernel when the worker installs it, because it contains the process's own number and what was
// granted. Why C: the kernel's structures and constants are macros that Swift does not import.
#ifndef CSANDBOX_FILTER_H
#define CSANDBOX_FILTER_H

#include "confinement.h"
#include <stdbool.h>

// The architectures in the table, with the kernel's number of each.
typedef enum phs_architecture { PHS_X86_64 = 0xc000003e, PHS_AARCH64 = 0xc00000b7 } phs_architecture;

// What a filter allows in addition to the calls that every worker may make. All fields zero: nothing more, on this
// machine's architecture.
typedef struct phs_filter_options {
    uint32_t architecture;  // 0: the one that this library was compiled for
    int32_t process;        // that may be signalled, and whose limits may change; 0: the calling process
    bool any_network;       // Internet sockets of TCP and UDP, in both directions
    bool connects;          // TCP connections; Landlock restricts the ports
    bool listens;           // TCP ports to listen on; Landlock restricts the ports
    bool processes;         // new processes, and signals to any process: only in a PID namespace or a control group
    bool devices;           // every request (ioctl) but those that make the kernel send signals or type at a terminal
} phs_filter_options;

// One instruction; the layout is the kernel's struct sock_filter.
typedef struct phs_filter_instruction {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t value;
} phs_filter_instruction;

enum { PHS_FILTER_CAPACITY = 1024 };

// Writes the filter's instructions. Returns their number, or 0 if the capacity is too small or the architecture is
// unknown. Nothing is installed. Threads: any.
size_t phs_filter_build(const phs_filter_options *options, phs_filter_instruction *instructions, size_t capacity);

// Confines all threads of the process, permanently. A call that is not allowed fails with EPERM. clone3 and calls newer
// than the table fail with ENOSYS, so that libraries use an older call. A call of another architecture ends the
// process. Returns 0, or an error number with the failure: ENOSYS or EINVAL if the kernel lacks seccomp (layer
// "systemCalls"), EACCES if no_new_privs is not set (layer "privileges"), ESRCH if a thread could not be confined.
// Threads: any; all others are confined, too, when it returns.
int phs_filter_install(const phs_kernel *kernel, const phs_filter_options *options, phs_failure *failure);

// Whether the kernel has seccomp filters; otherwise errno says why. Changes nothing. Threads: any.
bool phs_filter_is_available(const phs_kernel *kernel);

// A row of the table. The texts are constants.
typedef struct phs_filter_row {
    const char *name;       // of the system call
    int x86_64, aarch64;    // its numbers; -1 where an architecture lacks it
    const char *condition;  // always, network, connect, listen, any network, processes
    bool checks_arguments;
    const char *reason;     // why it is allowed, and with which arguments
} phs_filter_row;
// Returns false after the last row. Threads: any.
bool phs_filter_row_at(size_t index, phs_filter_row *row);

#endif
