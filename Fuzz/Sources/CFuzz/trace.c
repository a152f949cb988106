#include "cfuzz.h"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

static fuzz_trace *trace;
static const char *folder;

struct search {
    uintptr_t address;
    uintptr_t base;
    char name[512];
    int found;
};

static int look(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        if (info->dlpi_phdr[index].p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[index].p_vaddr;
        if (search->address < start || search->address - start >= info->dlpi_phdr[index].p_memsz) continue;
        search->found = 1;
        search->base = info->dlpi_addr;
        strncpy(search->name, info->dlpi_name, sizeof search->name - 1);
        return 1;
    }
    return 0;
}

static struct search image_of(uintptr_t address) {
    struct search search = {.address = address};
    dl_iterate_phdr(look, &search);
    return search;
}

static int is_own(const struct search *search) {
    return search->found && strncmp(search->name, folder, strlen(folder)) == 0;
}

static void ended(int number, siginfo_t *info, void *context) {
    (void)info;
    trace->signal = number;
    const ucontext_t *state = context;
#if defined(__x86_64__)
    uintptr_t at = (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
    const uintptr_t *stack = (const uintptr_t *)state->uc_mcontext.gregs[REG_RSP];
    uintptr_t caller = stack ? *stack : 0;
#elif defined(__aarch64__)
    uintptr_t at = state->uc_mcontext.pc;
    uintptr_t caller = state->uc_mcontext.regs[30];
#else
    uintptr_t at = 0, caller = 0;
#endif
    struct search here = image_of(at);
    // For a call to an address without code, the caller counts.
    if (!here.found) here = image_of(caller);
    trace->in_own_code = is_own(&here);
    const char *slash = strrchr(here.name, '/');
    strncpy(trace->image, slash ? slash + 1 : here.name, sizeof trace->image - 1);
    trace->offset = at - here.base;
    signal(number, SIG_DFL);
    raise(number);
}

void fuzz_trace_signals(fuzz_trace *shared, const char *below) {
    trace = shared;
    folder = below;
    static char memory[64 << 10];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = ended;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, 0);
}

void fuzz_limit(unsigned seconds) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    alarm(seconds);
}
