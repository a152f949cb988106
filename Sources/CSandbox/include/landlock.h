// Landlock: which files, ports and foreign processes a worker reaches. A ruleset is made in the host, before the worker
// starts, and phs_worker_start() applies it between clone() and execve(). Why C: glibc has no functions for Landlock,
// and the kernel headers of a build machine may be older than the kernel.
#ifndef CSANDBOX_LANDLOCK_H
#define CSANDBOX_LANDLOCK_H

#include "confinement.h"
#include <stdbool.h>

// What a worker may do beneath a path. The kernel's rights follow from it and from the version of Landlock.
typedef enum phs_file_access {
    PHS_FILES_READ = 1,      // open files for reading, list directories
    PHS_FILES_WRITE = 2,     // write, truncate, make, rename and remove files, directories and symbolic links
    PHS_FILES_EXECUTE = 4,   // run a file as a program; mapping code of a library needs only PHS_FILES_READ
    PHS_FILES_DEVICE = 8,    // requests (ioctl) to a device; restricted from version 5 on
    PHS_FILES_OPTIONAL = 16  // leave the path out if it does not exist
} phs_file_access;

// A path, or a descriptor that the caller opened (O_PATH suffices) and that stays the caller's. What is granted is the
// file or directory that exists now, not its name: a link inside of a granted directory leads nowhere else. A grant in
// /proc (such as /proc/cpuinfo) may end when memory is short. Landlock covers neither the existence of files nor their
// kind, size, owner and times, nor what a link contains: a worker can ask for those of any path its user can reach.
typedef struct phs_file_grant {
    const char *path;  // NULL: the descriptor
    int descriptor;
    uint32_t access;   // of phs_file_access
} phs_file_grant;

// TCP ports. Needs version 4 if ports are listed.
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

// Makes a ruleset that denies everything but the grants. The network grant may be NULL: nothing is granted. Returns its
// descriptor, which the caller owns, closed on exec; or -1 with the failure: layer "files" or "network", the call, and
// the index of the grant. EPERM with step "procfs": the grant is a directory of the /proc of the host's processes; a
// worker gets its own from phs_worker_start(). ENOSYS with layer "network": ports need version 4. Threads: any.
// Cost: two or three system calls for each grant.
int phs_landlock_make(
    const phs_kernel *kernel, const phs_file_grant *files, size_t file_count, const phs_network_grant *network,
    phs_failure *failure);

// Adds the right to read the directory of the calling process in /proc. Only system calls, so that a new process can
// call it before execve(). Returns a descriptor of that directory, or -1 with errno and the step. The process keeps the
// descriptor as long as it lives: the rule belongs to the directory in the kernel's memory, which forgets a directory
// of /proc that nobody has open, and gives it anew without the rule.
int phs_landlock_add_own_process(const phs_kernel *kernel, int ruleset, const char **step);

#endif
