// Landlock: which files, ports and other processes a worker can reach. The host makes a ruleset before the worker
// starts, and phs_worker_start() applies it between clone() and execve(). Why C: glibc has no functions for Landlock,
// and the kernel headers of a build machine may be older than the kernel.
#ifndef CSANDBOX_LANDLOCK_H
#define CSANDBOX_LANDLOCK_H

#include "confinement.h"
#include <stdbool.h>

// What a worker may do beneath a path. The kernel's rights depend on this and on the version of Landlock.
typedef enum phs_file_access {
    PHS_FILES_READ = 1,      // open files for reading, list directories
    PHS_FILES_WRITE = 2,     // write, truncate, make, rename and remove files, directories and symbolic links
    PHS_FILES_EXECUTE = 4,   // run a file as a program; mapping code of a library needs only PHS_FILES_READ
    PHS_FILES_DEVICE = 8,    // requests (ioctl) to a device; restricted from version 5 on
    PHS_FILES_OPTIONAL = 16  // leave the path out if it does not exist
} phs_file_access;

// A path, or a descriptor that the caller opened (O_PATH suffices) and keeps. The grant is for the file or directory
// that exists now, not for its name. A link in a granted directory grants nothing outside of it. A grant in /proc (such
// as /proc/cpuinfo) may end when memory is short. Landlock does not hide whether a file exists, its kind, size, owner
// and times, or the target of a link: a worker can read these for any path its user can reach.
typedef struct phs_file_grant {
    const char *path;  // NULL: the descriptor
    int descriptor;
    uint32_t access;   // of phs_file_access
} phs_file_grant;

// TCP ports. A list of ports needs version 4.
typedef struct phs_network_grant {
    bool any;                  // no restriction by Landlock; the other fields are ignored
    const uint16_t *connects;  // ports that the worker may connect to
    size_t connect_count;
    const uint16_t *listens;   // ports that the worker may bind
    size_t listen_count;
} phs_network_grant;

// The version of Landlock that the kernel has: 1 files, 2 renaming across directories, 3 truncation, 4 TCP ports, 5
// requests to devices, 6 signals and abstract sockets to processes outside. 0 with errno if it has none: ENOSYS (not
// built in) or EOPNOTSUPP (disabled at boot). Threads: any.
int phs_landlock_version(const phs_kernel *kernel);

// Makes a ruleset that denies everything but the grants. A NULL network grant grants no network. Returns the ruleset's
// descriptor, which the caller owns, closed on exec; or -1 with the failure: layer "files" or "network", the call, and
// the index of the grant. EPERM with step "procfs": the grant would show the host's processes in /proc;
// phs_worker_start() grants a worker its own directory there. ENOSYS with layer "network": ports need version 4.
// Threads: any.
// Cost: two or three system calls for each grant.
int phs_landlock_make(
    const phs_kernel *kernel, const phs_file_grant *files, size_t file_count, const phs_network_grant *network,
    phs_failure *failure);

// Adds the right to read the calling process's directory in /proc. Makes only system calls, so that a new process can
// call it before execve(). Returns a descriptor of that directory, or -1 with errno and the step. The process must keep
// the descriptor open as long as it lives. Why: the rule is attached to the directory in the kernel's memory. The
// kernel drops a directory of /proc that no process has open, and later creates it again without the rule.
int phs_landlock_add_own_process(const phs_kernel *kernel, int ruleset, const char **step);

#endif
