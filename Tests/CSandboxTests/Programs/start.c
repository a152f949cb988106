// The host's side: starts confined.c as a worker in every way, and makes each step of the start fail. Arguments: the
// program confined, and an empty directory that every user can enter. With "run" and the directory of Swift's libraries
// it only runs that program, confined, with the directory "writable" as its argument.
#include "facts.h"
#include "landlock.h"
#include "filter.h"
#include "worker.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { NOBODY = 65534 };
static const char *confined, *folder, *libraries = "/nonexistent", *programs = "/nonexistent";
static const char *const environment[] = {"LANG=C.UTF-8", NULL};
static char paths[8][512];

static char *in(int slot, const char *name) {
    snprintf(paths[slot], sizeof paths[slot], "%s/%s", folder, name);
    return paths[slot];
}

static void put_file(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, text, strlen(text)) < 0) abort();
    if (geteuid() == 0 && fchown(file, NOBODY, NOBODY) != 0) abort();
    close(file);
}

static void put_folder(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (mkdir(path, 0755) != 0 && errno != EEXIST) abort();
    if (geteuid() == 0 && chown(path, NOBODY, NOBODY) != 0) abort();
}

static int ruleset(const phs_kernel *kernel, const phs_network_grant *network, phs_failure *failure) {
    enum { READ = PHS_FILES_READ, RUN = PHS_FILES_READ | PHS_FILES_EXECUTE, MAYBE = PHS_FILES_OPTIONAL };
    char readable[512], writable[512];
    snprintf(readable, sizeof readable, "%s/readable", folder);
    snprintf(writable, sizeof writable, "%s/writable", folder);
    const phs_file_grant grants[] = {
        {"/usr/lib", -1, RUN},
        {"/lib", -1, RUN | MAYBE},
        {"/lib64", -1, RUN | MAYBE},
        {"/etc/ld.so.cache", -1, READ | MAYBE},
        {"/usr/share/zoneinfo", -1, READ | MAYBE},
        {"/dev/null", -1, READ | PHS_FILES_WRITE},
        {"/dev/urandom", -1, READ},
        {"/sys/devices/system/cpu", -1, READ},
        {libraries, -1, READ | MAYBE},
        {programs, -1, RUN | MAYBE},
        {"/etc/hosts", -1, READ | MAYBE},
        {"/etc/nsswitch.conf", -1, READ | MAYBE},
        {confined, -1, RUN},
        {readable, -1, READ},
        {writable, -1, READ | PHS_FILES_WRITE},
    };
    return phs_landlock_make(kernel, grants, sizeof grants / sizeof *grants, network, failure);
}

struct run {
    phs_worker_plan plan;
    int output[2], control[2], null;
    const char *words[8];
    char host[16];
    phs_limit limits[8];
    phs_worker worker;
};

static void prepare(struct run *run, const char *what) {
    memset(run, 0, sizeof *run);
    if (pipe2(run->output, O_CLOEXEC) != 0) abort();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, run->control) != 0) abort();
    run->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    snprintf(run->host, sizeof run->host, "%d", getpid());
    run->words[0] = "confined", run->words[1] = what, run->words[2] = run->host, run->words[3] = folder;
    run->limits[0] = (phs_limit){RLIMIT_NOFILE, 256, 256};
    run->limits[1] = (phs_limit){RLIMIT_CORE, 0, 0};
    run->limits[2] = (phs_limit){RLIMIT_FSIZE, 1 << 20, 1 << 20};
    run->plan = (phs_worker_plan){
        .program = confined,
        .arguments = run->words,
        .environment = environment,
        .descriptors = {run->null, run->output[1], run->output[1], run->control[1], run->null, -1},
        .limits = run->limits,
        .limit_count = 3,
        .ruleset = -1,
        .changes_user = geteuid() == 0,
        .user = NOBODY,
        .group = NOBODY};
}

// Closes what only the worker needs, copies its output, and waits for its end.
static phs_worker_end finish(struct run *run) {
    close(run->output[1]);
    close(run->control[1]);
    char bytes[4096];
    ssize_t count;
    while ((count = read(run->output[0], bytes, sizeof bytes)) > 0)
        if (write(STDOUT_FILENO, bytes, (size_t)count) < 0) abort();
    struct pollfd ended = {run->worker.descriptor, POLLIN, 0};
    poll(&ended, 1, 20000);
    phs_worker_end end = phs_worker_reap(run->worker.descriptor);
    close(run->worker.descriptor);
    close(run->output[0]), close(run->control[0]), close(run->null);
    return end;
}

static void drop(struct run *run) {
    for (int i = 0; i < 2; i++) close(run->output[i]), close(run->control[i]);
    close(run->null);
}

static phs_worker_end confined_run(const char *what, const char *first, const char *second) {
    struct run run;
    prepare(&run, what);
    run.words[4] = first, run.words[5] = second;
    uint16_t port = first == NULL ? 0 : (uint16_t)atoi(first);
    phs_network_grant network = {
        .any = strcmp(what, "network") == 0, .connects = &port, .connect_count = first != NULL};
    phs_failure failure = {0};
    run.plan.ruleset = ruleset(NULL, &network, &failure);
    if (strcmp(what, "memory") == 0 || strcmp(what, "threads") == 0) {
        run.limits[3] = (phs_limit){RLIMIT_DATA, 32 << 20, 32 << 20};
        run.limits[4] = (phs_limit){RLIMIT_AS, 1u << 30, 1u << 30};
        run.plan.limit_count = 5;
    }
    int error = phs_worker_start(&run.plan, &run.worker, &failure);
    fact(error == 0, "%s: the worker starts (%s: %s)", what, failure.step ? failure.step : "", strerror(error));
    if (error != 0) return drop(&run), (phs_worker_end){PHS_WORKER_EXITED, 99};
    return finish(&run);
}

static void expect_exit(const char *what) {
    phs_worker_end end = confined_run(what, NULL, NULL);
    fact(
        end.state == PHS_WORKER_EXITED && end.number == 0, "%s: every fact holds (%d, %d)", what, end.state,
        end.number);
}
static void expect_signal(const char *what, int signal) {
    phs_worker_end end = confined_run(what, NULL, NULL);
    fact(
        end.state == PHS_WORKER_KILLED && end.number == signal, "%s: ends by signal %d (%d, %d)", what, signal,
        end.state, end.number);
}

// The program given, with the usual limits.
static int run_alone(void) {
    struct run run;
    prepare(&run, in(3, "writable"));
    run.plan.ruleset = ruleset(NULL, NULL, NULL);
    run.limits[2] = (phs_limit){RLIMIT_FSIZE, 64 << 20, 64 << 20};
    run.limits[3] = (phs_limit){RLIMIT_DATA, 512 << 20, 512 << 20};
    run.limits[4] = (phs_limit){RLIMIT_AS, 4ull << 30, 4ull << 30};
    run.plan.limit_count = 5;
    phs_failure failure = {0};
    int error = phs_worker_start(&run.plan, &run.worker, &failure);
    if (!fact(error == 0, "the program starts (%s: %s)", failure.step ? failure.step : "", strerror(error))) return 1;
    phs_worker_end end = finish(&run);
    fact(
        end.state == PHS_WORKER_EXITED && end.number == 0, "the program ends by itself (%d, %d)", end.state,
        end.number);
    return failures != 0;
}

// MARK: - The start itself

static void handler(int signal) { (void)signal; }

static void effects(void) {
    // A host with handlers, ignored signals, a mask, variables and descriptors that must not reach the worker.
    signal(SIGUSR1, handler), signal(SIGPIPE, SIG_IGN);
    sigset_t blocked, before;
    sigemptyset(&blocked), sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    setenv("SECRET", "1", 1);
    umask(022);
    pid_t session = getsid(0);
    int leaked[] = {dup(1), dup(1), fcntl(1, F_DUPFD, 900)};
    struct run run;
    prepare(&run, "started");
    if (send(run.control[0], "hello", 5, 0) != 5) abort();
    phs_failure failure = {0};
    // Only a host that may do so has real-time priority.
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){1});
    int error = phs_worker_start(&run.plan, &run.worker, &failure);
    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    fact(error == 0, "an isolated worker starts (%s)", failure.step ? failure.step : "");
    phs_worker_end end = finish(&run);
    fact(end.state == PHS_WORKER_EXITED && end.number == 0, "every effect of the start holds");
    sigset_t now;
    sigprocmask(SIG_SETMASK, &before, &now);
    bool same = sigismember(&now, SIGTERM) == 1;
    for (int number = 1; number < 65; number++)
        if (number != SIGTERM) same = same && sigismember(&now, number) == sigismember(&before, number);
    fact(same, "the mask of the host is as before");
    struct sigaction action;
    sigaction(SIGUSR1, NULL, &action);
    fact(action.sa_handler == handler, "the handlers of the host are as before");
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    mode_t mask = umask(0);
    umask(mask);
    fact(
        limit.rlim_max != 0 && mask == 022 && getsid(0) == session,
        "limits, umask and session of the host are as before");
    for (int i = 0; i < 3; i++) close(leaked[i]);
    signal(SIGPIPE, SIG_DFL);
}

// The host's descriptors 0 to 5 are given in another order.
static void crossed_descriptors(void) {
    struct run run;
    prepare(&run, "started");
    if (send(run.control[0], "hello", 5, 0) != 5) abort();
    int kept[6], in_order[6] = {run.output[1], run.control[1], run.null, run.null, -1, run.output[1]};
    for (int i = 0; i < 6; i++) {
        kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
        if (in_order[i] >= 0) in_order[i] = fcntl(in_order[i], F_DUPFD_CLOEXEC, 100);
    }
    for (int i = 0; i < 6; i++)
        if (in_order[i] >= 0) dup2(in_order[i], i);
    int wanted[6] = {3, 0, 5, 1, 2, -1};
    memcpy(run.plan.descriptors, wanted, sizeof wanted);
    phs_failure failure = {0};
    int error = phs_worker_start(&run.plan, &run.worker, &failure);
    for (int i = 0; i < 6; i++) {
        if (kept[i] >= 0)
            dup2(kept[i], i), close(kept[i]);
        else
            close(i);
        if (in_order[i] >= 0) close(in_order[i]);
    }
    if (!fact(error == 0, "descriptors may be among 0 to 5, in any order (%s)", failure.step ? failure.step : ""))
        exit(1);
    phs_worker_end end = finish(&run);
    fact(end.state == PHS_WORKER_EXITED && end.number == 0, "and each arrives at its number");
}

// Each failing step is reported by name, and no process or descriptor is left.
static int open_descriptors(void) {
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

static void expect_failure(struct run *run, int error, const char *layer, const char *step, size_t index) {
    phs_failure failure = {0};
    int got = phs_worker_start(&run->plan, &run->worker, &failure);
    fact(
        got == error && failure.error == error && strcmp(failure.layer, layer) == 0 &&
            strcmp(failure.step, step) == 0 && failure.index == index,
        "%s/%s %zu: %s (got %s/%s %zu: %s)", layer, step, index, strerror(error), failure.layer, failure.step,
        failure.index, strerror(got));
    drop(run);
}

static long absent(int ruleset_, uint32_t flags) {
    (void)ruleset_, (void)flags;
    return errno = ENOSYS, -1;
}
static long no_ruleset(const void *a, size_t s, uint32_t f) {
    (void)a, (void)s, (void)f;
    return errno = ENOSYS, -1;
}
static long disabled(const void *a, size_t s, uint32_t f) {
    (void)a, (void)s, (void)f;
    return errno = EOPNOTSUPP, -1;
}
static long no_seccomp(unsigned o, unsigned f, void *a) {
    (void)o, (void)f, (void)a;
    return errno = EINVAL, -1;
}
static int as_version = 7;
static uint64_t handled[3];
static long recorded(const void *attributes, size_t size, uint32_t flags) {
    if (flags == 1) return as_version;
    memcpy(handled, attributes, sizeof handled);
    return phs_real_kernel.landlock_create_ruleset(attributes, size, flags);
}

static void failing_steps(void) {
    struct run run;
    int before = open_descriptors();
    prepare(&run, "pause");
    run.plan.program = "/nonexistent";
    expect_failure(&run, ENOENT, "process", "execve", 0);
    prepare(&run, "pause");
    run.plan.program = in(2, "readable/file");
    expect_failure(&run, EACCES, "process", "execve", 0);
    prepare(&run, "pause");
    run.plan.descriptors[2] = 4000;
    expect_failure(&run, EBADF, "descriptors", "dup3", 2);
    prepare(&run, "pause");
    run.limits[1].resource = 99;
    expect_failure(&run, EINVAL, "limits", "prlimit", 1);
    prepare(&run, "pause");
    phs_kernel kernel = phs_real_kernel;
    kernel.landlock_restrict_self = absent;
    run.plan.kernel = &kernel;
    run.plan.ruleset = ruleset(NULL, NULL, NULL);
    expect_failure(&run, ENOSYS, "files", "landlock_restrict_self", 0);
    if (geteuid() == 0) {
        prepare(&run, "pause");
        run.plan.changes_user = false;
        run.plan.ruleset = ruleset(NULL, NULL, NULL);
        expect_failure(&run, EPERM, "privileges", "user", 0);
        prepare(&run, "pause");
        const char *directories[] = {"/", in(2, "only-root"), NULL};
        mkdir(directories[1], 0700);
        run.plan.directories = directories;
        expect_failure(&run, EACCES, "process", "enter", 1);
    } else {
        prepare(&run, "pause");
        run.plan.changes_user = true;
        expect_failure(&run, EPERM, "privileges", "setgroups", 0);
    }
    // A host that cannot open one more descriptor.
    struct rlimit files, few;
    getrlimit(RLIMIT_NOFILE, &files);
    prepare(&run, "pause");
    few = (struct rlimit){(rlim_t)run.null + 1, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    phs_failure failure = {0};
    int error = phs_worker_start(&run.plan, &run.worker, &failure);
    setrlimit(RLIMIT_NOFILE, &files);
    fact(
        error == EMFILE && strcmp(failure.step, "clone") == 0, "a host without free descriptors: %s (%s)",
        strerror(error), failure.step);
    drop(&run);
    fact(open_descriptors() == before, "no descriptor is left (%d, %d)", before, open_descriptors());
    fact(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no process is left");
}

static void kernels_without(void) {
    phs_failure failure = {0};
    phs_kernel kernel = phs_real_kernel;
    kernel.landlock_create_ruleset = no_ruleset;
    fact(phs_landlock_version(&kernel) == 0 && errno == ENOSYS, "a kernel without Landlock has version 0");
    fact(
        ruleset(&kernel, NULL, &failure) == -1 && failure.error == ENOSYS && strcmp(failure.layer, "files") == 0,
        "and no ruleset: %s/%s", failure.layer, failure.step);
    kernel.landlock_create_ruleset = disabled;
    fact(
        ruleset(&kernel, NULL, &failure) == -1 && failure.error == EOPNOTSUPP,
        "Landlock that is disabled is reported so");
    kernel.seccomp = no_seccomp;
    fact(!phs_filter_is_available(&kernel) && phs_filter_is_available(NULL), "a kernel without seccomp is noticed");
    fact(
        phs_filter_install(&kernel, &(phs_filter_options){0}, &failure) == EINVAL &&
            strcmp(failure.layer, "systemCalls") == 0,
        "and the filter reports it: %s/%s", failure.layer, failure.step);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(NOBODY) != 0) abort();
        int error = phs_filter_install(NULL, &(phs_filter_options){0}, &failure);
        fact(
            error == EACCES && strcmp(failure.layer, "privileges") == 0,
            "without no_new_privs the filter is refused: %s", strerror(error));
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static int no_namespaces(int (*function)(void *), void *stack, int flags, void *argument, int *descriptor) {
    if ((flags & CLONE_NEWPID) != 0) return errno = EPERM, -1;
    return phs_real_kernel.clone(function, stack, flags, argument, descriptor);
}

// Whether this machine makes the namespaces of a worker that starts processes.
static bool has_namespaces(void) {
    struct run run;
    prepare(&run, "pause");
    run.plan.has_processes = true;
    if (phs_worker_start(&run.plan, &run.worker, NULL) != 0) return drop(&run), false;
    phs_worker_signal(run.worker.descriptor, SIGKILL, false);
    finish(&run);
    return true;
}

static void processes(void) {
    struct run run;
    phs_kernel kernel = phs_real_kernel;
    kernel.clone = no_namespaces;
    prepare(&run, "pause");
    run.plan.kernel = &kernel;
    run.plan.has_processes = true;
    expect_failure(&run, EPERM, "processes", "clone", 0);
    if (!has_namespaces()) return;

    prepare(&run, "processes");
    run.plan.has_processes = true;
    run.limits[3] = (phs_limit){RLIMIT_NPROC, 64, 64};
    run.plan.limit_count = 4;
    programs = "/usr/bin";
    phs_failure failure = {0};
    run.plan.ruleset = ruleset(NULL, NULL, &failure);
    programs = "/nonexistent";
    int error = phs_worker_start(&run.plan, &run.worker, &failure);
    fact(error == 0, "a worker with processes starts (%s: %s)", failure.step ? failure.step : "", strerror(error));
    if (error != 0) return drop(&run);
    time_t began = time(NULL);
    // It returns when nobody has the output open.
    phs_worker_end end = finish(&run);
    fact(end.state == PHS_WORKER_EXITED && end.number == 0, "every fact holds (%d, %d)", end.state, end.number);
    fact(time(NULL) - began < 15, "what hides ends with the worker");
}

// What is asked of each version of Landlock.
static void versions(void) {
    static const uint64_t files[] = {0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff, 0xffff, 0xffff, 0xffff};
    phs_kernel kernel = phs_real_kernel;
    kernel.landlock_create_ruleset = recorded;
    uint16_t port = 443;
    phs_network_grant ports = {.connects = &port, .connect_count = 1}, any = {.any = true};
    // The kernel refuses rights that it does not know itself. 8 stands for the versions to come.
    int newest = phs_landlock_version(NULL) >= 6 ? 8 : phs_landlock_version(NULL);
    for (as_version = 1; as_version <= newest; as_version++) {
        int made = ruleset(&kernel, NULL, NULL);
        fact(
            made >= 0 && handled[0] == files[as_version], "version %d restricts the rights that it knows (%#lx)",
            as_version, (long)handled[0]);
        fact(
            handled[1] == (as_version >= 4 ? 3 : 0) && handled[2] == (as_version >= 6 ? 3 : 0),
            "version %d: ports and scopes", as_version);
        close(made);
        phs_failure failure = {0};
        made = ruleset(&kernel, &ports, &failure);
        if (as_version < 4)
            fact(
                made == -1 && failure.error == ENOSYS && strcmp(failure.layer, "network") == 0,
                "version %d cannot grant ports", as_version);
        else
            fact(made >= 0 && close(made) == 0, "version %d grants ports", as_version);
        made = ruleset(&kernel, &any, &failure);
        fact(
            made >= 0 && handled[1] == 0 && close(made) == 0, "version %d: the whole network is not restricted",
            as_version);
    }
    as_version = 7;
}

static void expect_grant(const char *path, uint32_t access, int error, const char *step) {
    phs_file_grant grants[] = {{"/usr", -1, PHS_FILES_READ}, {path, -1, access}};
    phs_failure failure = {0};
    int made = phs_landlock_make(NULL, grants, 2, NULL, &failure);
    if (error == 0)
        fact(made >= 0 && close(made) == 0, "a grant of %s (%s)", path, failure.step ? failure.step : "");
    else
        fact(
            made == -1 && failure.error == error && failure.index == 1 && strcmp(failure.step, step) == 0,
            "a grant of %s: %s %s", path, failure.step, strerror(failure.error));
}

static void grants(void) {
    char own[64];
    snprintf(own, sizeof own, "/proc/%d/fd", getpid());
    expect_grant("/proc/self", PHS_FILES_READ, EPERM, "procfs");
    expect_grant("/proc", PHS_FILES_READ, EPERM, "procfs");
    expect_grant(own, PHS_FILES_READ, EPERM, "procfs");
    expect_grant("/proc/self/environ", PHS_FILES_READ, EPERM, "procfs");
    expect_grant("/proc/cpuinfo", PHS_FILES_READ, 0, NULL);
    expect_grant("/proc/sys/kernel", PHS_FILES_READ, 0, NULL);
    expect_grant("/nonexistent", PHS_FILES_READ, ENOENT, "open");
    expect_grant("/nonexistent", PHS_FILES_READ | PHS_FILES_OPTIONAL, 0, NULL);
    expect_grant("/dev/null", PHS_FILES_READ | PHS_FILES_WRITE | PHS_FILES_DEVICE, 0, NULL);
    phs_file_grant bad = {NULL, 4000, PHS_FILES_READ};
    phs_failure failure = {0};
    fact(
        phs_landlock_make(NULL, &bad, 1, NULL, &failure) == -1 && failure.error == EBADF,
        "a descriptor that is not open");
    bad.descriptor = open("/usr", O_PATH | O_CLOEXEC);
    int made = phs_landlock_make(NULL, &bad, 1, NULL, &failure);
    fact(made >= 0 && close(made) == 0 && fcntl(bad.descriptor, F_GETFD) >= 0, "a descriptor stays the caller's");
    close(bad.descriptor);
}

// MARK: - Ends

static int start_paused(struct run *run) {
    prepare(run, "pause");
    phs_failure failure = {0};
    int error = phs_worker_start(&run->plan, &run->worker, &failure);
    fact(error == 0, "a worker that waits starts (%s)", failure.step ? failure.step : "");
    return error;
}

static bool ends_within(int descriptor, int milliseconds) {
    struct pollfd ended = {descriptor, POLLIN, 0};
    return poll(&ended, 1, milliseconds) == 1;
}

static void *start_and_end(void *run) {
    start_paused(run);
    return NULL;
}

static void killed_host(bool has_processes) {
    struct run run;
    int report[2];
    if (pipe(report) != 0) abort();
    pid_t other_host = fork();
    if (other_host == 0) {
        prepare(&run, "pause");
        run.plan.has_processes = has_processes;
        phs_worker_start(&run.plan, &run.worker, NULL);
        if (write(report[1], &run.worker.process, sizeof run.worker.process) < 0) abort();
        for (;;) pause();
    }
    int32_t process;
    if (read(report[0], &process, sizeof process) != sizeof process) abort();
    int watch = (int)syscall(SYS_pidfd_open, process, 0);
    kill(other_host, SIGKILL), waitpid(other_host, NULL, 0);
    fact(watch >= 0 && ends_within(watch, 1000), "it ends with the host within a second");
    close(watch), close(report[0]), close(report[1]);
}

static void ends(void) {
    struct run run;
    start_paused(&run);
    fact(
        phs_worker_look(run.worker.descriptor).state == PHS_WORKER_RUNS &&
            phs_worker_reap(run.worker.descriptor).state == PHS_WORKER_RUNS,
        "it runs");
    fact(phs_worker_end_session(&run.worker) == -1 && errno == EBUSY, "the session of a worker that runs is not ended");
    fact(
        phs_worker_signal(run.worker.descriptor, SIGSTOP, false) == 0 && !ends_within(run.worker.descriptor, 50),
        "it can be stopped");
    fact(
        phs_worker_signal(run.worker.descriptor, SIGKILL, true) == 0 && ends_within(run.worker.descriptor, 1000),
        "and killed with its group");
    phs_worker_end end = phs_worker_look(run.worker.descriptor);
    fact(end.state == PHS_WORKER_KILLED && end.number == SIGKILL, "a look at its end");
    end = phs_worker_reap(run.worker.descriptor);
    fact(end.state == PHS_WORKER_KILLED && end.number == SIGKILL, "its end is a signal");
    fact(phs_worker_signal(run.worker.descriptor, SIGKILL, false) == ESRCH, "a signal after the end reaches nobody");
    end = phs_worker_reap(run.worker.descriptor);
    fact(end.state == PHS_WORKER_KILLED || end.state == PHS_WORKER_REAPED, "the second look (%d)", end.state);
    close(run.worker.descriptor), drop(&run);

    // Children that an isolated worker leaves behind.
    prepare(&run, "orphans");
    phs_worker_start(&run.plan, &run.worker, NULL);
    fact(ends_within(run.worker.descriptor, 5000), "a worker ends and leaves children behind");
    int killed = phs_worker_end_session(&run.worker);
    fact(killed == 2, "those in its session are killed, in whatever group (%d)", killed);
    fact(phs_worker_end_session(&run.worker) == 0, "nothing is left");
    phs_worker_reap(run.worker.descriptor);
    close(run.worker.descriptor), drop(&run);

    // An application that ignores SIGCHLD, and one that reaps everything.
    signal(SIGCHLD, SIG_IGN);
    start_paused(&run);
    phs_worker_signal(run.worker.descriptor, SIGTERM, false);
    fact(ends_within(run.worker.descriptor, 1000), "an end shows although SIGCHLD is ignored");
    end = phs_worker_reap(run.worker.descriptor);
    fact(
        end.state == PHS_WORKER_REAPED || (end.state == PHS_WORKER_KILLED && end.number == SIGTERM),
        "and its cause where the kernel keeps it (%d, %d)", end.state, end.number);
    close(run.worker.descriptor), drop(&run);
    signal(SIGCHLD, SIG_DFL);
    start_paused(&run);
    phs_worker_signal(run.worker.descriptor, SIGTERM, false);
    fact(waitpid(-1, NULL, 0) == run.worker.process, "the application reaps it");
    end = phs_worker_reap(run.worker.descriptor);
    fact(
        end.state == PHS_WORKER_REAPED || (end.state == PHS_WORKER_KILLED && end.number == SIGTERM),
        "the end shows all the same (%d, %d)", end.state, end.number);
    close(run.worker.descriptor), drop(&run);

    // The thread that started it ends.
    pthread_t thread;
    pthread_create(&thread, NULL, start_and_end, &run);
    pthread_join(thread, NULL);
    fact(ends_within(run.worker.descriptor, 1000), "it ends with the thread that started it");
    phs_worker_reap(run.worker.descriptor);
    close(run.worker.descriptor), drop(&run);

    killed_host(false);
    if (has_namespaces()) killed_host(true);
}

// The host's own program, after its file was deleted.
static void deleted_program(void) {
    struct run run;
    prepare(&run, "as-worker");
    run.plan.program = "/proc/self/exe";
    phs_failure failure = {0};
    phs_file_grant grants[] = {
        {"/usr", -1, PHS_FILES_READ | PHS_FILES_EXECUTE},
        {"/lib", -1, 5 | PHS_FILES_OPTIONAL},
        {"/lib64", -1, 5 | PHS_FILES_OPTIONAL},
        {"/etc/ld.so.cache", -1, PHS_FILES_READ},
        {"/proc/self/exe", -1, PHS_FILES_READ | PHS_FILES_EXECUTE}};
    run.plan.ruleset = phs_landlock_make(NULL, grants, 5, NULL, &failure);
    fact(
        run.plan.ruleset >= 0, "a deleted program can be granted (%s %s)", failure.step ? failure.step : "",
        strerror(failure.error));
    int error = phs_worker_start(&run.plan, &run.worker, &failure);
    if (!fact(error == 0, "a deleted program starts again (%s %s)", failure.step ? failure.step : "", strerror(error)))
        return;
    phs_worker_end end = finish(&run);
    fact(end.state == PHS_WORKER_EXITED && end.number == 42, "and runs (%d, %d)", end.state, end.number);
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double starts(int count, bool is_confined) {
    static double times[1000];
    for (int i = 0; i < count; i++) {
        struct run run;
        prepare(&run, "nothing");
        double start = milliseconds();
        if (is_confined) run.plan.ruleset = ruleset(NULL, NULL, NULL);
        if (phs_worker_start(&run.plan, &run.worker, NULL) != 0) abort();
        ends_within(run.worker.descriptor, 5000);
        times[i] = milliseconds() - start;
        finish(&run);
    }
    qsort(times, (size_t)count, sizeof *times, by_size);
    return times[count / 2];
}

static long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%ld %ld", &size, &resident) != 2) abort();
    fclose(file);
    return resident;
}

static void *start_some(void *failed) {
    for (int i = 0; i < 20; i++) {
        struct run run;
        prepare(&run, "nothing");
        run.plan.ruleset = ruleset(NULL, NULL, NULL);
        if (phs_worker_start(&run.plan, &run.worker, NULL) != 0) return failed;
        phs_worker_end end = finish(&run);
        if (end.state != PHS_WORKER_EXITED || end.number != 3) return failed;
    }
    return NULL;
}

static void many(void) {
    starts(5, true);
    int before = open_descriptors();
    long pages = resident_pages();
    double plain = starts(400, false), restricted = starts(400, true);
    pthread_t threads[10];
    bool all = true;
    for (int i = 0; i < 10; i++) pthread_create(&threads[i], NULL, start_some, &all);
    for (int i = 0; i < 10; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        all = all && failed == NULL;
    }
    fact(all, "10 threads start workers at the same time");
    fact(open_descriptors() == before, "1,000 starts leave no descriptor");
    fact(resident_pages() < pages + 2000, "nor memory (%ld pages more)", resident_pages() - pages);
    fact(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "nor a process");
    size_t size = 1 << 30;
    char *ballast = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; at < size; at += 4096) ballast[at] = 1;
    double heavy = starts(100, false);
    munmap(ballast, size);
    printf(
        "measured: start to end %.2f ms, confined %.2f ms, from a host of 1 GiB %.2f ms\n", plain, restricted, heavy);
    fflush(stdout);
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "as-worker") == 0) return 42;
    if (count < 3) return 2;
    confined = words[1], folder = words[2];
    put_folder("readable"), put_folder("writable"), put_folder("secret");
    put_file("readable/file", "hello"), put_file("writable/file", "hello"), put_file("secret/key", "secret");
    symlink("../secret/key", in(0, "readable/link-out"));

    if (count > 4 && strcmp(words[3], "run") == 0) {
        libraries = words[4];
        return run_alone();
    }
    effects();
    crossed_descriptors();
    failing_steps();
    kernels_without();
    processes();
    versions();
    grants();
    ends();
    expect_exit("denied");
    expect_exit("works");
    expect_exit("threads");
    expect_exit("memory");
    expect_exit("file-size");
    expect_exit("descriptors");
    expect_signal("abort", SIGABRT);
    expect_signal("other-architecture", SIGSYS);
    expect_signal("x32", SIGSYS);

    int server = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
    socklen_t length = sizeof address;
    char granted[8], denied[8];
    bind(server, (struct sockaddr *)&address, length), listen(server, 4),
        getsockname(server, (struct sockaddr *)&address, &length);
    snprintf(granted, sizeof granted, "%d", ntohs(address.sin_port));
    address.sin_port = 0;
    bind(other, (struct sockaddr *)&address, length), listen(other, 4),
        getsockname(other, (struct sockaddr *)&address, &length);
    snprintf(denied, sizeof denied, "%d", ntohs(address.sin_port));
    phs_worker_end end = confined_run("ports", granted, denied);
    fact(end.state == PHS_WORKER_EXITED && end.number == 0, "ports: every fact holds");
    end = confined_run("network", granted, denied);
    fact(end.state == PHS_WORKER_EXITED && end.number == 0, "network: every fact holds");
    close(server), close(other);

    many();
    unlink("/proc/self/exe");
    char self[512];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size > 0) self[size] = 0, unlink(self);
    deleted_program();
    return failures != 0;
}
