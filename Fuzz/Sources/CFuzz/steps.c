#include "cfuzz.h"

#include <elf.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

void fuzz_wait_for_trace(void) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(1);
    raise(SIGSTOP);
}

// Whether code of a file is mapped; with an address, whether it is at that address.
static int maps_code(pid_t process, const char *file, uintptr_t address) {
    char name[64], line[8192];
    snprintf(name, sizeof name, "/proc/%d/maps", process);
    FILE *maps = fopen(name, "re");
    if (!maps) return 0;
    int found = 0;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char mode[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) != 3 || mode[2] != 'x') continue;
        line[strcspn(line, "\n")] = 0;
        const char *path = strchr(line, '/');
        found = path && strcmp(path, file) == 0 && (!address || (start <= address && address < end));
    }
    fclose(maps);
    return found;
}

static uintptr_t instruction(pid_t process) {
    struct user_regs_struct registers;
    struct iovec part = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, process, (void *)NT_PRSTATUS, &part) != 0) return 0;
#if defined(__x86_64__)
    return registers.rip;
#elif defined(__aarch64__)
    return registers.pc;
#else
    return 0;
#endif
}

int fuzz_ran(pid_t process, const char *file) {
    int status = 0, is_mapped = 0, ran = 0;
    uintptr_t page = 0;
    int page_is_own = 0;
    if (waitpid(process, &status, 0) != process || !WIFSTOPPED(status)) return 0;
    ptrace(PTRACE_SETOPTIONS, process, 0, PTRACE_O_EXITKILL);
    // Goes from one system call to the next until the file is mapped, which takes one; then from instruction to instruction.
    while (!ran && ptrace(is_mapped ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, process, 0, 0) == 0) {
        if (waitpid(process, &status, 0) != process || !WIFSTOPPED(status)) return 0;
        // Any other signal ends it.
        if (WSTOPSIG(status) != SIGTRAP) break;
        if (!is_mapped) {
            is_mapped = maps_code(process, file, 0);
            continue;
        }
        uintptr_t now = instruction(process);
        // A page is looked up when it is entered. A page of the file contains no other code while the file's code runs.
        if (now >> 12 != page) {
            page = now >> 12;
            page_is_own = maps_code(process, file, now);
        }
        ran = page_is_own;
    }
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    return ran;
}
