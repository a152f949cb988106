#pragma GCC visibility push(protected)
#include "filter.h"
#pragma GCC visibility pop

#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(phs_filter_instruction) == sizeof(struct sock_filter), "an instruction is the kernel's");
_Static_assert(
    offsetof(phs_filter_instruction, value) == offsetof(struct sock_filter, k), "an instruction is the kernel's");

// The newest system call that was considered for the table. For a worker, newer ones do not exist.
enum { NEWEST_CALL = 462, CLONE3 = 435, X32_BIT = 0x40000000 };

// Numbers that older headers lack.
enum {
    SET_VMA = 0x53564d41, FAST_OPEN = 0x20000000, FLAG_TSYNC_ESRCH = 1 << 4,
    GET_ACTION_AVAIL = 2, ACTION_KILL_PROCESS = (int)0x80000000
};

// MARK: - The program under construction

struct program {
    const phs_filter_options *options;
    phs_filter_instruction *instructions;
    size_t count, capacity;
};

static void emit(struct program *program, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    if (program->count < program->capacity)
        program->instructions[program->count] = (phs_filter_instruction){code, if_true, if_false, value};
    program->count += 1;
}

static void load(struct program *program, size_t offset) {
    emit(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

// Loads the lower half of an argument. The kernel ignores the upper half of arguments that are int or unsigned.
static void load_argument(struct program *program, unsigned index) {
    load(program, offsetof(struct seccomp_data, args) + 8 * index);
}
static void load_upper_half(struct program *program, unsigned index) {
    load(program, offsetof(struct seccomp_data, args) + 8 * index + 4);
}

static void answer(struct program *program, uint32_t action) { emit(program, BPF_RET | BPF_K, action, 0, 0); }
static void allow(struct program *program) { answer(program, SECCOMP_RET_ALLOW); }
static void deny(struct program *program) { answer(program, SECCOMP_RET_ERRNO | EPERM); }

// Each of these tests the loaded value and either answers or continues with the next instruction.
static void allow_if_equal(struct program *program, uint32_t value) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    allow(program);
}
static void deny_if_equal(struct program *program, uint32_t value) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    deny(program);
}
static void deny_unless_equal(struct program *program, uint32_t value) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    deny(program);
}
static void deny_if_any_bit(struct program *program, uint32_t bits) {
    emit(program, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    deny(program);
}
static void allow_unless_any_bit(struct program *program, uint32_t bits) {
    emit(program, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    allow(program);
}
static void keep_bits(struct program *program, uint32_t bits) { emit(program, BPF_ALU | BPF_AND | BPF_K, bits, 0, 0); }

static void allow_only(struct program *program, const uint32_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) allow_if_equal(program, values[i]);
    deny(program);
}
#define ALLOW_ONLY(program, ...)                                              \
    allow_only(program, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

// MARK: - Checks of arguments. Each ends with an answer.

static void check_own_memory(struct program *program) {
    load_argument(program, 0);
    ALLOW_ONLY(program, (uint32_t)program->options->process);
}

// If processes are granted, the namespace or group that contains them limits the signals, too.
static void check_own_process(struct program *program) {
    if (program->options->processes) return allow(program);
    check_own_memory(program);
}

// 0 means the calling thread. The filter does not know the numbers of the other threads; any other number could be a
// process.
static void check_own_thread(struct program *program) {
    load_argument(program, 0);
    ALLOW_ONLY(program, 0, (uint32_t)program->options->process);
}

static void check_who_of_kind(struct program *program, uint32_t kind) {
    load_argument(program, 0);
    deny_unless_equal(program, kind);
    load_argument(program, 1);
    ALLOW_ONLY(program, 0, (uint32_t)program->options->process);
}
static void check_priority(struct program *program) { check_who_of_kind(program, 0 /* PRIO_PROCESS */); }
static void check_io_priority(struct program *program) { check_who_of_kind(program, 1 /* IOPRIO_WHO_PROCESS */); }

enum { SET_ID_BITS = S_ISUID | S_ISGID };

static void check_mode(struct program *program, unsigned argument) {
    load_argument(program, argument);
    deny_if_any_bit(program, SET_ID_BITS);
    allow(program);
}
static void check_creat(struct program *program) { check_mode(program, 1); }
static void check_mkdir(struct program *program) { check_mode(program, 1); }
static void check_mkdirat(struct program *program) { check_mode(program, 2); }

// Reports success without an effect. Foundation cannot copy a file if fchmod() fails. But the kernel would also change
// the mode of a file that is open only for reading: neither Landlock nor a filter sees how it was opened.
static void check_fchmod(struct program *program) {
    load_argument(program, 1);
    deny_if_any_bit(program, SET_ID_BITS);
    answer(program, SECCOMP_RET_ERRNO | 0);
}

// RENAME_WHITEOUT creates a device.
static void check_rename(struct program *program) {
    load_argument(program, 4);
    deny_if_any_bit(program, RENAME_WHITEOUT);
    allow(program);
}

static void check_flags_and_mode(struct program *program, unsigned flags, unsigned mode) {
    // Before version 3, Landlock treats O_RDONLY | O_TRUNC as reading. In every version it treats access mode 3 as no
    // access.
    load_argument(program, flags);
    keep_bits(program, O_TRUNC | O_ACCMODE);
    deny_if_equal(program, O_TRUNC | O_RDONLY);
    deny_if_equal(program, O_TRUNC | O_ACCMODE);
    // Without one of these flags the mode is not an argument: the register may contain anything.
    load_argument(program, flags);
    allow_unless_any_bit(program, O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
    check_mode(program, mode);
}
static void check_open(struct program *program) { check_flags_and_mode(program, 1, 2); }
static void check_openat(struct program *program) { check_flags_and_mode(program, 2, 3); }

// Other modes allocate blocks that no limit counts.
static void check_fallocate(struct program *program) {
    load_argument(program, 1);
    ALLOW_ONLY(program, 0);
}

// F_SETOWN and F_SETSIG would make the kernel send any signal to any process of the same user when a pipe becomes
// readable; leases and notifications of directories send signals too.
static void check_fcntl(struct program *program) {
    load_argument(program, 1);
    ALLOW_ONLY(
        program, F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_GET_SEALS);
}

static void check_ioctl(struct program *program) {
    enum { FICLONE_REQUEST = 0x40049409, FICLONERANGE_REQUEST = 0x4020940d, SIOCSPGRP_REQUEST = 0x8902 };
    load_argument(program, 1);
    if (program->options->devices) {
        deny_if_equal(program, FIOASYNC);
        deny_if_equal(program, 0x8901 /* FIOSETOWN */);
        deny_if_equal(program, SIOCSPGRP_REQUEST);
        deny_if_equal(program, TIOCSTI);
        deny_if_equal(program, TIOCSCTTY);
        deny_if_equal(program, 0x541c /* TIOCLINUX, which types at a console */);
        return allow(program);
    }
    ALLOW_ONLY(
        program, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ, FICLONE_REQUEST, FICLONERANGE_REQUEST);
}

static void check_clone(struct program *program) {
    enum {
        SHARED = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
        DETACHED = 0x400000,  // has no effect; another libc sets it
        POSSIBLE = SHARED | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | DETACHED,
        NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                     CLONE_NEWNET,
        FAMILY = CLONE_PARENT | CLONE_PTRACE  // the new process would be the host's child
    };
    load_argument(program, 0);
    if (program->options->processes) {
        deny_if_any_bit(program, NAMESPACES | FAMILY);
        return allow(program);
    }
    deny_if_any_bit(program, ~(uint32_t)POSSIBLE);
    keep_bits(program, SHARED);
    ALLOW_ONLY(program, SHARED);
}

// Only its own name and harmless settings. Not PR_SET_PDEATHSIG (the worker would outlive the host), PR_SET_PTRACER,
// nor PR_SET_DUMPABLE (the host could not measure the worker's memory).
static void check_prctl(struct program *program) {
    load_argument(program, 0);
    ALLOW_ONLY(
        program, PR_SET_NAME, PR_GET_NAME, SET_VMA, PR_GET_DUMPABLE, PR_GET_PDEATHSIG, PR_GET_SECCOMP,
        PR_GET_NO_NEW_PRIVS, PR_GET_TIMERSLACK, PR_SET_TIMERSLACK, PR_CAPBSET_READ);
}

enum { TYPE_FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK };

static void check_socketpair(struct program *program) {
    load_argument(program, 0);
    deny_unless_equal(program, AF_UNIX);
    load_argument(program, 1);
    keep_bits(program, ~(uint32_t)TYPE_FLAGS);
    ALLOW_ONLY(program, SOCK_STREAM, SOCK_SEQPACKET);
}

static void check_socket(struct program *program) {
    // Protocol 0 is TCP for streams and UDP for datagrams. Landlock's ports do not cover other protocols, such as
    // MPTCP.
    enum { TCP = 6, UDP = 17 };
    load_argument(program, 0);
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0);
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0);
    deny(program);
    load_argument(program, 1);
    keep_bits(program, ~(uint32_t)TYPE_FLAGS);
    if (program->options->any_network) {
        // For a stream, jump over the six instructions about datagrams.
        emit(program, BPF_JMP | BPF_JEQ | BPF_K, SOCK_DGRAM, 0, 6);
        load_argument(program, 2);
        ALLOW_ONLY(program, 0, UDP);
    }
    deny_unless_equal(program, SOCK_STREAM);
    load_argument(program, 2);
    ALLOW_ONLY(program, 0, TCP);
}

static bool has_network(const phs_filter_options *options) {
    return options->any_network || options->connects || options->listens;
}

static void check_message_flags(struct program *program, unsigned flags) {
    load_argument(program, flags);
    deny_if_any_bit(program, FAST_OPEN);
    allow(program);
}
static void check_sendmsg(struct program *program) { check_message_flags(program, 2); }
static void check_sendmmsg(struct program *program) { check_message_flags(program, 3); }
static void check_sendto(struct program *program) {
    if (!has_network(program->options)) {
        load_argument(program, 4);
        deny_unless_equal(program, 0);
        load_upper_half(program, 4);
        deny_unless_equal(program, 0);
    }
    check_message_flags(program, 3);
}

// Sizes, times and addresses. Not the options that attach a program to a socket.
static void check_setsockopt(struct program *program) {
    enum { IP = 0, TCP = 6, IPV6 = 41 };
    load_argument(program, 1);
    if (has_network(program->options)) {
        allow_if_equal(program, IP);
        allow_if_equal(program, TCP);
        allow_if_equal(program, IPV6);
    }
    deny_unless_equal(program, SOL_SOCKET);
    load_argument(program, 2);
    ALLOW_ONLY(
        program, SO_SNDBUF, SO_RCVBUF, SO_RCVLOWAT, SO_RCVTIMEO, SO_SNDTIMEO, SO_LINGER, SO_KEEPALIVE, SO_REUSEADDR,
        SO_REUSEPORT, SO_BROADCAST);
}

// MARK: - The table

enum condition { ALWAYS, NETWORK, CONNECT, LISTEN, ANY_NETWORK, PROCESSES };

static const struct row {
    const char *name;
    int16_t x86_64, aarch64;
    uint8_t condition;
    void (*check)(struct program *);  // NULL: allowed with any arguments
    const char *reason;
} table[] = {
    // Input and output on descriptors that the process has. Landlock decides what it may open.
    {"read", 0, 63, ALWAYS, NULL, "reads an open descriptor"},
    {"write", 1, 64, ALWAYS, NULL, "writes an open descriptor"},
    {"readv", 19, 65, ALWAYS, NULL, "reads into several buffers (Dispatch I/O)"},
    {"writev", 20, 66, ALWAYS, NULL, "writes several buffers (standard error of glibc and Swift)"},
    {"pread64", 17, 67, ALWAYS, NULL, "reads at an offset (dynamic linker, Foundation)"},
    {"pwrite64", 18, 68, ALWAYS, NULL, "writes at an offset"},
    {"preadv", 295, 69, ALWAYS, NULL, "reads several buffers at an offset"},
    {"pwritev", 296, 70, ALWAYS, NULL, "writes several buffers at an offset"},
    {"preadv2", 327, 286, ALWAYS, NULL, "glibc implements preadv with flags by it"},
    {"pwritev2", 328, 287, ALWAYS, NULL, "glibc implements pwritev with flags by it"},
    {"lseek", 8, 62, ALWAYS, NULL, "moves in an open file"},
    {"sendfile", 40, 71, ALWAYS, NULL, "Foundation copies files with it"},
    {"copy_file_range", 326, 285, ALWAYS, NULL, "Foundation and C++ copy files with it"},
    {"ftruncate", 77, 46, ALWAYS, NULL, "needs a descriptor that was opened for writing"},
    {"fallocate", 285, 47, ALWAYS, check_fallocate, "only what RLIMIT_FSIZE bounds; needs a descriptor for writing"},
    {"fsync", 74, 82, ALWAYS, NULL, "flushes a file (atomic writes)"},
    {"fdatasync", 75, 83, ALWAYS, NULL, "flushes the content of a file"},
    {"fadvise64", 221, 223, ALWAYS, NULL, "advice about reading ahead"},
    {"flock", 73, 32, ALWAYS, NULL, "locks an open file"},
    {"fcntl", 72, 25, ALWAYS, check_fcntl, "not the commands that make the kernel send signals to another process"},
    {"ioctl", 16, 29, ALWAYS, check_ioctl,
     "only the requests of terminals, sizes and file copies; others can set who gets a signal"},
    {"close", 3, 57, ALWAYS, NULL, "closes a descriptor"},
    {"close_range", 436, 436, ALWAYS, NULL, "closes several descriptors"},
    {"dup", 32, 23, ALWAYS, NULL, "copies a descriptor"},
    {"dup2", 33, -1, ALWAYS, NULL, "copies a descriptor to a number"},
    {"dup3", 292, 24, ALWAYS, NULL, "copies a descriptor to a number"},
    {"pipe", 22, -1, ALWAYS, NULL, "a pipe inside the process"},
    {"pipe2", 293, 59, ALWAYS, NULL, "a pipe inside the process"},
    {"eventfd2", 290, 19, ALWAYS, NULL, "Dispatch wakes its threads with it"},
    {"epoll_create", 213, -1, ALWAYS, NULL, "waits for descriptors (Dispatch)"},
    {"epoll_create1", 291, 20, ALWAYS, NULL, "waits for descriptors (Dispatch)"},
    {"epoll_ctl", 233, 21, ALWAYS, NULL, "waits for descriptors (Dispatch)"},
    {"epoll_wait", 232, -1, ALWAYS, NULL, "waits for descriptors (Dispatch)"},
    {"epoll_pwait", 281, 22, ALWAYS, NULL, "waits for descriptors"},
    {"epoll_pwait2", 441, 441, ALWAYS, NULL, "waits for descriptors, with nanoseconds"},
    {"poll", 7, -1, ALWAYS, NULL, "waits for descriptors"},
    {"ppoll", 271, 73, ALWAYS, NULL, "waits for descriptors"},
    {"select", 23, -1, ALWAYS, NULL, "waits for descriptors"},
    {"pselect6", 270, 72, ALWAYS, NULL, "waits for descriptors"},
    {"timerfd_create", 283, 85, ALWAYS, NULL, "timers of Dispatch and run loops"},
    {"timerfd_settime", 286, 86, ALWAYS, NULL, "timers of Dispatch and run loops"},
    {"timerfd_gettime", 287, 87, ALWAYS, NULL, "timers of Dispatch and run loops"},
    {"signalfd4", 289, 74, ALWAYS, NULL, "signal sources of Dispatch"},
    // Files by path: Landlock decides which. Landlock does not cover modes, owners, attributes or times, so the calls
    // that change them are absent.
    {"open", 2, -1, ALWAYS, check_open,
     "never set-id bits; O_TRUNC only with writing, which Landlock checks in every version"},
    {"openat", 257, 56, ALWAYS, check_openat, "as open"},
    {"creat", 85, -1, ALWAYS, check_creat, "never set-id bits"},
    {"mkdir", 83, -1, ALWAYS, check_mkdir, "never set-id bits"},
    {"mkdirat", 258, 34, ALWAYS, check_mkdirat, "never set-id bits"},
    {"fchmod", 91, 52, ALWAYS, check_fchmod, "answers success and changes nothing; never set-id bits"},
    {"rmdir", 84, -1, ALWAYS, NULL, "removes a directory"},
    {"unlink", 87, -1, ALWAYS, NULL, "removes a file"},
    {"unlinkat", 263, 35, ALWAYS, NULL, "removes a file or directory"},
    {"rename", 82, -1, ALWAYS, NULL, "atomic writes"},
    {"renameat", 264, 38, ALWAYS, NULL, "atomic writes"},
    {"renameat2", 316, 276, ALWAYS, check_rename, "atomic writes; never leaves a device behind"},
    {"symlink", 88, -1, ALWAYS, NULL, "makes a link; what it leads to is checked when it is followed"},
    {"symlinkat", 266, 36, ALWAYS, NULL, "makes a link"},
    {"readlink", 89, -1, ALWAYS, NULL, "reads a link (Foundation finds the program with it)"},
    {"readlinkat", 267, 78, ALWAYS, NULL, "reads a link"},
    {"stat", 4, -1, ALWAYS, NULL, "existence, kind and size"},
    {"lstat", 6, -1, ALWAYS, NULL, "existence, kind and size"},
    {"fstat", 5, 80, ALWAYS, NULL, "kind and size of a descriptor"},
    {"newfstatat", 262, 79, ALWAYS, NULL, "existence, kind and size"},
    {"statx", 332, 291, ALWAYS, NULL, "existence, kind and size"},
    {"access", 21, -1, ALWAYS, NULL, "asks for a right (dynamic linker)"},
    {"faccessat", 269, 48, ALWAYS, NULL, "asks for a right"},
    {"faccessat2", 439, 439, ALWAYS, NULL, "asks for a right"},
    {"statfs", 137, 43, ALWAYS, NULL, "free space"},
    {"fstatfs", 138, 44, ALWAYS, NULL, "free space"},
    {"getdents64", 217, 61, ALWAYS, NULL, "lists a directory that was opened"},
    {"getcwd", 79, 17, ALWAYS, NULL, "the working directory"},
    {"chdir", 80, 49, ALWAYS, NULL, "changes only its own working directory"},
    {"fchdir", 81, 50, ALWAYS, NULL, "changes only its own working directory"},
    {"umask", 95, 166, ALWAYS, NULL, "changes only its own files"},
    {"fgetxattr", 193, 10, ALWAYS, NULL, "attributes of an open file (Foundation copies them)"},
    {"flistxattr", 196, 13, ALWAYS, NULL, "attributes of an open file (Foundation copies them)"},
    // Memory of the process. RLIMIT_AS and RLIMIT_DATA limit it.
    {"mmap", 9, 222, ALWAYS, NULL, "memory, and code of libraries"},
    {"munmap", 11, 215, ALWAYS, NULL, "gives memory back"},
    {"mprotect", 10, 226, ALWAYS, NULL, "stacks, and the dynamic linker's relocations"},
    {"mremap", 25, 216, ALWAYS, NULL, "realloc"},
    {"madvise", 28, 233, ALWAYS, NULL, "malloc and stacks of threads"},
    {"brk", 12, 214, ALWAYS, NULL, "malloc"},
    {"msync", 26, 227, ALWAYS, NULL, "writes mapped files; unwinders test addresses with it"},
    {"mincore", 27, 232, ALWAYS, NULL, "unwinders test addresses with it"},
    {"mlock", 149, 228, ALWAYS, NULL, "keys in memory; RLIMIT_MEMLOCK bounds it"},
    {"mlock2", 325, 284, ALWAYS, NULL, "keys in memory; RLIMIT_MEMLOCK bounds it"},
    {"munlock", 150, 229, ALWAYS, NULL, "keys in memory"},
    {"mseal", 462, 462, ALWAYS, NULL, "newer glibc seals the mappings of libraries"},
    {"map_shadow_stack", 453, 453, ALWAYS, NULL, "newer glibc makes shadow stacks for contexts"},
    {"membarrier", 324, 283, ALWAYS, NULL, "barriers between the threads of the process"},
    {"process_vm_readv", 310, 270, ALWAYS, check_own_memory,
     "only the process itself: a crash handler reads its stack without a second fault"},
    // Threads of the process.
    {"clone", 56, 220, ALWAYS, check_clone, "only new threads, and no flag that a thread of glibc does not have"},
    {"futex", 202, 98, ALWAYS, NULL, "every lock"},
    {"futex_waitv", 449, 449, ALWAYS, NULL, "waits for several locks"},
    {"futex_wake", 454, 454, ALWAYS, NULL, "newer interface of futex"},
    {"futex_wait", 455, 455, ALWAYS, NULL, "newer interface of futex"},
    {"futex_requeue", 456, 456, ALWAYS, NULL, "newer interface of futex"},
    {"set_robust_list", 273, 99, ALWAYS, NULL, "each thread of glibc"},
    {"get_robust_list", 274, 100, ALWAYS, NULL, "the kernel checks whose list it is"},
    {"rseq", 334, 293, ALWAYS, NULL, "each thread of glibc"},
    {"set_tid_address", 218, 96, ALWAYS, NULL, "thread identity"},
    {"gettid", 186, 178, ALWAYS, NULL, "thread identity"},
    {"sched_yield", 24, 124, ALWAYS, NULL, "gives up the processor"},
    {"sched_getaffinity", 204, 123, ALWAYS, NULL, "the number of processors (Foundation)"},
    {"sched_setaffinity", 203, 122, ALWAYS, check_own_thread, "only the calling thread or the process itself"},
    {"sched_getscheduler", 145, 120, ALWAYS, NULL, "reads how a thread is scheduled"},
    {"sched_setscheduler", 144, 119, ALWAYS, check_own_thread, "only the calling thread or the process itself"},
    {"sched_getparam", 143, 121, ALWAYS, NULL, "reads how a thread is scheduled"},
    {"sched_setparam", 142, 118, ALWAYS, check_own_thread, "only the calling thread or the process itself"},
    {"sched_getattr", 315, 275, ALWAYS, NULL, "reads how a thread is scheduled"},
    {"sched_setattr", 314, 274, ALWAYS, check_own_thread, "only the calling thread or the process itself"},
    {"sched_get_priority_max", 146, 125, ALWAYS, NULL, "numbers of the scheduler"},
    {"sched_get_priority_min", 147, 126, ALWAYS, NULL, "numbers of the scheduler"},
    {"sched_rr_get_interval", 148, 127, ALWAYS, NULL, "numbers of the scheduler"},
    {"getpriority", 140, 141, ALWAYS, NULL, "reads a priority"},
    {"setpriority", 141, 140, ALWAYS, check_priority,
     "Dispatch sets the priority of its threads; only the calling thread or the process itself"},
    {"ioprio_get", 252, 31, ALWAYS, NULL, "reads a priority"},
    {"ioprio_set", 251, 30, ALWAYS, check_io_priority, "only the calling thread or the process itself"},
    {"getcpu", 309, 168, ALWAYS, NULL, "which processor runs the thread"},
    {"arch_prctl", 158, -1, ALWAYS, NULL, "the thread register of x86-64"},
    {"prctl", 157, 167, ALWAYS, check_prctl,
     "names of threads and mappings, reading of settings; never the death signal or who may trace"},
    {"exit", 60, 93, ALWAYS, NULL, "ends a thread"},
    {"exit_group", 231, 94, ALWAYS, NULL, "ends the process"},
    {"restart_syscall", 219, 128, ALWAYS, NULL, "the kernel itself continues an interrupted wait with it"},
    // Signals to the process itself.
    {"rt_sigaction", 13, 134, ALWAYS, NULL, "handlers"},
    {"rt_sigprocmask", 14, 135, ALWAYS, NULL, "masks"},
    {"rt_sigreturn", 15, 139, ALWAYS, NULL, "returns from a handler"},
    {"rt_sigpending", 127, 136, ALWAYS, NULL, "which signals wait"},
    {"rt_sigtimedwait", 128, 137, ALWAYS, NULL, "waits for a signal"},
    {"rt_sigsuspend", 130, 133, ALWAYS, NULL, "waits for a signal"},
    {"sigaltstack", 131, 132, ALWAYS, NULL, "stack of handlers"},
    {"pause", 34, -1, ALWAYS, NULL, "waits for a signal"},
    {"alarm", 37, -1, ALWAYS, NULL, "timer of the process"},
    {"getitimer", 36, 102, ALWAYS, NULL, "timer of the process"},
    {"setitimer", 38, 103, ALWAYS, NULL, "timer of the process"},
    {"timer_create", 222, 107, ALWAYS, NULL, "timers of POSIX"},
    {"timer_settime", 223, 110, ALWAYS, NULL, "timers of POSIX"},
    {"timer_gettime", 224, 108, ALWAYS, NULL, "timers of POSIX"},
    {"timer_getoverrun", 225, 109, ALWAYS, NULL, "timers of POSIX"},
    {"timer_delete", 226, 111, ALWAYS, NULL, "timers of POSIX"},
    {"kill", 62, 129, ALWAYS, check_own_process, "only the process itself"},
    {"tgkill", 234, 131, ALWAYS, check_own_process, "only threads of the process itself (abort, pthread_kill)"},
    {"rt_sigqueueinfo", 129, 138, ALWAYS, check_own_process, "only the process itself"},
    {"rt_tgsigqueueinfo", 297, 240, ALWAYS, check_own_process,
     "only threads of the process itself: a crash handler passes a signal on"},
    // Time, identity and numbers: nothing outside of the process changes.
    {"clock_gettime", 228, 113, ALWAYS, NULL, "time"},
    {"clock_getres", 229, 114, ALWAYS, NULL, "time"},
    {"clock_nanosleep", 230, 115, ALWAYS, NULL, "sleeps"},
    {"nanosleep", 35, 101, ALWAYS, NULL, "sleeps"},
    {"gettimeofday", 96, 169, ALWAYS, NULL, "time"},
    {"time", 201, -1, ALWAYS, NULL, "time"},
    {"times", 100, 153, ALWAYS, NULL, "time that was used"},
    {"getrusage", 98, 165, ALWAYS, NULL, "time and memory that were used"},
    {"getrandom", 318, 278, ALWAYS, NULL, "random numbers, seeds of hashing"},
    {"getpid", 39, 172, ALWAYS, NULL, "identity"},
    {"getppid", 110, 173, ALWAYS, NULL, "identity"},
    {"getpgrp", 111, -1, ALWAYS, NULL, "identity"},
    {"getpgid", 121, 155, ALWAYS, NULL, "identity"},
    {"getsid", 124, 156, ALWAYS, NULL, "identity"},
    {"getuid", 102, 174, ALWAYS, NULL, "identity"},
    {"geteuid", 107, 175, ALWAYS, NULL, "identity"},
    {"getgid", 104, 176, ALWAYS, NULL, "identity"},
    {"getegid", 108, 177, ALWAYS, NULL, "identity"},
    {"getresuid", 118, 148, ALWAYS, NULL, "identity"},
    {"getresgid", 120, 150, ALWAYS, NULL, "identity"},
    {"getgroups", 115, 158, ALWAYS, NULL, "identity"},
    {"capget", 125, 90, ALWAYS, NULL, "reads capabilities, of which there are none"},
    {"getrlimit", 97, 163, ALWAYS, NULL, "reads limits"},
    {"setrlimit", 160, 164, ALWAYS, NULL, "a limit can only become lower: the hard limits are the soft ones"},
    {"prlimit64", 302, 261, ALWAYS, check_own_thread, "as setrlimit, only on the process itself"},
    {"uname", 63, 160, ALWAYS, NULL, "name of the system"},
    {"sysinfo", 99, 179, ALWAYS, NULL, "memory of the machine (Foundation)"},
    {"wait4", 61, 260, ALWAYS, NULL, "reports that there is no child"},
    {"waitid", 247, 95, ALWAYS, NULL, "reports that there is no child"},
    // Sockets that already exist: the control socket, pairs, and descriptors that the host passed.
    {"socketpair", 53, 199, ALWAYS, check_socketpair,
     "connected pairs of AF_UNIX; a datagram socket could send to any other"},
    {"sendto", 44, 206, ALWAYS, check_sendto,
     "never to an address, unless the network is granted; never TCP Fast Open, which Landlock misses"},
    {"sendmsg", 46, 211, ALWAYS, check_sendmsg, "messages on connected sockets; never TCP Fast Open"},
    {"recvfrom", 45, 207, ALWAYS, NULL, "receives"},
    {"recvmsg", 47, 212, ALWAYS, NULL, "receives"},
    {"shutdown", 48, 210, ALWAYS, NULL, "ends one direction of a socket"},
    {"getsockopt", 55, 209, ALWAYS, NULL, "reads options"},
    {"setsockopt", 54, 208, ALWAYS, check_setsockopt,
     "sizes and times; options of Internet protocols if the network is granted"},
    {"getsockname", 51, 204, ALWAYS, NULL, "address of a socket"},
    {"getpeername", 52, 205, ALWAYS, NULL, "address of a socket"},
    // Only if the network is granted.
    {"socket", 41, 198, NETWORK, check_socket,
     "Internet sockets only; with ports only TCP, because Landlock restricts no other ports"},
    {"connect", 42, 203, CONNECT, NULL, "opens a connection; Landlock checks the port"},
    {"bind", 49, 200, LISTEN, NULL, "takes a port; Landlock checks it"},
    {"listen", 50, 201, LISTEN, NULL, "waits for connections"},
    {"accept", 43, 202, LISTEN, NULL, "takes a connection"},
    {"accept4", 288, 242, LISTEN, NULL, "takes a connection"},
    {"sendmmsg", 307, 269, ANY_NETWORK, check_sendmmsg, "several messages (name resolution)"},
    {"recvmmsg", 299, 243, ANY_NETWORK, NULL, "several messages"},
    // Only if processes are granted; the host contains them in a PID namespace or a control group.
    {"fork", 57, -1, PROCESSES, NULL, "a new process"},
    {"vfork", 58, -1, PROCESSES, NULL, "a new process"},
    {"execve", 59, 221, PROCESSES, NULL, "runs a program; Landlock decides which"},
    {"execveat", 322, 281, PROCESSES, NULL, "runs a program; Landlock decides which"},
    {"setpgid", 109, 154, PROCESSES, NULL, "groups of a shell"},
    {"setsid", 112, 157, PROCESSES, NULL, "a session of its own"},
};

enum { ROWS = sizeof table / sizeof *table };

static bool is_granted(uint8_t condition, const phs_filter_options *options) {
    switch (condition) {
    case NETWORK: return has_network(options);
    case CONNECT: return options->any_network || options->connects;
    case LISTEN: return options->any_network || options->listens;
    case ANY_NETWORK: return options->any_network;
    case PROCESSES: return options->processes;
    default: return true;
    }
}

bool phs_filter_row_at(size_t index, phs_filter_row *row) {
    static const char *const conditions[] = {"always", "network", "connect", "listen", "any network", "processes"};
    if (index >= ROWS) return false;
    const struct row *from = &table[index];
    *row = (phs_filter_row){
        from->name, from->x86_64, from->aarch64, conditions[from->condition], from->check != NULL, from->reason};
    return true;
}

// MARK: - The program

// The calls without a check, as a set of numbers, so that adjacent numbers share their comparisons.
struct numbers {
    bool contains[NEWEST_CALL + 2];
};

static void allow_ranges(struct program *program, const struct numbers *plain) {
    for (uint32_t first = 0; first <= NEWEST_CALL; first++) {
        if (!plain->contains[first]) continue;
        uint32_t end = first;
        while (plain->contains[end]) end++;
        if (end == first + 1) {
            allow_if_equal(program, first);
        } else {
            emit(program, BPF_JMP | BPF_JGE | BPF_K, first, 0, 2);
            emit(program, BPF_JMP | BPF_JGE | BPF_K, end, 1, 0);
            allow(program);
        }
        first = end;
    }
}

size_t phs_filter_build(const phs_filter_options *asked, phs_filter_instruction *instructions, size_t capacity) {
    phs_filter_options options = *asked;
#if defined(__x86_64__)
    if (options.architecture == 0) options.architecture = PHS_X86_64;
#elif defined(__aarch64__)
    if (options.architecture == 0) options.architecture = PHS_AARCH64;
#endif
    if (options.architecture != PHS_X86_64 && options.architecture != PHS_AARCH64) return 0;
    if (options.process == 0) options.process = getpid();
    struct program program = {&options, instructions, 0, capacity};
    struct numbers plain = {0};

    load(&program, offsetof(struct seccomp_data, arch));
    emit(&program, BPF_JMP | BPF_JEQ | BPF_K, options.architecture, 1, 0);
    answer(&program, SECCOMP_RET_KILL_PROCESS);
    load(&program, offsetof(struct seccomp_data, nr));
    if (options.architecture == PHS_X86_64) {
        emit(&program, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
        answer(&program, SECCOMP_RET_KILL_PROCESS);
    }
    // Calls whose arguments are checked come first: the kernel remembers the calls that are always allowed, and does
    // not run the filter for them.
    for (size_t i = 0; i < ROWS; i++) {
        int number = options.architecture == PHS_X86_64 ? table[i].x86_64 : table[i].aarch64;
        if (number < 0 || !is_granted(table[i].condition, &options)) continue;
        if (table[i].check == NULL) {
            plain.contains[number] = true;
            continue;
        }
        size_t jump = program.count;
        emit(&program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 0);
        table[i].check(&program);
        size_t length = program.count - jump - 1;
        if (length > UINT8_MAX) return 0;
        if (jump < capacity) instructions[jump].if_false = (uint8_t)length;
    }
    allow_ranges(&program, &plain);
    emit(&program, BPF_JMP | BPF_JEQ | BPF_K, CLONE3, 1, 0);
    emit(&program, BPF_JMP | BPF_JGT | BPF_K, NEWEST_CALL, 0, 1);
    answer(&program, SECCOMP_RET_ERRNO | ENOSYS);
    deny(&program);
    return program.count <= capacity ? program.count : 0;
}

bool phs_filter_is_available(const phs_kernel *kernel) {
    uint32_t action = (uint32_t)ACTION_KILL_PROCESS;
    return kernel_or_real(kernel)->seccomp(GET_ACTION_AVAIL, 0, &action) == 0;
}

int phs_filter_install(const phs_kernel *kernel, const phs_filter_options *options, phs_failure *failure) {
    phs_filter_instruction instructions[PHS_FILTER_CAPACITY];
    size_t count = phs_filter_build(options, instructions, PHS_FILTER_CAPACITY);
    if (count == 0) return fail(failure, ENOTSUP, "systemCalls", "architecture", 0);
    struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)instructions};
    long result = kernel_or_real(kernel)->seccomp(
        SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC | FLAG_TSYNC_ESRCH, &program);
    if (result == 0) return 0;
    int error = result > 0 ? ESRCH : errno;
    return fail(failure, error, error == EACCES ? "privileges" : "systemCalls", "seccomp", 0);
}
