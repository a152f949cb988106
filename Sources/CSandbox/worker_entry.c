// The host's own executable as the worker program. The library's constructor runs before main(): if the process was
// started as a worker, it runs the worker and never returns, so an application needs no code for that.

#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// Defined in Swift. Weak, because a program may contain this target without the part that runs workers.
extern void phs_worker_main(void) __attribute__((weak));

// Whether a descriptor is a socket of the kind that phs_control_make() makes. Why: a variable that was set by mistake
// must not turn an application into a worker.
static int is_control_socket(int descriptor) {
    int type = 0, family = 0;
    socklen_t size = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET &&
           getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_UNIX;
}

__attribute__((constructor)) static void become_worker(void) {
    // NULL in a program with raised rights.
    if (secure_getenv(PHS_WORKER_VARIABLE) == NULL) return;
    unsetenv(PHS_WORKER_VARIABLE);
    if (phs_worker_main == NULL || !is_control_socket(PHS_WORKER_CONTROL)) return;
    // The host logs lines. C holds output back to a pipe, and what it holds is lost if the worker is killed.
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    phs_worker_main();
    // Not exit(): the application's exit handlers expect a main() that did not run.
    _exit(0);
}
