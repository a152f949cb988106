// A plug-in that attacks: its function act() does one bad thing, chosen by name. The tests compile it for each moment at
// which something happens: AT_CONSTRUCTOR, AT_ENTRY, AT_LOADED, AT_ACTIVATION, AT_DEACTIVATION, AT_DESTRUCTOR and
// AT_EXIT can each be the name of an action.
//
// Every action that uses up something stops at the number that it gets, also if nothing contains it: a test that fails
// must not stop the machine. No action sends a signal to all processes; signal 0 shows whether it could.
#include "plugin_abi.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <locale.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { CONTROL = 3, WINDOW_SIZE = 8 << 20, LANE_SIZE = 1 << 20, MIB = 1 << 20 };

// What the action works on, and how much of it.
struct order {
    const char *path;
    int64_t number;
};

static const plugin_host *host;

// Counts what succeeded, and says so: where everything is denied, an action returns 0 and writes nothing.
static int64_t succeeded(const char *what, bool has) {
    if (has) fprintf(stderr, "hostile: %s succeeded\n", what);
    return has;
}
#define ATTEMPT(call) succeeded(#call, (call) >= 0)

static void beneath(char *path, size_t size, const struct order *order, const char *name) {
    snprintf(path, size, "%s/%s", order->path, name);
}

// MARK: - Dies

static int64_t segfault(const struct order *order) {
    (void)order;
    *(volatile int *)16 = 1;
    return 1;
}

static int64_t do_abort(const struct order *order) {
    (void)order;
    abort();
}

static int64_t trap(const struct order *order) {
    (void)order;
    __builtin_trap();
}

static int64_t do_exit(const struct order *order) { exit((int)order->number); }

static int64_t quick_end(const struct order *order) { _exit((int)order->number); }

// Not a tail call, and too big for the compiler to keep on one frame.
__attribute__((noinline)) static int64_t deeper(volatile char *before, int64_t depth) {
    volatile char frame[4096];
    frame[0] = before[0];
    frame[sizeof frame - 1] = (char)depth;
    // Never so deep; without the condition the compiler warns.
    int64_t below = depth < INT64_MAX ? deeper(frame, depth + 1) : 0;
    return below + frame[sizeof frame - 1];
}

static int64_t stack_overflow(const struct order *order) {
    volatile char start[1] = {(char)order->number};
    return deeper(start, 0);
}

static void *overflow_of_thread(void *order) { return (void *)stack_overflow(order); }

static int64_t stack_overflow_in_thread(const struct order *order) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, overflow_of_thread, (void *)order) != 0) return 0;
    pthread_join(thread, NULL);
    return 1;
}

// A pipe that nobody reads.
static int64_t broken_pipe(const struct order *order) {
    (void)order;
    int ends[2];
    if (pipe(ends) != 0) return 0;
    close(ends[0]);
    return succeeded("write", write(ends[1], "x", 1) > 0);
}

static int64_t stop_itself(const struct order *order) {
    (void)order;
    return ATTEMPT(kill(getpid(), SIGSTOP));
}

static jmp_buf left;

__attribute__((noinline)) static int enter_and_leave(void) { return setjmp(left); }

// To a frame that has returned: what happens then is not defined.
static int64_t jump_out(const struct order *order) {
    if (order->number < 0) return 0;
    if (enter_and_leave() == 0) longjmp(left, 1);
    return 1;
}

// Over the frames of the caller: the first call keeps its place, the second jumps there.
static _Thread_local jmp_buf caller;
static _Thread_local bool has_caller;

static int64_t jump_to_earlier_call(const struct order *order) {
    (void)order;
    if (has_caller) longjmp(caller, 1);
    has_caller = true;
    return setjmp(caller) == 0 ? 0 : 1;
}

// MARK: - Hangs

static int64_t loop(const struct order *order) {
    volatile int64_t turns = order->number;
    for (;;) turns++;
}

static int64_t deadlock(const struct order *order) {
    (void)order;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    return 1;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise_again(void) { pthread_once(&once, initialise_again); }

static void *open_library(void *unused) {
    dlopen("libutil.so.1", RTLD_NOW);
    return unused;
}

// In a constructor, the linker lets no other thread load a library.
static int64_t join_loader(const struct order *order) {
    (void)order;
    pthread_t thread;
    if (pthread_create(&thread, NULL, open_library, NULL) != 0) return 0;
    return pthread_join(thread, NULL) == 0;
}

// A static initialiser that needs itself.
static int64_t initialiser_deadlock(const struct order *order) {
    (void)order;
    initialise_again();
    return 1;
}

static void ignore_signal(int signal) { (void)signal; }

// Handles and blocks every signal that it can, and loops.
static int64_t ignore_signals(const struct order *order) {
    for (int number = 1; number < NSIG; number++) signal(number, ignore_signal);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    return loop(order);
}

// MARK: - Uses up

static int64_t private_memory(const struct order *order) {
    int64_t used = 0;
    for (; used < order->number; used++) {
        char *block = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) break;
        memset(block, 1, MIB);
    }
    return used;
}

static int64_t shared_memory(const struct order *order) {
    int64_t used = 0;
    for (; used < order->number; used++) {
        char *block = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) break;
        memset(block, 1, MIB);
    }
    // The host measures it every two seconds.
    if (used == order->number) sleep(4);
    return used;
}

static int64_t fill(int file, int64_t most) {
    static char block[MIB];
    int64_t used = 0;
    while (used < most && write(file, block, sizeof block) == (ssize_t)sizeof block) used++;
    return used;
}

static int64_t memory_file(const struct order *order) {
    int file = (int)syscall(SYS_memfd_create, "flood", 0u);
    if (file < 0) return 0;
    succeeded("memfd_create", true);
    return fill(file, order->number);
}

static int64_t big_file(const struct order *order) {
    char path[4096];
    beneath(path, sizeof path, order, "big");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return 0;
    unlink(path);
    return fill(file, order->number);
}

static int64_t descriptors(const struct order *order) {
    int64_t used = 0;
    while (used < order->number && dup(2) >= 0) used++;
    return used;
}

static void *wait_for_ever(void *nothing) {
    for (;;) pause();
    return nothing;
}

static int64_t threads(const struct order *order) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    int64_t started = 0;
    pthread_t thread;
    while (started < order->number && pthread_create(&thread, &attributes, wait_for_ever, NULL) == 0) started++;
    return started;
}

// In MiB.
static int64_t output(const struct order *order) { return fill(1, order->number); }

static int64_t noise_everywhere(const struct order *order) {
    static const char noise[4096] = "noise";
    int64_t written = 0;
    for (int64_t round = 0; round < order->number; round++)
        for (int number = 0; number < 64; number++)
            if (number != 2 && write(number, noise, sizeof noise) > 0) written++;
    return written;
}

static int64_t log_storm(const struct order *order) {
    for (int64_t i = 0; i < order->number; i++)
        host->log(host, PLUGIN_LOG_ERROR, PLUGIN_STRING("again and again and again\n\033[31m and again"));
    return order->number;
}

// MARK: - Attacks the host through what they share

static int64_t close_everything(const struct order *order) {
    (void)order;
    return ATTEMPT(syscall(SYS_close_range, 0u, ~0u, 0u));
}

struct head {
    uint32_t length;
    uint16_t kind, flags;
    uint32_t sequence;
};

static int64_t send_control(const void *bytes, size_t length) {
    return succeeded("send", send(CONTROL, bytes, length, MSG_NOSIGNAL) >= 0);
}

static int64_t giant_message(const struct order *order) {
    (void)order;
    static char giant[65537];
    *(struct head *)giant = (struct head){sizeof giant, 1, 0, 1};
    return send_control(giant, sizeof giant);
}

static int64_t short_message(const struct order *order) {
    (void)order;
    return send_control("short", 5);
}

// Its length is another than the packet's.
static int64_t forged_length(const struct order *order) {
    struct head head = {(uint32_t)order->number, 1, 0, 2};
    return send_control(&head, sizeof head);
}

static int64_t unknown_message(const struct order *order) {
    int64_t sent = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        struct head head = {sizeof head, (uint16_t)order->number, 0xffff, i};
        sent += send(CONTROL, &head, sizeof head, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
    }
    return sent;
}

// Claims to be ending, and lives on: the packet of a signal handler.
static int64_t false_crash(const struct order *order) {
    struct __attribute__((packed)) {
        struct head head;
        int32_t signal;
        uint8_t is_deadly, is_from_outside;
        uint64_t frame_count;
    } packet = {{sizeof packet, 64, 0, 0}, (int32_t)order->number, 1, 0, 0};
    if (send_control(&packet, sizeof packet) == 0) return 0;
    for (;;) pause();
}

// 250 descriptors that nobody asked for.
static int64_t surplus_descriptors(const struct order *order) {
    enum { COUNT = 250 };
    struct head head = {sizeof head, (uint16_t)order->number, 0, 2};
    char room[CMSG_SPACE(COUNT * sizeof(int))] = {0};
    struct iovec part = {&head, sizeof head};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(COUNT * sizeof(int));
    for (int i = 0; i < COUNT; i++) ((int *)CMSG_DATA(control))[i] = 2;
    return ATTEMPT(sendmsg(CONTROL, &message, MSG_NOSIGNAL));
}

// The memory that the worker shares with the host; NULL if there is none.
static unsigned char *window(void) {
    static unsigned char *found;
    if (found != NULL) return found;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;
        char access[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, access) == 3 && strcmp(access, "rw-s") == 0 &&
            end - start == WINDOW_SIZE)
            found = (unsigned char *)start;
    }
    if (maps != NULL) fclose(maps);
    return found;
}

static void *make_noise(void *milliseconds) {
    unsigned char *bytes = window();
    unsigned seed = 7;
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        // Heads more often than data.
        for (int i = 0; i < 4096; i++) {
            seed = seed * 1664525u + 1013904223u;
            unsigned char *lane = bytes + (seed >> 29) * LANE_SIZE;
            ((volatile uint32_t *)lane)[(seed >> 8) % 16] = seed >> (seed & 31);
            lane[64 + (seed >> 4) % 4096] = (unsigned char)seed;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t passed = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
        if (passed > (int64_t)milliseconds) return NULL;
    }
}

// For so many milliseconds, while the host goes on calling.
static int64_t corrupt_lanes(const struct order *order) {
    pthread_t thread;
    if (window() == NULL || pthread_create(&thread, NULL, make_noise, (void *)order->number) != 0) return 0;
    return succeeded("writing to all lanes", true);
}

// Answers calls of other threads before they were made.
static int64_t answer_other_lanes(const struct order *order) {
    if (window() == NULL) return 0;
    for (int64_t round = 0; round < order->number; round++)
        for (int lane = 0; lane < 8; lane++) {
            volatile uint32_t *head = (volatile uint32_t *)(window() + lane * LANE_SIZE);
            head[4] = 8;
            head[1] = head[0] + 1;
            syscall(SYS_futex, (uint32_t *)head + 1, 1 /* FUTEX_WAKE */, 64, NULL, NULL, 0);
        }
    return succeeded("answering on other lanes", true);
}

// Takes the memory away from under the host.
static int64_t shrink_window(const struct order *order) {
    (void)order;
    int64_t done = 0;
    for (int number = CONTROL; number < 64; number++) {
        struct stat status;
        if (fstat(number, &status) != 0 || status.st_size != WINDOW_SIZE) continue;
        done += ATTEMPT(ftruncate(number, 0));
        done += ATTEMPT(fallocate(number, 3 /* KEEP_SIZE | PUNCH_HOLE */, 0, WINDOW_SIZE));
    }
    return done;
}

// MARK: - Attacks other processes

// So many children, each for one second.
static int64_t fork_bomb(const struct order *order) {
    int64_t started = 0;
    for (; started < order->number; started++) {
        pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            sleep(1);
            _exit(0);
        }
    }
    return succeeded("fork", started > 0) ? started : 0;
}

// Leaves a process behind that belongs to no session of the host, for so many seconds.
static int64_t double_fork(const struct order *order) {
    pid_t child = fork();
    if (child < 0) return 0;
    if (child == 0) {
        if (order->path != NULL && strcmp(order->path, "session") == 0) setsid();
        if (fork() == 0) sleep((unsigned)order->number);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return succeeded("fork", true);
}

// A worker leads its session and cannot leave it. So a process that it makes without fork() leaves.
static int64_t leave_session(const struct order *order) {
    (void)order;
    int64_t done = 0;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    char *words[] = {"true", NULL};
    pid_t child;
    bool spawned = posix_spawn(&child, "/bin/true", NULL, &attributes, words, words + 1) == 0;
    if (spawned) waitpid(child, NULL, 0);
    done += succeeded("posix_spawn with a session", spawned);
    posix_spawnattr_destroy(&attributes);
    int status = 0;
    child = (pid_t)syscall(SYS_clone, (long)SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(syscall(SYS_setsid) >= 0);
    if (child > 0) waitpid(child, &status, 0);
    return done + succeeded("clone and setsid", WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

// Returns only if it is denied.
static int64_t run_shell(const struct order *order) {
    (void)order;
    execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
    int64_t done = 0;
    int file = open("/bin/sh", O_RDONLY);
    char *arguments[] = {"sh", "-c", "exit 7", NULL};
    if (file >= 0) fexecve(file, arguments, arguments + 3);
    return done;
}

static int64_t run_setuid(const struct order *order) {
    (void)order;
    execl("/usr/bin/su", "su", "--version", (char *)NULL);
    execl("/bin/su", "su", "--version", (char *)NULL);
    return 0;
}

static int64_t signal_host(const struct order *order) {
    int64_t done = 0;
    pid_t parent = getppid();
    done += ATTEMPT(kill(parent, (int)order->number));
    done += ATTEMPT(syscall(SYS_tgkill, parent, parent, (int)order->number));
    siginfo_t info = {.si_code = SI_QUEUE};
    done += ATTEMPT(syscall(SYS_rt_sigqueueinfo, parent, (int)order->number, &info));
    done += ATTEMPT(kill(-1, 0));
    done += ATTEMPT(kill(-parent, 0));
    int descriptor = (int)syscall(SYS_pidfd_open, parent, 0);
    if (descriptor >= 0) done += ATTEMPT(syscall(SYS_pidfd_send_signal, descriptor, (int)order->number, NULL, 0));
    // The kernel would send the signal when somebody writes to the socket.
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) done += ATTEMPT(fcntl(ends[0], F_SETOWN, parent));
    return done;
}

static int64_t trace_host(const struct order *order) {
    (void)order;
    int64_t done = 0;
    pid_t parent = getppid();
    bool seized = ptrace(PTRACE_SEIZE, parent, NULL, NULL) >= 0;
    done += succeeded("ptrace", seized);
    // A process that is traced by one that ends goes on.
    if (seized) ptrace(PTRACE_DETACH, parent, NULL, NULL);
    return done;
}

static bool reads(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char byte;
    struct stat status;
    bool has = fstat(file, &status) == 0 && (S_ISDIR(status.st_mode) || read(file, &byte, 1) >= 0);
    close(file);
    return succeeded(path, has);
}

static int64_t read_host(const struct order *order) {
    int64_t done = 0;
    static const char *const names[] = {"environ", "maps", "fd", "mem", "cwd", "root/etc/shadow", "task"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/%s", getppid(), names[i]);
        done += reads(path);
    }
    // An address that every process has: the worker and the host have the same library at different places, so this is
    // the address that the test passed.
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)order->number, 1};
    done += ATTEMPT(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
    done += ATTEMPT(process_vm_writev(getppid(), &here, 1, &there, 0, 0));
    return done;
}

static int64_t read_file(const struct order *order) { return reads(order->path); }

// Through the descriptors that the worker has: a directory among them would lead out.
static int64_t read_by_descriptors(const struct order *order) {
    int64_t done = 0;
    for (int number = 0; number < 64; number++) {
        int file = openat(number, "../../../../../../etc/passwd", O_RDONLY);
        done += succeeded("openat", file >= 0);
        if (file >= 0) close(file);
    }
    return done + (order->number < 0);
}

// MARK: - Reaches for the network, files and the kernel

static int64_t network(const struct order *order) {
    int64_t done = 0;
    done += ATTEMPT(socket(AF_INET, SOCK_STREAM, 0));
    done += ATTEMPT(socket(AF_INET6, SOCK_STREAM, 0));
    done += ATTEMPT(socket(AF_INET, SOCK_DGRAM, 0));
    done += ATTEMPT(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
    done += ATTEMPT(socket(AF_UNIX, SOCK_STREAM, 0));
    done += ATTEMPT(socket(AF_UNIX, SOCK_DGRAM, 0));
    done += ATTEMPT(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
    int ends[2] = {-1, -1};
    done += ATTEMPT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    // An abstract name, from a socket that it may have.
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
        struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0hostile"};
        done += ATTEMPT(bind(ends[0], (struct sockaddr *)&name, sizeof name));
        done += ATTEMPT(connect(ends[0], (struct sockaddr *)&name, sizeof name));
    }
    return done + (order->number < 0);
}

// The path is a directory with the file “victim”.
static int64_t write_outside(const struct order *order) {
    int64_t done = 0;
    char victim[4096], other[4096];
    beneath(victim, sizeof victim, order, "victim");
    beneath(other, sizeof other, order, "other");
    done += ATTEMPT(open(other, O_WRONLY | O_CREAT, 0600));
    done += ATTEMPT(open(victim, O_WRONLY));
    done += ATTEMPT(open(victim, O_RDONLY | O_TRUNC));
    done += ATTEMPT(truncate(victim, 1));
    done += ATTEMPT(chmod(victim, 0777));
    done += ATTEMPT(chown(victim, geteuid(), getegid()));
    done += ATTEMPT(utimensat(AT_FDCWD, victim, NULL, 0));
    done += ATTEMPT(setxattr(victim, "user.hostile", "x", 1, 0));
    done += ATTEMPT(link(victim, other));
    unlink(other);
    done += ATTEMPT(symlink("/etc/passwd", other));
    unlink(other);
    done += ATTEMPT(mkdir(other, 0700));
    rmdir(other);
    done += ATTEMPT(mkfifo(other, 0600));
    unlink(other);
    done += ATTEMPT(rename(victim, other));
    done += ATTEMPT(unlink(victim));
    // A file without a name.
    done += ATTEMPT(open(order->path, O_TMPFILE | O_WRONLY, 0600));
    return done;
}

static int64_t outlive_host(const struct order *order) {
    int64_t done = ATTEMPT(prctl(PR_SET_PDEATHSIG, 0ul, 0ul, 0ul, 0ul));
    done += ATTEMPT(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0ul, 0ul, 0ul));
    // Then nobody could measure its memory.
    done += ATTEMPT(prctl(PR_SET_DUMPABLE, 0ul, 0ul, 0ul, 0ul));
    return done + (order->number < 0);
}

static int64_t kernel(const struct order *order) {
    char room[256] = {0};
    int64_t done = 0;
    done += ATTEMPT(syscall(425 /* io_uring_setup */, 1u, room));
    done += ATTEMPT(syscall(SYS_userfaultfd, 1));
    done += ATTEMPT(syscall(SYS_bpf, 0, room, sizeof room));
    done += ATTEMPT(syscall(SYS_add_key, "user", "hostile", "x", (size_t)1, -3));
    done += ATTEMPT(syscall(SYS_keyctl, 0, -3, 1));
    done += ATTEMPT(syscall(SYS_request_key, "user", "hostile", NULL, -3));
    done += ATTEMPT(syscall(SYS_perf_event_open, room, 0, -1, -1, 0ul));
    done += ATTEMPT(syscall(SYS_memfd_create, "hostile", 0u));
    done += ATTEMPT(syscall(SYS_unshare, 0x10000000 /* CLONE_NEWUSER */));
    done += ATTEMPT(syscall(SYS_kcmp, getpid(), getppid(), 0, 0, 0));
    done += ATTEMPT(syscall(SYS_shmget, 0, (size_t)4096, 0600));
    done += ATTEMPT(syscall(SYS_mq_open, "hostile", O_CREAT | O_RDWR, 0600, NULL));
    done += ATTEMPT(syscall(SYS_inotify_init1, 0));
    return done + (order->number < 0);
}

// MARK: - Changes its own process

static int64_t change_process(const struct order *order) {
    (void)order;
    int64_t done = ATTEMPT(chdir("/"));
    umask(0777);
    done += succeeded("setlocale", setlocale(LC_ALL, "C") != NULL);
    done += ATTEMPT(setenv("HOSTILE", "1", 1));
    done += ATTEMPT(clearenv());
    setpriority(PRIO_PROCESS, 0, 19);
    return done;
}

// Writes its own file to the directory and loads it from there.
static int64_t load_own_library(const struct order *order) {
    Dl_info info;
    char path[4096], block[65536];
    beneath(path, sizeof path, order, "own.so");
    if (dladdr((void *)load_own_library, &info) == 0) return 0;
    int from = open(info.dli_fname, O_RDONLY), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    if (from < 0 || to < 0) return 0;
    for (ssize_t count; (count = read(from, block, sizeof block)) > 0;)
        if (write(to, block, (size_t)count) != count) return 0;
    close(from);
    close(to);
    return succeeded("dlopen", dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL);
}

static void *count_for_ever(void *counter) {
    for (;;) ++*(volatile int64_t *)counter;
    return NULL;
}

// Threads that go on after the call, and after the plug-in was unloaded.
static int64_t outliving_threads(const struct order *order) {
    static int64_t counter;
    int64_t started = 0;
    pthread_t thread;
    while (started < order->number && pthread_create(&thread, NULL, count_for_ever, &counter) == 0) started++;
    return started;
}

static int64_t nothing(const struct order *order) { return order->number; }

// MARK: - The plug-in

static const struct { const char *name; int64_t (*run)(const struct order *order); } actions[] = {
    {"nothing", nothing}, {"segfault", segfault}, {"abort", do_abort}, {"trap", trap}, {"exit", do_exit},
    {"quick end", quick_end}, {"stack overflow", stack_overflow},
    {"stack overflow in thread", stack_overflow_in_thread}, {"broken pipe", broken_pipe},
    {"stop itself", stop_itself}, {"jump out", jump_out}, {"jump to earlier call", jump_to_earlier_call},
    {"loop", loop}, {"deadlock", deadlock}, {"initialiser deadlock", initialiser_deadlock},
    {"join loader", join_loader},
    {"ignore signals", ignore_signals}, {"private memory", private_memory}, {"shared memory", shared_memory},
    {"memory file", memory_file}, {"big file", big_file}, {"descriptors", descriptors}, {"threads", threads},
    {"output", output}, {"noise everywhere", noise_everywhere}, {"log storm", log_storm},
    {"close everything", close_everything}, {"giant message", giant_message}, {"short message", short_message},
    {"forged length", forged_length}, {"unknown message", unknown_message}, {"false crash", false_crash},
    {"surplus descriptors", surplus_descriptors}, {"corrupt lanes", corrupt_lanes},
    {"answer other lanes", answer_other_lanes}, {"shrink window", shrink_window}, {"fork bomb", fork_bomb},
    {"double fork", double_fork}, {"leave session", leave_session}, {"run shell", run_shell},
    {"run setuid", run_setuid}, {"signal host", signal_host}, {"trace host", trace_host}, {"read host", read_host},
    {"read file", read_file}, {"read by descriptors", read_by_descriptors}, {"network", network},
    {"write outside", write_outside}, {"outlive host", outlive_host}, {"kernel", kernel},
    {"change process", change_process}, {"load own library", load_own_library},
    {"outliving threads", outliving_threads},
};

// Returns how much it reached: 0 if everything was denied; -1 for an unknown name.
int64_t act(const char *name, const char *path, int64_t number) {
    struct order order = {path, number};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0) return actions[i].run(&order);
    return -1;
}

// How much an action that runs by itself gets.
#ifndef NUMBER
#define NUMBER 0
#endif
__attribute__((unused)) static void act_by_itself(const char *name) { act(name, "", NUMBER); }

#ifdef AT_CONSTRUCTOR
__attribute__((constructor)) static void construct(void) { act_by_itself(AT_CONSTRUCTOR); }
#endif
#ifdef AT_DESTRUCTOR
__attribute__((destructor)) static void destruct(void) { act_by_itself(AT_DESTRUCTOR); }
#endif
#ifdef AT_EXIT
static void at_exit(void) { act_by_itself(AT_EXIT); }
#endif
#ifdef AT_LOADED
static void *after_load(void *unused) {
    usleep(200000);
    act_by_itself(AT_LOADED);
    return unused;
}
#endif

static plugin_status activate(const plugin_host *table, void *data) {
    (void)table, (void)data;
#ifdef AT_ACTIVATION
    act_by_itself(AT_ACTIVATION);
#endif
    return PLUGIN_OK;
}

static void deactivate(const plugin_host *table, void *data) {
    (void)table, (void)data;
#ifdef AT_DEACTIVATION
    act_by_itself(AT_DEACTIVATION);
#endif
}

plugin_status plugin_entry(const plugin_host *table) {
    host = table;
#ifdef AT_ENTRY
    act_by_itself(AT_ENTRY);
#endif
#ifdef AT_EXIT
    atexit(at_exit);
#endif
#ifdef AT_LOADED
    pthread_t thread;
    pthread_create(&thread, NULL, after_load, NULL);
#endif
    static const plugin_hooks hooks = {{sizeof hooks, 1}, NULL, activate, deactivate};
    const plugin_lifecycle *lifecycle = table->get_extension(table, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
    if (lifecycle != NULL) lifecycle->register_hooks(table, &hooks);
    plugin_function function = {
        {sizeof function, 1}, PLUGIN_STRING("act"), PLUGIN_STRING("(string, string, int64) -> int64"),
        (plugin_code)act};
    return table->register_function(table, &function);
}
