// Lets Dispatch run in a confined worker. Once a second, while work is queued, Dispatch reads the state of each of its
// threads from /proc/<thread>/stat, and stops the process if it cannot. Landlock can allow a worker only its own
// directory in /proc. Those paths are outside of it, but it contains the same files as /proc/self/task/<thread>/stat.
// Allowing all of /proc instead would show a plug-in the command line of each process on the machine.
#ifndef CSANDBOX_DISPATCH_H
#define CSANDBOX_DISPATCH_H

#include "confinement.h"

// Makes every libdispatch of this process read those files at the allowed paths, by replacing the address of open()
// among the library's imports. Other code is not affected. Call it in a worker whose files are confined, before the
// plug-in is loaded, and again after each load that may have brought another libdispatch; a second call for the same
// library changes nothing. Returns 0, even if none is loaded; ENOTSUP with step "open" if a libdispatch does not import
// open(), so that its paths cannot be changed and the worker must not be used; or the error number of mprotect().
// Layer: "files". Threads: any, one at a time.
int phs_dispatch_confine(phs_failure *failure);

#endif
