// Dispatch in a confined worker. Once a second, while work is queued, Dispatch reads the state of each of its threads
// from /proc/<thread>/stat, and stops the process if it cannot. Landlock can allow a worker only its own directory of
// /proc, which does not contain those paths; but the same files are in it, as /proc/self/task/<thread>/stat. Allowing
// all of /proc instead would show a plug-in the command line of each process of the machine.
#ifndef CSANDBOX_DISPATCH_H
#define CSANDBOX_DISPATCH_H

#include "confinement.h"

// Makes every libdispatch of this process read those files where they are allowed: replaces the address of open() among
// the functions that the library imports. Other code is not affected. Call it in a worker whose files are confined,
// before the plug-in is loaded, and again after each load that may have brought another libdispatch; a second call for
// the same library changes nothing. Returns 0, also if none is loaded; ENOTSUP with step "open" if a libdispatch does
// not import open(), so that this cannot help and the worker must not be used; or the error number of mprotect().
// Layer: "files". Threads: any, one at a time.
int phs_dispatch_confine(phs_failure *failure);

#endif
