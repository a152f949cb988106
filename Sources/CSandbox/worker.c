#pragma GCC visibility push(protected)
#include "worker.h"
#pragma GCC visibility pop

#include "internal.h"
#include "landlock.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Numbers that older headers lack.
enum {
    PIDFD_SEND_SIGNAL = 424, PIDFD_OPEN = 434, SIGNAL_GROUP = 1 << 2, CLONE_WITH_PIDFD = 0x1000,
    WAIT_BY_PIDFD = 3
};

enum { STACK_SIZE = 64 * 1024, KERNEL_SIGNALS = 64, LONGEST_DEATH = 1000 /* milliseconds */ };

// The line in the map of a user namespace that keeps the number of a user or group unchanged.
struct identity {
    char text[48];
    size_t size;
};

// The state that the host and the new process share. The host is suspended until execve() or exit, so there is no race.
struct start {
    const phs_worker_plan *plan;
    pid_t host;
    bool has_user_namespace;
    struct identity user, group;
    int join_error;
    phs_failure failure;
};

// MARK: - In the new process: system calls only

// Records what failed and ends the new process.
static _Noreturn void give_up(struct start *start, int error, const char *layer, const char *step, size_t index) {
    fail(&start->failure, error, layer, step, index);
    for (;;) syscall(SYS_exit_group, 127);
}

// Gives up if a call fails; the call's own name is the step.
#define REQUIRE(start, layer, name, call)                                             \
    do {                                                                              \
        if ((call) < 0) give_up(start, errno, layer, name, 0);                        \
    } while (0)

static void write_file(struct start *start, const char *path, const char *step, const char *text, size_t size) {
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (file < 0 || syscall(SYS_write, file, text, size) < 0) give_up(start, errno, "processes", step, 0);
    syscall(SYS_close, file);
}

// Without these lines, the user of the worker would have no number in its namespace, and the worker could not create a
// file.
static void keep_identity(struct start *start) {
    static const char deny[] = "deny";  // without this, the kernel refuses the line of the group
    write_file(start, "/proc/self/uid_map", "uid_map", start->user.text, start->user.size);
    write_file(start, "/proc/self/setgroups", "setgroups", deny, sizeof deny - 1);
    write_file(start, "/proc/self/gid_map", "gid_map", start->group.text, start->group.size);
}

static void drop_privileges(struct start *start) {
    const phs_worker_plan *plan = start->plan;
    // Not the functions of glibc: they would change all threads of the host.
    if (plan->changes_user) {
        REQUIRE(start, "privileges", "setgroups", syscall(SYS_setgroups, 0ul, NULL));
        REQUIRE(start, "privileges", "setresgid", syscall(SYS_setresgid, plan->group, plan->group, plan->group));
        REQUIRE(start, "privileges", "setresuid", syscall(SYS_setresuid, plan->user, plan->user, plan->user));
    }
    // Kernels without ambient capabilities have none to clear.
    syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0ul, 0ul, 0ul);
    if (syscall(SYS_geteuid) != 0) {
        struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
        struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}};
        REQUIRE(start, "privileges", "capset", syscall(SYS_capset, &head, none));
    }
    // After the change of the user, which clears the death signal. The host may have ended before this call, so check
    // the parent. In a PID namespace the host has no number; a worker there ends when it finds the control socket
    // closed.
    unsigned long kill_it = SIGKILL;
    REQUIRE(start, "process", "PR_SET_PDEATHSIG", syscall(SYS_prctl, PR_SET_PDEATHSIG, kill_it, 0ul, 0ul, 0ul));
    if (!plan->has_processes && syscall(SYS_getppid) != start->host) give_up(start, ESRCH, "process", "getppid", 0);
    REQUIRE(start, "privileges", "PR_SET_NO_NEW_PRIVS", syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1ul, 0ul, 0ul, 0ul));
}

// Without this check, the worker would fail later without naming the directory.
static void enter_directories(struct start *start) {
    const phs_worker_plan *plan = start->plan;
    if (!plan->changes_user || plan->directories == NULL) return;
    for (size_t i = 0; plan->directories[i] != NULL; i++)
        if (syscall(SYS_faccessat, AT_FDCWD, plan->directories[i], X_OK) < 0)
            give_up(start, errno, "process", "enter", i);
}

// A host that plays sound may start the worker on a thread with real-time priority, or may have the right to such a
// priority. An endless loop with that priority would freeze the machine.
static void drop_real_time(struct start *start) {
    const struct { uint64_t soft, hard; } never = {0, 0};
    REQUIRE(start, "limits", "RLIMIT_RTPRIO", syscall(SYS_prlimit64, 0, RLIMIT_RTPRIO, &never, NULL));
    long policy = syscall(SYS_sched_getscheduler, 0);
    if (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE) return;
    struct sched_param none = {0};
    REQUIRE(start, "process", "sched_setscheduler", syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none));
}

// Returns the descriptor of the process's own directory in /proc, which the process has to keep open; -1 if files are
// not confined.
static int confine_files(struct start *start) {
    int ruleset = start->plan->ruleset;
    if (ruleset < 0) return -1;
    const phs_kernel *kernel = kernel_or_real(start->plan->kernel);
    const char *step;
    int own = phs_landlock_add_own_process(kernel, ruleset, &step);
    if (own < 0) give_up(start, errno, "files", step, 0);
    REQUIRE(start, "files", "landlock_restrict_self", kernel->landlock_restrict_self(ruleset, 0));
    return own;
}

// An entry that getdents64() writes.
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

// Parses a text as a decimal number. Returns -1 if it is not one.
static int number_of(const char *text) {
    int number = 0;
    if (*text == 0) return -1;
    for (; *text != 0; text++) {
        if (*text < '0' || *text > '9' || number > INT_MAX / 10 - 1) return -1;
        number = number * 10 + (*text - '0');
    }
    return number;
}

// Closes every descriptor from `first` on. Kernels before 5.9 have no close_range(), and the filters of some containers
// refuse it with EPERM, like every call they do not know. Then the list in /proc shows which descriptors are open.
// Without that list the start fails, because a worker must not get a descriptor of the host.
static void close_from(struct start *start, int first) {
    if (kernel_or_real(start->plan->kernel)->close_range((unsigned)first, ~0u, 0) == 0) return;
    int error = errno;
    if (error != ENOSYS && error != EPERM) give_up(start, error, "descriptors", "close_range", 0);
    int list = (int)syscall(
        SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (list < 0) give_up(start, error, "descriptors", "close_range", 0);
    _Alignas(struct directory_entry) char entries[4096];
    // Repeat until nothing is found, because the list changes while it is read.
    for (bool found = true; found;) {
        found = false;
        REQUIRE(start, "descriptors", "close_range", syscall(SYS_lseek, list, 0l, SEEK_SET));
        long size;
        while ((size = syscall(SYS_getdents64, list, entries, sizeof entries)) > 0) {
            for (long at = 0; at < size;) {
                const struct directory_entry *entry = (const void *)(entries + at);
                int descriptor = number_of(entry->name);
                if (descriptor >= first && descriptor != list) {
                    syscall(SYS_close, descriptor);
                    found = true;
                }
                at += entry->length;
            }
        }
        if (size < 0) give_up(start, errno, "descriptors", "close_range", 0);
    }
    syscall(SYS_close, list);
}

static void arrange_descriptors(struct start *start, int own_process) {
    enum { COUNT = PHS_WORKER_DESCRIPTORS + 1 };
    int from[COUNT];
    // First move descriptors out of the way: one of the host's may have the number that another one is about to get.
    for (int i = 0; i < COUNT; i++) {
        from[i] = i < PHS_WORKER_DESCRIPTORS ? start->plan->descriptors[i] : own_process;
        if (from[i] < 0 || from[i] >= COUNT) continue;
        from[i] = (int)syscall(SYS_fcntl, from[i], F_DUPFD_CLOEXEC, (unsigned long)COUNT);
        if (from[i] < 0) give_up(start, errno, "descriptors", "F_DUPFD", (size_t)i);
    }
    for (int i = 0; i < COUNT; i++) {
        if (from[i] < 0)
            syscall(SYS_close, i);
        else if (syscall(SYS_dup3, from[i], i, 0) < 0)
            give_up(start, errno, "descriptors", "dup3", (size_t)i);
    }
    close_from(start, COUNT);
}

static void lower_limits(struct start *start) {
    for (size_t i = 0; i < start->plan->limit_count; i++) {
        const phs_limit *limit = &start->plan->limits[i];
        struct { uint64_t soft, hard; } now, new;
        if (syscall(SYS_prlimit64, 0, limit->resource, NULL, &now) < 0)
            give_up(start, errno, "limits", "prlimit", i);
        new.hard = limit->hard < now.hard ? limit->hard : now.hard;
        new.soft = limit->soft < now.soft ? limit->soft : now.soft;
        if (new.soft > new.hard) new.soft = new.hard;
        if (syscall(SYS_prlimit64, 0, limit->resource, &new, NULL) < 0)
            give_up(start, errno, "limits", "prlimit", i);
    }
}

// Signals that the host ignores would stay ignored after execve(), and the host's handlers must not run in this
// process.
static void reset_signals(struct start *start) {
    static const struct { void *handler; unsigned long flags; void *restorer; uint64_t mask; } defaults;
    for (int signal = 1; signal <= KERNEL_SIGNALS; signal++)
        if (signal != SIGKILL && signal != SIGSTOP)
            syscall(SYS_rt_sigaction, signal, &defaults, NULL, sizeof(uint64_t));
    uint64_t none = 0;
    REQUIRE(start, "process", "sigprocmask", syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none));
}

// Joins with the rights of the host, and before anything runs that the group must count.
static void join_group(struct start *start) {
    if (start->plan->group_processes == NULL) return;
    long file = syscall(SYS_openat, AT_FDCWD, start->plan->group_processes, O_WRONLY | O_CLOEXEC, 0);
    if (file < 0 || syscall(SYS_write, file, "0", 1ul) < 0) start->join_error = errno;
    if (file >= 0) syscall(SYS_close, file);
}

static int begin(void *argument) {
    struct start *start = argument;
    REQUIRE(start, "process", "setsid", syscall(SYS_setsid));
    join_group(start);
    syscall(SYS_umask, 077);
    drop_real_time(start);
    if (start->has_user_namespace) keep_identity(start);
    drop_privileges(start);
    enter_directories(start);
    int own_process = confine_files(start);
    arrange_descriptors(start, own_process);
    lower_limits(start);
    reset_signals(start);
    const phs_worker_plan *plan = start->plan;
    syscall(SYS_execve, plan->program, plan->arguments, plan->environment);
    give_up(start, errno, "process", "execve", 0);
}

// MARK: - In the host

// Reaps a process that has already exited.
static void forget(int descriptor) {
    siginfo_t ignored;
    while (waitid((idtype_t)WAIT_BY_PIDFD, (id_t)descriptor, &ignored, WEXITED) < 0 && errno == EINTR) {}
    close(descriptor);
}

static struct identity identity(unsigned number) {
    struct identity line;
    line.size = (size_t)snprintf(line.text, sizeof line.text, "%u %u 1\n", number, number);
    return line;
}

// The namespaces of a worker that starts processes. When the first process of a PID namespace ends, all others end with
// it.
static int namespaces_of(struct start *start) {
    if (!start->plan->has_processes) return 0;
    // Only root may make a PID namespace directly; others make it inside their own user namespace.
    start->has_user_namespace = geteuid() != 0;
    return CLONE_NEWPID | (start->has_user_namespace ? CLONE_NEWUSER : 0);
}

static int start_process(const phs_worker_plan *plan, phs_worker *worker, phs_failure *failure) {
    if (plan->ruleset >= 0 && (plan->changes_user ? plan->user == 0 : geteuid() == 0))
        return fail(failure, EPERM, "privileges", "user", 0);
    void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return fail(failure, errno, "memory", "mmap", 0);

    struct start start = {
        .plan = plan, .host = getpid(), .user = identity(geteuid()), .group = identity(getegid())};
    int flags = CLONE_VM | CLONE_VFORK | CLONE_WITH_PIDFD | namespaces_of(&start) | SIGCHLD;
    // All signals, including those of glibc itself: a handler of the host must not run in the new process.
    uint64_t all = ~UINT64_C(0), before;
    int cancellation, pidfd = -1;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    int process = kernel_or_real(plan->kernel)->clone(begin, (char *)stack + STACK_SIZE, flags, &start, &pidfd);
    int error = process < 0 ? errno : 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    pthread_setcancelstate(cancellation, NULL);
    munmap(stack, STACK_SIZE);

    // A temporary shortage has nothing to do with namespaces.
    bool is_denied = plan->has_processes && error != EAGAIN && error != ENOMEM;
    if (error != 0) return fail(failure, error, is_denied ? "processes" : "process", "clone", 0);
    if (start.failure.error != 0) {
        forget(pidfd);
        if (failure != NULL) *failure = start.failure;
        return start.failure.error;
    }
    *worker = (phs_worker){process, pidfd, start.join_error};
    return 0;
}

int phs_worker_start(const phs_worker_plan *plan, phs_worker *worker, phs_failure *failure) {
    int error = start_process(plan, worker, failure);
    if (plan->ruleset >= 0) close(plan->ruleset);
    return error;
}

int phs_worker_make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    // Only this end: the other one blocks, as a program expects of its output.
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

int phs_worker_signal(int descriptor, int signal, bool group) {
    if (syscall(PIDFD_SEND_SIGNAL, descriptor, signal, NULL, group ? SIGNAL_GROUP : 0) == 0) return 0;
    if (!group || errno != EINVAL) return errno;
    // An older kernel. Until the worker is reaped, no other process can have its number.
    siginfo_t info = {0};
    if (waitid((idtype_t)WAIT_BY_PIDFD, (id_t)descriptor, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno;
    if (info.si_pid != 0) return kill(-info.si_pid, signal) == 0 ? 0 : errno;
    return syscall(PIDFD_SEND_SIGNAL, descriptor, signal, NULL, 0) == 0 ? 0 : errno;
}

// Reads the session of a process, and whether it still lives. Returns false if there is no such process.
static bool session_of(int process, int *session, bool *lives) {
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return false;
    text[length] = 0;
    // The name of the program is in parentheses and may contain any character.
    const char *after_name = strrchr(text, ')');
    char state;
    if (after_name == NULL || sscanf(after_name + 1, " %c %*d %*d %d", &state, session) != 2) return false;
    *lives = state != 'Z' && state != 'X';
    return true;
}

static bool kill_in_session(int process, int session) {
    int descriptor = (int)syscall(PIDFD_OPEN, process, 0), its_session;
    if (descriptor < 0) return false;
    // Check again: before the descriptor was open, another process could have taken the number.
    bool lives, is_killed = session_of(process, &its_session, &lives) && its_session == session && lives &&
                            phs_worker_signal(descriptor, SIGKILL, false) == 0;
    // Wait, so that the next round does not find it again; but do not wait longer for a process that is slow to die.
    struct pollfd ended = {descriptor, POLLIN, 0};
    if (is_killed) poll(&ended, 1, LONGEST_DEATH);
    close(descriptor);
    return is_killed;
}

int phs_worker_end_session(const phs_worker *worker) {
    enum { MOST_ROUNDS = 16 };  // a child may start another one while it is being killed
    int killed = 0, before = -1, session;
    bool lives;
    struct pollfd ended = {worker->descriptor, POLLIN, 0};
    if (poll(&ended, 1, 0) == 0) return errno = EBUSY, -1;
    if (session_of(worker->process, &session, &lives) && lives) return errno = ESRCH, -1;
    for (int round = 0; round < MOST_ROUNDS && killed != before; round++) {
        before = killed;
        DIR *processes = opendir("/proc");
        if (processes == NULL) return -1;
        for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
            int process = atoi(entry->d_name);
            if (process <= 0 || process == worker->process || !session_of(process, &session, &lives)) continue;
            if (session == worker->process && lives && kill_in_session(process, session)) killed += 1;
        }
        closedir(processes);
    }
    return killed;
}

// The status that a newer kernel keeps for a pidfd after somebody else has reaped the process.
static bool kept_status(int descriptor, int *status) {
    struct {
        uint64_t mask, group;
        uint32_t identity[11];
        int32_t status;
    } info = {.mask = 1 << 3 /* PIDFD_INFO_EXIT */};
    _Static_assert(sizeof info == 64, "the first version of the kernel's struct pidfd_info");
    if (ioctl(descriptor, _IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, sizeof info) /* PIDFD_GET_INFO */, &info) != 0)
        return false;
    *status = info.status;
    return (info.mask & 1 << 3) != 0;
}

static phs_worker_end end_of_status(int status) {
    if (WIFSIGNALED(status)) return (phs_worker_end){PHS_WORKER_KILLED, WTERMSIG(status)};
    return (phs_worker_end){PHS_WORKER_EXITED, WEXITSTATUS(status)};
}

static phs_worker_end end_of(int descriptor, int options) {
    siginfo_t info = {0};
    int result;
    do result = waitid((idtype_t)WAIT_BY_PIDFD, (id_t)descriptor, &info, WEXITED | WNOHANG | options);
    while (result < 0 && errno == EINTR);
    if (result == 0) {
        if (info.si_pid == 0) return (phs_worker_end){PHS_WORKER_RUNS, 0};
        if (info.si_code == CLD_EXITED) return (phs_worker_end){PHS_WORKER_EXITED, info.si_status};
        return (phs_worker_end){PHS_WORKER_KILLED, info.si_status};
    }
    struct pollfd ended = {descriptor, POLLIN, 0};
    if (poll(&ended, 1, 0) == 0) return (phs_worker_end){PHS_WORKER_RUNS, 0};
    int status;
    if (kept_status(descriptor, &status)) return end_of_status(status);
    return (phs_worker_end){PHS_WORKER_REAPED, 0};
}

phs_worker_end phs_worker_look(int descriptor) { return end_of(descriptor, WNOWAIT); }

phs_worker_end phs_worker_reap(int descriptor) { return end_of(descriptor, 0); }

void phs_allow_debugger(void) { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }

bool phs_has_same_memory(int32_t process, int32_t other) {
    return syscall(SYS_kcmp, (pid_t)process, (pid_t)other, KCMP_VM, 0, 0) == 0;
}
