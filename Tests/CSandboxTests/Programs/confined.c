// The program that start.c runs as a worker: it confines itself, tries what a hostile plug-in tries, and reports which
// attempts failed. Arguments: what to do, the number of the host, and a directory with "readable", "writable",
// "secret".
#include "facts.h"
#include "filter.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>

static pid_t host;
static char folder[256];
static char *in(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 512, "%s/%s", folder, name);
    return path;
}

// The attempt must fail with one of the two error numbers.
static void denied2(long result, int error, int other, const char *what) {
    int got = result < 0 ? errno : 0;
    fact(
        result < 0 && (got == error || got == other), "denied: %s (%s)", what,
        result < 0 ? strerror(got) : "IT WORKED");
}
#define DENIED(call) (errno = 0, denied2((long)(call), EPERM, EPERM, #call))
#define NO_ACCESS(call) (errno = 0, denied2((long)(call), EACCES, EACCES, #call))
#define REFUSED(call) (errno = 0, denied2((long)(call), EPERM, EACCES, #call))
#define WORKS(call) fact((errno = 0, (call)), "works: %s (%s)", #call, strerror(errno))

static void *twice(void *number) { return (void *)((long)number * 2); }

static long sent(int socket, struct sockaddr *to, socklen_t length) {
    struct msghdr message = {.msg_name = to, .msg_namelen = length};
    return sendmsg(socket, &message, 0);
}

static void processes_and_memory(void) {
    DENIED(fork());
    DENIED(vfork());
    DENIED(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    errno = 0;
    denied2(syscall(SYS_clone3, "", 64), ENOSYS, ENOSYS, "clone3 does not exist");
    errno = 0;
    denied2(syscall(600, 0), ENOSYS, ENOSYS, "a call of the future does not exist");
    char *words[] = {"sh", NULL};
    DENIED(execv("/bin/sh", words));
    DENIED(execv("/usr/bin/passwd", words));
    DENIED(syscall(SYS_execveat, AT_FDCWD, "/bin/sh", words, words, 0));
    pid_t child;
    errno = posix_spawn(&child, "/bin/sh", NULL, NULL, words, words);
    denied2(errno == 0 ? 0 : -1, EPERM, EPERM, "posix_spawn");
    fact(system("true") != 0, "denied: system");
    DENIED(ptrace(PTRACE_ATTACH, host, 0, 0));
    DENIED(ptrace(PTRACE_TRACEME, 0, 0, 0));
    char byte;
    struct iovec here = {&byte, 1}, there = {&byte, 1};
    DENIED(process_vm_readv(host, &here, 1, &there, 1, 0));
    DENIED(process_vm_writev(host, &here, 1, &there, 1, 0));
    DENIED(process_vm_writev(getpid(), &here, 1, &there, 1, 0));
    DENIED(syscall(SYS_pidfd_open, host, 0));
    DENIED(syscall(SYS_pidfd_getfd, 3, 0, 0));
    DENIED(syscall(SYS_pidfd_send_signal, 3, 0, 0, 0));
    DENIED(syscall(SYS_process_madvise, 3, 0, 0, 0, 0));
    DENIED(syscall(SYS_kcmp, getpid(), host, 0, 0, 0));
    DENIED(unshare(CLONE_NEWUSER));
    DENIED(setns(3, 0));
    DENIED(mount("none", "/tmp", "tmpfs", 0, NULL));
    DENIED(umount2("/", MNT_DETACH));
    DENIED(syscall(SYS_pivot_root, "/", "/"));
    DENIED(chroot("/"));
    DENIED(setsid());
    DENIED(setpgid(0, 0));
    DENIED(setuid(0));
    DENIED(setresgid(0, 0, 0));
    DENIED(prctl(PR_SET_PDEATHSIG, 0));
    DENIED(prctl(PR_SET_PTRACER, -1));
    DENIED(prctl(PR_SET_DUMPABLE, 0));
    DENIED(memfd_create("x", 0));
    DENIED(syscall(SYS_memfd_secret, 0));
    DENIED(syscall(
        SYS_io_uring_setup, 8,
        "0123456789012345678901234567890123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789012345678901234567890123456789"));
    DENIED(syscall(SYS_io_uring_enter, 3, 0, 0, 0, 0, 0));
    DENIED(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY));
    DENIED(syscall(SYS_bpf, 0, "", 0));
    DENIED(syscall(SYS_perf_event_open, "", 0, -1, -1, 0));
    DENIED(syscall(SYS_keyctl, 0, 0, 0));
    DENIED(syscall(SYS_add_key, "user", "x", "x", 1, -3));
    DENIED(syscall(SYS_request_key, "user", "x", "x", -3));
    DENIED(shmget(IPC_PRIVATE, 4096, 0600));
    DENIED(semget(IPC_PRIVATE, 1, 0600));
    DENIED(syscall(SYS_msgget, 0, 0600));
    DENIED(syscall(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, NULL));
    DENIED(syscall(SYS_fanotify_init, 0, 0));
    DENIED(inotify_init1(0));
    DENIED(syscall(SYS_fsopen, "tmpfs", 0));
    DENIED(syscall(SYS_open_tree, AT_FDCWD, "/", 0));
    DENIED(syscall(SYS_personality, 0x0040000));
    DENIED(syscall(SYS_seccomp, 1, 0, NULL));
    DENIED(syscall(SYS_splice, 0, 0, 1, 0, 1, 0));
    DENIED(syscall(SYS_process_mrelease, 3, 0));
    // Limits only of itself, and never higher.
    struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY}, some;
    DENIED(setrlimit(RLIMIT_NOFILE, &more));
    DENIED(prlimit(host, RLIMIT_NOFILE, NULL, &some));
    DENIED(setpriority(PRIO_PROCESS, host, 19));
    DENIED(setpriority(PRIO_USER, 0, 19));
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    DENIED(sched_setaffinity(host, sizeof processors, &processors));
}

static void signals(void) {
    DENIED(kill(host, 0));
    DENIED(kill(host, SIGKILL));
    DENIED(kill(host, SIGSTOP));
    DENIED(kill(-1, SIGTERM));
    DENIED(kill(0, SIGTERM));
    DENIED(kill(-getpid(), SIGTERM));
    DENIED(kill(1, SIGTERM));
    DENIED(syscall(SYS_tgkill, host, host, SIGKILL));
    DENIED(syscall(SYS_tkill, host, SIGKILL));
    siginfo_t info = {.si_code = SI_QUEUE};
    DENIED(syscall(SYS_rt_sigqueueinfo, host, SIGTERM, &info));
    int ends[2];
    WORKS(pipe(ends) == 0);
    // A pipe that signals its owner when it becomes readable.
    DENIED(fcntl(ends[0], F_SETOWN, host));
    struct f_owner_ex owner = {F_OWNER_PID, host};
    DENIED(fcntl(ends[0], F_SETOWN_EX, &owner));
    DENIED(fcntl(ends[0], F_SETSIG, SIGKILL));
    int number = host;
    DENIED(ioctl(ends[0], 0x8901 /* FIOSETOWN */, &number));
    DENIED(ioctl(ends[0], 0x8902 /* SIOCSPGRP */, &number));
    DENIED(ioctl(ends[0], FIOASYNC, &number));
}

static void files(void) {
    char path[64];
    NO_ACCESS(open(in("secret/key"), O_RDONLY));
    NO_ACCESS(open(in("secret"), O_RDONLY | O_DIRECTORY));
    NO_ACCESS(open("/etc/passwd", O_RDONLY));
    NO_ACCESS(open("/", O_RDONLY));
    NO_ACCESS(open("/tmp", O_RDONLY));
    NO_ACCESS(open("/proc", O_RDONLY));
    NO_ACCESS(open("/proc/1/cmdline", O_RDONLY));
    NO_ACCESS(open("/dev/tty", O_RDWR));
    const char *const of_host[] = {"mem", "environ", "cmdline", "maps", "status", "fd/0", "fd", "root/etc/passwd"};
    for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", host, of_host[i]);
        errno = 0;
        denied2(open(path, O_RDONLY), EACCES, EACCES, path);
        snprintf(path, sizeof path, "/proc/self/task/../../%d/%s", host, of_host[i]);
        errno = 0;
        denied2(open(path, O_RDONLY), EACCES, EACCES, path);
    }
    NO_ACCESS(open("/proc/self/root/etc/passwd", O_RDONLY));
    NO_ACCESS(open("/proc/self/mem", O_RDWR));
    NO_ACCESS(open(in("readable/../secret/key"), O_RDONLY));
    NO_ACCESS(open(in("readable/link-out"), O_RDONLY));
    NO_ACCESS(open(in("readable/file"), O_WRONLY));
    NO_ACCESS(open(in("readable/new"), O_WRONLY | O_CREAT, 0600));
    NO_ACCESS(open("/tmp/new", O_WRONLY | O_CREAT, 0600));
    REFUSED(open(in("readable/file"), O_RDONLY | O_TRUNC));
    REFUSED(open(in("readable/file"), 3 | O_TRUNC));
    REFUSED(truncate(in("readable/file"), 0));
    REFUSED(truncate(in("secret/key"), 0));
    NO_ACCESS(rename(in("readable/file"), in("readable/other")));
    REFUSED(rename(in("writable/file"), in("secret/stolen")));
    NO_ACCESS(unlink(in("readable/file")));
    NO_ACCESS(mkdir(in("readable/directory"), 0700));
    NO_ACCESS(symlink("/etc/passwd", in("readable/link")));
    REFUSED(link(in("secret/key"), in("writable/key")));
    REFUSED(link(in("writable/file"), in("writable/hard")));
    DENIED(mknod(in("writable/fifo"), S_IFIFO | 0600, 0));
    DENIED(chmod(in("secret/key"), 0777));
    DENIED(chmod(in("writable/file"), 0777));
    DENIED(fchmodat(AT_FDCWD, in("secret/key"), 0777, 0));
    DENIED(chown(in("secret/key"), 1, 1));
    DENIED(lchown(in("secret/key"), 1, 1));
    DENIED(utimensat(AT_FDCWD, in("secret/key"), NULL, 0));
    DENIED(setxattr(in("secret/key"), "user.x", "1", 1, 0));
    DENIED(removexattr(in("secret/key"), "user.x"));
    DENIED(getxattr(in("secret/key"), "user.x", path, 1));
    struct {
        uint64_t flags, mode, resolve;
    } how = {O_RDONLY, 0, 0};
    DENIED(syscall(SYS_openat2, AT_FDCWD, in("readable/file"), &how, sizeof how));
    DENIED(syscall(SYS_open_by_handle_at, AT_FDCWD, &how, 0));
    DENIED(syscall(SYS_name_to_handle_at, AT_FDCWD, in("secret/key"), &how, &how, 0));
    int readable = open(in("readable/file"), O_RDONLY);
    fact(readable >= 0, "a granted file opens");
    DENIED(fchmod(readable, 04777));
    struct stat status, same;
    fact(
        fstat(readable, &status) == 0 && fchmod(readable, 0777) == 0 && fstat(readable, &same) == 0 &&
            status.st_mode == same.st_mode,
        "fchmod answers success and changes nothing");
    DENIED(fchown(readable, 1, 1));
    DENIED(futimens(readable, NULL));
    DENIED(fsetxattr(readable, "user.x", "1", 1, 0));
    DENIED(open(in("writable/setuid"), O_WRONLY | O_CREAT, 04755));
    DENIED(creat(in("writable/setuid"), 02755));
    DENIED(mkdir(in("writable/setgid"), 02700));
    symlink(in("secret/key"), in("writable/way-out"));
    NO_ACCESS(open(in("writable/way-out"), O_RDONLY));
    unlink(in("writable/way-out"));
}

static void network(void) {
    DENIED(socket(AF_INET, SOCK_STREAM, 0));
    DENIED(socket(AF_INET6, SOCK_DGRAM, 0));
    DENIED(socket(AF_UNIX, SOCK_STREAM, 0));
    DENIED(socket(AF_UNIX, SOCK_DGRAM, 0));
    DENIED(socket(AF_NETLINK, SOCK_RAW, 0));
    DENIED(socket(AF_PACKET, SOCK_RAW, 0));
    DENIED(socket(AF_VSOCK, SOCK_STREAM, 0));
    int pair[2];
    DENIED(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    WORKS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    struct sockaddr_un abstract = {AF_UNIX, "\0pluginhost-test"};
    struct sockaddr *to = (struct sockaddr *)&abstract;
    DENIED(connect(pair[0], to, sizeof abstract));
    DENIED(bind(pair[0], to, sizeof abstract));
    DENIED(listen(pair[0], 1));
    DENIED(accept(pair[0], NULL, NULL));
    DENIED(sendto(pair[0], "x", 1, 0, to, sizeof abstract));
    errno = 0;
    denied2(sent(pair[0], to, sizeof abstract), EISCONN, EOPNOTSUPP, "sendmsg to an address on a connected pair");
    DENIED(sendto(pair[0], "x", 1, 0x20000000 /* MSG_FASTOPEN */, NULL, 0));
}

static volatile sig_atomic_t caught;
static void catch(int number) { caught = number; }

static void what_works(void) {
    struct stat self, own;
    fact(
        stat("/proc/self/.", &self) == 0 && fstat(6, &own) == 0 && self.st_ino == own.st_ino && fcntl(7, F_GETFD) < 0,
        "6 keeps its own directory of /proc, and is the last descriptor");
    pthread_t thread;
    void *result = NULL;
    WORKS(pthread_create(&thread, NULL, twice, (void *)21) == 0 && pthread_join(thread, &result) == 0);
    fact((long)result == 42, "the thread ran");
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    WORKS(pthread_create(&thread, &attributes, twice, NULL) == 0 && pthread_join(thread, NULL) == 0);
    WORKS(pthread_getattr_np(pthread_self(), &attributes) == 0);
    WORKS(pthread_setname_np(pthread_self(), "worker") == 0);
    WORKS(setpriority(PRIO_PROCESS, 0, 5) == 0);
    cpu_set_t processors;
    WORKS(sched_getaffinity(0, sizeof processors, &processors) == 0);
    WORKS(sched_setaffinity(0, sizeof processors, &processors) == 0);
    WORKS(sysconf(_SC_NPROCESSORS_ONLN) > 0);
    struct rlimit limit;
    WORKS(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max == 256);
    limit.rlim_cur = 128;
    WORKS(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    signal(SIGUSR1, catch);
    WORKS(raise(SIGUSR1) == 0 && caught == SIGUSR1);
    caught = 0;
    WORKS(kill(getpid(), SIGUSR1) == 0 && caught == SIGUSR1);
    WORKS(pthread_kill(pthread_self(), 0) == 0);
    timer_t timer;
    WORKS(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0 && timer_delete(timer) == 0);
    int ends[2], event = eventfd(0, EFD_CLOEXEC), epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event ready = {.events = EPOLLIN};
    WORKS(event >= 0 && epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, event, &ready) == 0);
    WORKS(eventfd_write(event, 1) == 0 && epoll_wait(epoll, &ready, 1, 0) == 1);
    WORKS(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) >= 0);
    char text[8];
    WORKS(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], "x", 1) == 1 && read(ends[0], text, 1) == 1);
    WORKS(
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 && send(ends[0], "ab", 2, 0) == 2 &&
        recv(ends[1], text, 8, 0) == 2);
    WORKS(getentropy(text, 8) == 0);
    WORKS(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    WORKS(malloc(8 << 20) != NULL);
    struct timespec moment = {0, 1000000};
    WORKS(nanosleep(&moment, NULL) == 0);
    long word = 7, copy = 0;
    struct iovec from = {&word, sizeof word}, to = {&copy, sizeof copy};
    WORKS(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof word && copy == 7);
    from.iov_base = (void *)16;
    fact(
        process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT,
        "memory that is not there can be asked for");
    void *library = dlopen("libm.so.6", RTLD_NOW);
    WORKS(library != NULL && dlsym(library, "cos") != NULL);
    WORKS(wait(NULL) < 0 && errno == ECHILD);
    // Granted files.
    int file;
    WORKS((file = open(in("readable/file"), O_RDONLY)) >= 0 && read(file, text, 5) == 5);
    DIR *directory = opendir(in("readable"));
    WORKS(directory != NULL && readdir(directory) != NULL);
    WORKS((file = open(in("writable/new"), O_RDWR | O_CREAT | O_EXCL, 0666)) >= 0 && write(file, "hello", 5) == 5);
    struct stat status;
    WORKS(fstat(file, &status) == 0 && (status.st_mode & 07777) == 0600);
    WORKS(ftruncate(file, 2) == 0 && fsync(file) == 0 && flock(file, LOCK_EX) == 0);
    WORKS(open(in("writable/new"), O_WRONLY | O_TRUNC) >= 0);
    WORKS(mkdir(in("writable/directory"), 0700) == 0);
    WORKS(rename(in("writable/new"), in("writable/newer")) == 0);
    WORKS(rename(in("writable/newer"), in("writable/directory/moved")) == 0 || errno == EXDEV);
    WORKS(unlink(in("writable/directory/moved")) == 0 && rmdir(in("writable/directory")) == 0);
    WORKS(open("/proc/self/maps", O_RDONLY) >= 0);
    WORKS(access(in("secret/key"), F_OK) == 0);
    WORKS(open("/dev/null", O_RDONLY) >= 0 && open("/dev/urandom", O_RDONLY) >= 0);
    setenv("TZ", "Europe/Berlin", 1);
    time_t then = 1000000000;
    WORKS(localtime(&then)->tm_hour == 3);
    WORKS(umask(0) == 077);
}

// Without a filter: what the start alone does.
static void started(void) {
    fact(getsid(0) == getpid() && getpgrp() == getpid(), "a session and a group of its own");
    fact(getppid() == host, "a child of the host");
    int signal = 0;
    fact(prctl(PR_GET_PDEATHSIG, &signal) == 0 && signal == SIGKILL, "killed when the host ends");
    fact(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "no_new_privs");
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    bool blocked = false, handled = false;
    for (int number = 1; number < 65; number++) {
        blocked = blocked || sigismember(&mask, number) == 1;
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0) handled = handled || action.sa_handler != SIG_DFL;
    }
    fact(!blocked, "no signal is blocked");
    fact(!handled, "no signal is ignored");
    fact((umask(0)) == 077, "umask 077");
    struct rlimit priority;
    fact(
        sched_getscheduler(0) == SCHED_OTHER && getrlimit(RLIMIT_RTPRIO, &priority) == 0 && priority.rlim_max == 0,
        "no real-time priority");
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    fact(files.rlim_cur == 256 && files.rlim_max == 256, "the limit of descriptors");
    getrlimit(RLIMIT_CORE, &files);
    fact(files.rlim_max == 0, "the limit of core files");
    bool open_ones[] = {true, true, true, true, true, false}, exact = true;
    for (int number = 0; number < 4096; number++)
        exact = exact && (fcntl(number, F_GETFD) == 0) == (number < 6 && open_ones[number]);
    fact(exact, "exactly descriptors 0 to 4, open across exec");
    struct stat null, zero;
    fact(stat("/dev/null", &null) == 0 && fstat(0, &zero) == 0 && null.st_rdev == zero.st_rdev, "0 is /dev/null");
    char text[16] = "";
    fact(recv(3, text, sizeof text, 0) == 5 && strcmp(text, "hello") == 0, "3 is the control socket");
    extern char **environ;
    fact(
        environ[0] != NULL && strcmp(environ[0], "LANG=C.UTF-8") == 0 && environ[1] == NULL,
        "the environment that was given");
    char capabilities[4096] = "";
    int file = open("/proc/self/status", O_RDONLY);
    fact(file >= 0 && read(file, capabilities, sizeof capabilities - 1) > 0, "its own directory of /proc is readable");
    const char *effective = strstr(capabilities, "CapEff:");
    fact(effective != NULL && strncmp(effective, "CapEff:\t0000000000000000", 24) == 0, "no capability");
    fact(geteuid() != 0 && (getuid() != 65534 || getgroups(0, NULL) == 0), "not root, and without groups of the host");
}

static void *wait_for_ever(void *unused) {
    pause();
    return unused;
}

static void confine(phs_filter_options options) {
    phs_failure failure = {0};
    int error = phs_filter_install(NULL, &options, &failure);
    fact(error == 0, "the filter is installed (%s)", error == 0 ? "" : failure.step);
}

// The exit status of a program, or -1.
static int status_of(const char *first, const char *second, const char *third) {
    char *const words[] = {(char *)first, (char *)second, (char *)third, NULL};
    pid_t child;
    int status;
    if ((errno = posix_spawn(&child, first, NULL, NULL, words, environ)) != 0) return -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What may start processes is as confined as the others, and cannot leave one behind.
static void with_processes(void) {
    struct stat made;
    int file = open(in("writable/made"), O_WRONLY | O_CREAT, 0600);
    fact(getpid() == 1 && getppid() == 0, "it is the first process of its namespace");
    fact(fstat(file, &made) == 0 && made.st_uid == getuid() && made.st_gid == getgid(), "it is who it was");
    confine((phs_filter_options){.processes = true});
    pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    fact(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7, "works: fork");
    fact(status_of("/bin/sh", "-c", "exit 3") == 3, "works: a program (%s)", strerror(errno));
    fact(status_of("/bin/sh", "-c", "read line < /etc/passwd") > 0, "denied: a program reads what was not granted");
    fact(status_of("/bin/sh", "-c", "/bin/sh -c 'exit 4'; exit $?") == 4, "works: a program of a program");
    errno = 0;
    denied2(status_of(in("writable/file"), NULL, NULL), EACCES, EACCES, "a program in a directory that may be written");
    errno = 0;
    denied2(kill(host, 0), ESRCH, ESRCH, "a signal to the host");
    DENIED(unshare(CLONE_NEWUSER));
    DENIED(setns(3, 0));
    DENIED(syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0));
    DENIED(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    DENIED(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    // It keeps the output open, and leaves its parents, their group and their session.
    child = fork();
    if (child == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (fork() != 0) _exit(0);
        setsid();
        for (;;) pause();
    }
    fact(waitpid(child, &status, 0) == child, "one hides");
    int started = 0;
    while (started < 1000 && (child = fork()) > 0) started++;
    if (child == 0)
        for (;;) pause();
    fact(started < 64 && errno == EAGAIN, "%d processes and no more (%s)", started, strerror(errno));
}

// A thread that exists before the filter is confined by it too.
static int go[2];
static void *try_later(void *unused) {
    char byte;
    if (read(go[0], &byte, 1) == 1) DENIED(fork());
    return unused;
}

static void connect_to(uint16_t port, int error) {
    struct sockaddr_in address = {AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}, {0}};
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int result = connect(socket_, (struct sockaddr *)&address, sizeof address);
    fact(
        socket_ >= 0 && (error == 0 ? result == 0 : result < 0 && errno == error), "connecting to port %d: %s", port,
        result == 0 ? "works" : strerror(errno));
}

int main(int count, char **words) {
    if (count < 4) return 2;
    const char *what = words[1];
    host = atoi(words[2]);
    snprintf(folder, sizeof folder, "%s", words[3]);
    if (strcmp(what, "started") == 0) {
        started();
    } else if (strcmp(what, "denied") == 0) {
        pthread_t early;
        if (pipe(go) != 0 || pthread_create(&early, NULL, try_later, NULL) != 0) return 2;
        confine((phs_filter_options){0});
        if (write(go[1], "x", 1) != 1) return 2;
        pthread_join(early, NULL);
        processes_and_memory();
        signals();
        files();
        network();
    } else if (strcmp(what, "works") == 0) {
        confine((phs_filter_options){0});
        what_works();
    } else if (strcmp(what, "ports") == 0) {
        confine((phs_filter_options){.connects = true});
        connect_to((uint16_t)atoi(words[4]), 0);
        connect_to((uint16_t)atoi(words[5]), EACCES);
        DENIED(socket(AF_INET, SOCK_DGRAM, 0));
        DENIED(socket(AF_INET, SOCK_STREAM, 262));
        DENIED(socket(AF_UNIX, SOCK_STREAM, 0));
        struct sockaddr_in any = {.sin_family = AF_INET};
        DENIED(bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&any, sizeof any));
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        any.sin_port = htons((uint16_t)atoi(words[5]));
        DENIED(sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, 0x20000000, (struct sockaddr *)&any, sizeof any));
    } else if (strcmp(what, "network") == 0) {
        confine((phs_filter_options){.any_network = true});
        connect_to((uint16_t)atoi(words[4]), 0);
        connect_to((uint16_t)atoi(words[5]), 0);
        struct addrinfo *addresses = NULL, *local = NULL;
        const struct addrinfo hints = {.ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
        WORKS(
            getaddrinfo("localhost", "80", NULL, &local) == 0 &&
            getaddrinfo("127.0.0.1", NULL, &hints, &addresses) == 0);
        struct sockaddr_in to = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
        socklen_t length = sizeof to;
        int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
        WORKS(bind(receiver, (struct sockaddr *)&to, length) == 0);
        WORKS(getsockname(receiver, (struct sockaddr *)&to, &length) == 0);
        WORKS(sendto(sender, "x", 1, 0, (struct sockaddr *)&to, length) == 1);
        char byte;
        WORKS(recv(receiver, &byte, 1, 0) == 1);
        DENIED(socket(AF_UNIX, SOCK_STREAM, 0));
        DENIED(socket(AF_NETLINK, SOCK_RAW, 0));
        DENIED(socket(AF_INET, SOCK_RAW, 1));
        DENIED(socket(AF_INET, SOCK_DGRAM, 1));
        NO_ACCESS(open("/etc/passwd", O_RDONLY));
        DENIED(fork());
    } else if (strcmp(what, "threads") == 0) {
        confine((phs_filter_options){0});
        pthread_attr_t small;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 16384);
        pthread_t thread;
        int threads = 0;
        while (threads < 100000 && pthread_create(&thread, &small, wait_for_ever, NULL) == 0) threads++;
        fact(threads > 10 && threads < 100000, "%d threads and no more", threads);
    } else if (strcmp(what, "memory") == 0) {
        confine((phs_filter_options){0});
        size_t private = 0, shared = 0;
        void *volatile block; // volatile, so that the compiler does not remove the call
        while (private < 4096 && (block = malloc(1 << 20)) != NULL) private++;
        while (shared < 8192 &&
               mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
            shared++;
        fact(private < 64, "%zu MiB of private memory and no more", private);
        fact(shared < 4096, "%zu MiB of shared memory and no more", shared);
    } else if (strcmp(what, "file-size") == 0) {
        confine((phs_filter_options){0});
        signal(SIGXFSZ, SIG_IGN);
        int file = open(in("writable/big"), O_WRONLY | O_CREAT, 0600);
        static char block[1 << 16];
        size_t written = 0;
        ssize_t step;
        while (written < 64 << 20 && (step = write(file, block, sizeof block)) > 0) written += (size_t)step;
        fact(written == 1 << 20 && errno == EFBIG, "%zu bytes in a file and no more", written);
        unlink(in("writable/big"));
    } else if (strcmp(what, "descriptors") == 0) {
        confine((phs_filter_options){0});
        int last = 0, next;
        while ((next = dup(0)) >= 0) last = next;
        fact(last == 255 && errno == EMFILE, "descriptors up to %d and no more", last);
        fact(syscall(SYS_close_range, 3, ~0u, 0) == 0, "and it may close all of them");
    } else if (strcmp(what, "abort") == 0) {
        confine((phs_filter_options){0});
        abort();
    } else if (strcmp(what, "other-architecture") == 0) {
        confine((phs_filter_options){0});
#if defined(__x86_64__)
        int result;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
#else
        raise(SIGSYS);
#endif
    } else if (strcmp(what, "x32") == 0) {
        confine((phs_filter_options){0});
        syscall(0x40000000 | SYS_getpid);
        raise(SIGSYS);
    } else if (strcmp(what, "orphans") == 0) {
        // Without a filter: one child stays in the group, one leaves it, one leaves the session too.
        pid_t last = 0;
        for (int child = 0; child < 3; child++) {
            if ((last = fork()) != 0) continue;
            if (child == 1) setpgid(0, 0);
            if (child == 2) setsid();
            close(STDOUT_FILENO), close(STDERR_FILENO);
            if (child == 2) _exit(0);
            for (;;) pause();
        }
        waitpid(last, NULL, 0);
    } else if (strcmp(what, "processes") == 0) {
        with_processes();
    } else if (strcmp(what, "pause") == 0) {
        for (;;) pause();
    } else {
        return 3;
    }
    return failures != 0;
}
