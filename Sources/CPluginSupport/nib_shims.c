#include "nib_shims.h"
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local uint32_t depth;

uint32_t phs_nib_depth(void) { return depth; }
void phs_set_nib_depth(uint32_t value) { depth = value; }

// A reference to an executor, as the runtime's header Concurrency.h defines it.
typedef struct phs_executor {
    const void *identity;
    uintptr_t implementation;
} phs_executor;

__attribute__((swiftcall, weak)) extern phs_executor swift_task_getCurrentExecutor(void);
__attribute__((swiftcall, weak)) extern phs_executor swift_task_getMainExecutor(void);

bool phs_is_on_main_actor(void) {
    if (syscall(SYS_gettid) == getpid()) return true;
    if (!swift_task_getCurrentExecutor || !swift_task_getMainExecutor) return false;
    const void *current = swift_task_getCurrentExecutor().identity;
    return current && current == swift_task_getMainExecutor().identity;
}
