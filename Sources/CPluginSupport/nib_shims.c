#include "nib_shims.h"
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local uint32_t depth;

uint32_t phs_nib_depth(void) { return depth; }
void phs_set_nib_depth(uint32_t value) { depth = value; }

bool phs_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }
