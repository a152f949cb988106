// Runs the filter's program in an interpreter of its own, for both architectures: the answers for every number, and for
// the arguments that decide. The kernel's own answers are in confined.c.
#include "facts.h"
#include "filter.h"
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum {
    SELF = 4321,
    ALLOWED = SECCOMP_RET_ALLOW,
    NO_PERMISSION = SECCOMP_RET_ERRNO | EPERM,
    NO_CALL = SECCOMP_RET_ERRNO | ENOSYS
};

static uint32_t run(const phs_filter_instruction *program, size_t count, const struct seccomp_data *data) {
    uint32_t value = 0;
    for (size_t at = 0; at < count; at++) {
        const phs_filter_instruction *it = &program[at];
        switch (it->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (it->value % 4 != 0 || it->value + 4 > sizeof *data) return 1;
            memcpy(&value, (const char *)data + it->value, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K: value &= it->value; break;
        case BPF_JMP | BPF_JEQ | BPF_K: at += value == it->value ? it->if_true : it->if_false; break;
        case BPF_JMP | BPF_JGE | BPF_K: at += value >= it->value ? it->if_true : it->if_false; break;
        case BPF_JMP | BPF_JGT | BPF_K: at += value > it->value ? it->if_true : it->if_false; break;
        case BPF_JMP | BPF_JSET | BPF_K: at += (value & it->value) != 0 ? it->if_true : it->if_false; break;
        case BPF_RET | BPF_K: return it->value;
        default: return 2;
        }
    }
    return 3;
}

struct filter {
    phs_filter_options options;
    phs_filter_instruction program[PHS_FILTER_CAPACITY];
    size_t count;
};

static struct filter made(phs_filter_options options) {
    struct filter filter = {.options = options};
    filter.options.process = SELF;
    filter.count = phs_filter_build(&filter.options, filter.program, PHS_FILTER_CAPACITY);
    return filter;
}

static int number_of(const char *name, uint32_t architecture) {
    phs_filter_row row;
    for (size_t i = 0; phs_filter_row_at(i, &row); i++)
        if (strcmp(row.name, name) == 0) return architecture == PHS_X86_64 ? row.x86_64 : row.aarch64;
    abort();
}

static uint32_t ask(const struct filter *filter, int number, const uint64_t arguments[6]) {
    struct seccomp_data data = {.nr = number, .arch = filter->options.architecture};
    if (arguments != NULL) memcpy(data.args, arguments, sizeof data.args);
    return run(filter->program, filter->count, &data);
}

// A call by name with its arguments, on both architectures.
static void expect(
    phs_filter_options options, uint32_t answer, const char *name, const uint64_t arguments[6], const char *fact_name) {
    const uint32_t both[] = {PHS_X86_64, PHS_AARCH64};
    for (int i = 0; i < 2; i++) {
        options.architecture = both[i];
        struct filter filter = made(options);
        int number = number_of(name, both[i]);
        if (number < 0) continue;
        uint32_t got = ask(&filter, number, arguments);
        fact(got == answer, "%s: %s (%s, answer %#x)", name, fact_name, i == 0 ? "x86-64" : "aarch64", got);
    }
}
#define EXPECT(options, answer, name, fact, ...) expect(options, answer, name, (const uint64_t[6]){__VA_ARGS__}, fact)

static const phs_filter_options nothing, ports_out = {.connects = true}, ports_in = {.listens = true},
                                         network = {.any_network = true}, devices = {.devices = true},
                                         processes = {.processes = true};

// Each row once, each number once, each with a reason. On x86-64 the numbers are compared with the compiler's headers.
static void table(void) {
    static bool seen[2][512];
    phs_filter_row row, other;
    bool unique = true, reasons = true;
    for (size_t i = 0; phs_filter_row_at(i, &row); i++) {
        if (row.x86_64 >= 0) unique = unique && !seen[0][row.x86_64], seen[0][row.x86_64] = true;
        if (row.aarch64 >= 0) unique = unique && !seen[1][row.aarch64], seen[1][row.aarch64] = true;
        reasons = reasons && strlen(row.reason) > 3 && (row.x86_64 >= 0 || row.aarch64 >= 0);
        for (size_t j = 0; j < i && phs_filter_row_at(j, &other); j++)
            unique = unique && strcmp(row.name, other.name) != 0;
    }
    fact(unique, "each call and each number stands in one row");
    fact(reasons, "each row has a reason");
#if defined(__x86_64__)
#define SAME(name) same = same && number_of(#name, PHS_X86_64) == SYS_##name
    bool same = true;
    SAME(read);
    SAME(write);
    SAME(openat);
    SAME(mmap);
    SAME(clone);
    SAME(prctl);
    SAME(fcntl);
    SAME(ioctl);
    SAME(kill);
    SAME(tgkill);
    SAME(socket);
    SAME(socketpair);
    SAME(sendto);
    SAME(sendmsg);
    SAME(setsockopt);
    SAME(prlimit64);
    SAME(setpriority);
    SAME(sched_setaffinity);
    SAME(ioprio_set);
    SAME(process_vm_readv);
    SAME(rt_sigqueueinfo);
    SAME(rt_tgsigqueueinfo);
    SAME(futex);
    SAME(epoll_pwait);
    SAME(renameat2);
    SAME(statx);
    SAME(getrandom);
    SAME(rseq);
    SAME(faccessat2);
    SAME(close_range);
    SAME(execve);
    SAME(fork);
    SAME(vfork);
    SAME(exit_group);
    SAME(membarrier);
    fact(same, "the numbers are those of the headers");
#endif
}

// For every number: allowed exactly if the table has it without a condition.
static void numbers(uint32_t architecture, const char *name) {
    struct filter filter = made((phs_filter_options){.architecture = architecture});
    fact(
        filter.count > 100 && filter.count < PHS_FILTER_CAPACITY, "%s: a program of %zu instructions", name,
        filter.count);
    bool plain = true, others = true, newer = true;
    for (int number = 0; number < 1000; number++) {
        phs_filter_row row;
        bool in_table = false, checked = false;
        for (size_t i = 0; phs_filter_row_at(i, &row); i++) {
            if ((architecture == PHS_X86_64 ? row.x86_64 : row.aarch64) != number) continue;
            in_table = strcmp(row.condition, "always") == 0;
            checked = row.checks_arguments;
        }
        uint32_t got = ask(&filter, number, NULL);
        if (in_table && !checked)
            plain = plain && got == ALLOWED;
        else if (number == 435 || number > 462)
            newer = newer && got == NO_CALL;
        else if (!in_table)
            others = others && got == NO_PERMISSION;
    }
    fact(plain, "%s: calls of the table are allowed", name);
    fact(others, "%s: all others fail with EPERM", name);
    fact(newer, "%s: clone3 and newer calls fail with ENOSYS", name);
    struct seccomp_data foreign = {.nr = 0, .arch = AUDIT_ARCH_I386};
    fact(
        run(filter.program, filter.count, &foreign) == SECCOMP_RET_KILL_PROCESS, "%s: another architecture kills",
        name);
    foreign.arch = architecture == PHS_X86_64 ? PHS_AARCH64 : PHS_X86_64;
    fact(run(filter.program, filter.count, &foreign) == SECCOMP_RET_KILL_PROCESS, "%s: the other one kills", name);
    if (architecture == PHS_X86_64) fact(ask(&filter, 0x40000000, NULL) == SECCOMP_RET_KILL_PROCESS, "x32 kills");
}

int main(void) {
    table();
    numbers(PHS_X86_64, "x86-64");
    numbers(PHS_AARCH64, "aarch64");
    phs_filter_instruction few[16];
    fact(
        phs_filter_build(&(phs_filter_options){.architecture = PHS_X86_64}, few, 16) == 0,
        "a capacity too small gives 0");
    fact(
        phs_filter_build(&(phs_filter_options){.architecture = AUDIT_ARCH_I386}, few, 16) == 0,
        "an unknown architecture gives 0");

    enum {
        THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |
                 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID
    };
    EXPECT(nothing, ALLOWED, "clone", "a thread of glibc", THREAD);
    EXPECT(nothing, NO_PERMISSION, "clone", "a fork", SIGCHLD);
    EXPECT(nothing, NO_PERMISSION, "clone", "a vfork", CLONE_VM | CLONE_VFORK | SIGCHLD);
    EXPECT(nothing, NO_PERMISSION, "clone", "a thread in a namespace of its own", THREAD | CLONE_NEWNET);
    EXPECT(nothing, NO_PERMISSION, "clone", "a thread that the parent traces", THREAD | CLONE_PTRACE);
    EXPECT(nothing, NO_PERMISSION, "clone", "a thread without the memory", THREAD & ~CLONE_VM);
    EXPECT(processes, ALLOWED, "clone", "a fork with the grant", SIGCHLD);
    EXPECT(processes, NO_PERMISSION, "clone", "a child of the host with the grant", CLONE_PARENT | SIGCHLD);
    EXPECT(processes, ALLOWED, "kill", "another process with the grant", SELF + 1, SIGTERM);
    EXPECT(processes, NO_PERMISSION, "process_vm_readv", "memory of another process with the grant", SELF + 1);
    EXPECT(nothing, ALLOWED, "renameat2", "exchanging two files", 0, 0, 0, 0, RENAME_EXCHANGE);
    EXPECT(nothing, NO_PERMISSION, "renameat2", "leaving a device behind", 0, 0, 0, 0, RENAME_WHITEOUT);
    EXPECT(processes, NO_PERMISSION, "clone", "a namespace with the grant", CLONE_NEWUSER | SIGCHLD);

    const char *const to_process[] = {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "process_vm_readv"};
    for (int i = 0; i < 5; i++) {
        EXPECT(nothing, ALLOWED, to_process[i], "itself", SELF);
        EXPECT(
            nothing, ALLOWED, to_process[i], "itself, with noise in the half that the kernel ignores",
            7ull << 32 | SELF);
        EXPECT(nothing, NO_PERMISSION, to_process[i], "another process", SELF + 1);
        EXPECT(nothing, NO_PERMISSION, to_process[i], "its group", 0);
        EXPECT(nothing, NO_PERMISSION, to_process[i], "all processes", (uint64_t)-1);
        EXPECT(nothing, NO_PERMISSION, to_process[i], "a group by number", (uint64_t)-SELF);
    }
    const char *const to_thread[] = {
        "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "prlimit64"};
    for (int i = 0; i < 5; i++) {
        EXPECT(nothing, ALLOWED, to_thread[i], "the calling thread", 0);
        EXPECT(nothing, ALLOWED, to_thread[i], "itself", SELF);
        EXPECT(nothing, NO_PERMISSION, to_thread[i], "another process", 1);
    }
    EXPECT(nothing, ALLOWED, "setpriority", "the calling thread", 0, 0);
    EXPECT(nothing, NO_PERMISSION, "setpriority", "the group", 1, 0);
    EXPECT(nothing, NO_PERMISSION, "setpriority", "the user", 2, 0);
    EXPECT(nothing, NO_PERMISSION, "setpriority", "another process", 0, 1);
    EXPECT(nothing, ALLOWED, "ioprio_set", "the calling thread", 1, 0);
    EXPECT(nothing, NO_PERMISSION, "ioprio_set", "the user", 3, 0);

    EXPECT(nothing, ALLOWED, "openat", "reading", 0, 0, O_RDONLY | O_CLOEXEC);
    EXPECT(nothing, ALLOWED, "openat", "a register with noise where no mode is", 0, 0, O_RDWR, 07777);
    EXPECT(nothing, ALLOWED, "openat", "making a file", 0, 0, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    EXPECT(nothing, NO_PERMISSION, "openat", "making a setuid file", 0, 0, O_WRONLY | O_CREAT, 04755);
    EXPECT(nothing, NO_PERMISSION, "openat", "making a setgid file", 0, 0, O_WRONLY | O_CREAT, 02755);
    EXPECT(nothing, NO_PERMISSION, "openat", "an unnamed setuid file", 0, 0, O_WRONLY | O_TMPFILE, 04755);
    EXPECT(nothing, NO_PERMISSION, "openat", "truncating without writing", 0, 0, O_RDONLY | O_TRUNC);
    EXPECT(nothing, NO_PERMISSION, "openat", "truncating with access mode 3", 0, 0, 3 | O_TRUNC);
    EXPECT(nothing, ALLOWED, "open", "making a file", 0, O_WRONLY | O_CREAT, 0600);
    EXPECT(nothing, NO_PERMISSION, "open", "making a setuid file", 0, O_WRONLY | O_CREAT, 04600);
    EXPECT(nothing, NO_PERMISSION, "creat", "a setuid file", 0, 04600);
    EXPECT(nothing, NO_PERMISSION, "mkdir", "a setgid directory", 0, 02700);
    EXPECT(nothing, NO_PERMISSION, "mkdirat", "a setgid directory", 0, 0, 02700);
    EXPECT(nothing, SECCOMP_RET_ERRNO, "fchmod", "success without an effect", 3, 0644);
    EXPECT(nothing, NO_PERMISSION, "fchmod", "a setuid file", 3, 04755);
    EXPECT(nothing, ALLOWED, "mkdirat", "a directory", 0, 0, 0700);

    EXPECT(nothing, ALLOWED, "fcntl", "closing on exec", 0, F_SETFD);
    EXPECT(nothing, ALLOWED, "fcntl", "a lock", 0, F_OFD_SETLK);
    EXPECT(nothing, NO_PERMISSION, "fcntl", "F_SETOWN", 0, F_SETOWN);
    EXPECT(nothing, NO_PERMISSION, "fcntl", "F_SETOWN_EX", 0, F_SETOWN_EX);
    EXPECT(nothing, NO_PERMISSION, "fcntl", "F_SETSIG", 0, F_SETSIG);
    EXPECT(nothing, NO_PERMISSION, "fcntl", "F_NOTIFY", 0, F_NOTIFY);
    EXPECT(nothing, NO_PERMISSION, "fcntl", "F_SETLEASE", 0, F_SETLEASE);
    EXPECT(nothing, ALLOWED, "ioctl", "bytes that wait", 0, FIONREAD);
    EXPECT(nothing, NO_PERMISSION, "ioctl", "FIOSETOWN", 0, 0x8901);
    EXPECT(nothing, NO_PERMISSION, "ioctl", "typing at a terminal", 0, TIOCSTI);
    EXPECT(devices, ALLOWED, "ioctl", "a request to a granted device", 0, 0xc0106401);
    EXPECT(devices, NO_PERMISSION, "ioctl", "FIOSETOWN with devices", 0, 0x8901);
    EXPECT(devices, NO_PERMISSION, "ioctl", "SIOCSPGRP with devices", 0, 0x8902);
    EXPECT(devices, NO_PERMISSION, "ioctl", "typing at a terminal with devices", 0, TIOCSTI);

    EXPECT(nothing, ALLOWED, "prctl", "its name", PR_SET_NAME);
    EXPECT(nothing, NO_PERMISSION, "prctl", "the death signal", PR_SET_PDEATHSIG);
    EXPECT(nothing, NO_PERMISSION, "prctl", "who may trace", PR_SET_PTRACER);
    EXPECT(nothing, NO_PERMISSION, "prctl", "being measured", PR_SET_DUMPABLE);
    EXPECT(nothing, NO_PERMISSION, "prctl", "another filter", PR_SET_SECCOMP);
    EXPECT(nothing, NO_PERMISSION, "prctl", "its memory map", PR_SET_MM);

    EXPECT(nothing, ALLOWED, "socketpair", "a stream", AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC);
    EXPECT(nothing, ALLOWED, "socketpair", "packets in order", AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK);
    EXPECT(nothing, NO_PERMISSION, "socketpair", "datagrams", AF_UNIX, SOCK_DGRAM);
    EXPECT(nothing, NO_PERMISSION, "socketpair", "another family", AF_TIPC, SOCK_STREAM);
    EXPECT(nothing, ALLOWED, "sendto", "without an address", 3, 0, 0, MSG_NOSIGNAL, 0, 0);
    EXPECT(nothing, NO_PERMISSION, "sendto", "to an address", 3, 0, 0, 0, 0x1000, 16);
    EXPECT(nothing, NO_PERMISSION, "sendto", "to an address above 4 GiB", 3, 0, 0, 0, 0x7f0000000000, 16);
    EXPECT(network, ALLOWED, "sendto", "to an address with the grant", 3, 0, 0, 0, 0x1000, 16);
    EXPECT(ports_out, NO_PERMISSION, "sendto", "opening a connection by the way", 3, 0, 0, 0x20000000, 0x1000, 16);
    EXPECT(ports_out, NO_PERMISSION, "sendmsg", "opening a connection by the way", 3, 0, 0x20000000);
    EXPECT(nothing, ALLOWED, "setsockopt", "the size of a buffer", 3, SOL_SOCKET, SO_SNDBUF);
    EXPECT(nothing, NO_PERMISSION, "setsockopt", "a program on a socket", 3, SOL_SOCKET, SO_ATTACH_FILTER);
    EXPECT(
        network, NO_PERMISSION, "setsockopt", "a program on a socket with the network", 3, SOL_SOCKET, SO_ATTACH_BPF);
    EXPECT(network, ALLOWED, "setsockopt", "an option of TCP with the network", 3, 6, 1);
    EXPECT(nothing, ALLOWED, "fallocate", "room in a file", 3, 0, 0, 4096);
    EXPECT(nothing, NO_PERMISSION, "fallocate", "blocks beyond the end", 3, FALLOC_FL_KEEP_SIZE, 0, 4096);
    EXPECT(nothing, NO_PERMISSION, "fcntl", "larger pipes", 3, F_SETPIPE_SZ, 1 << 20);
    EXPECT(nothing, NO_PERMISSION, "setsockopt", "of a protocol", 3, 0);

    EXPECT(nothing, NO_PERMISSION, "socket", "TCP", AF_INET, SOCK_STREAM);
    EXPECT(nothing, NO_PERMISSION, "connect", "nothing granted", 3);
    EXPECT(ports_out, ALLOWED, "socket", "TCP with ports", AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT(ports_out, ALLOWED, "socket", "TCP by name with ports", AF_INET, SOCK_STREAM, 6);
    EXPECT(ports_out, NO_PERMISSION, "socket", "MPTCP with ports", AF_INET, SOCK_STREAM, 262);
    EXPECT(ports_out, NO_PERMISSION, "socket", "UDP with ports", AF_INET, SOCK_DGRAM, 0);
    EXPECT(ports_out, NO_PERMISSION, "socket", "a local socket with ports", AF_UNIX, SOCK_STREAM);
    EXPECT(ports_out, ALLOWED, "connect", "with ports to connect to", 3);
    EXPECT(ports_out, NO_PERMISSION, "bind", "with ports to connect to", 3);
    EXPECT(ports_in, ALLOWED, "listen", "with ports to listen on", 3);
    EXPECT(ports_in, NO_PERMISSION, "connect", "with ports to listen on", 3);
    EXPECT(network, ALLOWED, "socket", "UDP with the network", AF_INET, SOCK_DGRAM, 0);
    EXPECT(network, ALLOWED, "socket", "UDP by name with the network", AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 17);
    EXPECT(network, ALLOWED, "socket", "TCP with the network", AF_INET6, SOCK_STREAM, 0);
    EXPECT(network, NO_PERMISSION, "socket", "ICMP with the network", AF_INET, SOCK_DGRAM, 1);
    EXPECT(network, NO_PERMISSION, "socket", "a raw socket with the network", AF_INET, SOCK_RAW, 1);
    EXPECT(network, NO_PERMISSION, "socket", "netlink with the network", AF_NETLINK, SOCK_RAW);
    EXPECT(network, NO_PERMISSION, "socket", "a local socket with the network", AF_UNIX, SOCK_STREAM);
    EXPECT(network, NO_PERMISSION, "socket", "a packet socket with the network", AF_PACKET, SOCK_RAW);
    EXPECT(processes, ALLOWED, "execve", "with the grant", 0);
    EXPECT(nothing, NO_PERMISSION, "execve", "without the grant", 0);
    return failures != 0;
}
