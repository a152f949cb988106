#define _GNU_SOURCE
#include "child_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void close_pair(int pair[2]) {
    for (int end = 0; end < 2; end++)
        if (pair[end] >= 0) close(pair[end]);
}

// Both ends get numbers above every descriptor of a child, so that no dup2() overwrites the source of another, and
// neither end takes the number of a closed standard stream. The reading end is non-blocking.
static int open_pipe(int pair[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) return errno;
    int error = 0;
    for (int end = 0; end < 2; end++) {
        pair[end] = fcntl(low[end], F_DUPFD_CLOEXEC, CHILD_REPORT + 1);
        if (pair[end] < 0) error = errno;
        close(low[end]);
    }
    if (error == 0 && fcntl(pair[0], F_SETFL, O_NONBLOCK) != 0) error = errno;
    return error;
}

static int spawn(const char *program, char *const arguments[], char *const environment[], int input, int report,
                 int output, pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) return error;
    if ((error = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    error = input >= 0 ? posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
                       : posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0
        && (error = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)) == 0
        && (error = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO)) == 0
        && (error = posix_spawn_file_actions_adddup2(&files, report, CHILD_REPORT)) == 0
        && (error = posix_spawn_file_actions_addclosefrom_np(&files, CHILD_REPORT + 1)) == 0
        && (error = posix_spawnattr_setpgroup(&attributes, 0)) == 0
        && (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0
        && (error = posix_spawnattr_setflags(&attributes, flags)) == 0)
        error = posix_spawn(pid, program, &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

int child_start(const char *program, char *const arguments[], char *const environment[], int input,
                child_process *child) {
    int report[2] = {-1, -1}, output[2] = {-1, -1};
    int error = open_pipe(report);
    if (error == 0) error = open_pipe(output);
    if (error == 0) error = spawn(program, arguments, environment, input, report[1], output[1], &child->pid);
    if (error != 0) {
        close_pair(report);
        close_pair(output);
        return error;
    }
    close(report[1]);
    close(output[1]);
    child->report = report[0];
    child->output = output[0];
    child->ended = (int)syscall(SYS_pidfd_open, child->pid, 0);
    return 0;
}

int child_start_in_terminal(char *const arguments[], pid_t *pid) {
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) return error;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if ((error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0
        && (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)) == 0)
        error = posix_spawnp(pid, arguments[0], NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int child_input(void) {
    int low = (int)syscall(SYS_memfd_create, "input", 1u); // MFD_CLOEXEC
    if (low < 0) return -1;
    int file = fcntl(low, F_DUPFD_CLOEXEC, CHILD_REPORT + 1);
    close(low);
    return file;
}

void child_begin(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(CHILD_REPORT, F_SETFD, FD_CLOEXEC);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static int output_pipe[2] = {-1, -1}, output_before = -1;

void child_output_begin(void) {
    if (output_before >= 0 || open_pipe(output_pipe) != 0) return;
    fflush(stdout);
    // A plug-in that writes a lot must not wait for a reader.
    fcntl(output_pipe[1], F_SETFL, O_NONBLOCK);
    output_before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, CHILD_REPORT + 1);
    if (output_before >= 0) dup2(output_pipe[1], STDOUT_FILENO);
}

size_t child_output_end(void) {
    if (output_before < 0) return 0;
    fflush(stdout);
    int count = 0;
    if (ioctl(output_pipe[0], FIONREAD, &count) != 0) count = 0;
    dup2(output_before, STDOUT_FILENO);
    close(output_before);
    output_before = -1;
    // The reading end stays open, so that a plug-in with a copy of standard output does not get SIGPIPE.
    close(output_pipe[1]);
    return count > 0 ? (size_t)count : 0;
}

int child_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) return 0;
    int count = 0;
    for (struct dirent *task; (task = readdir(tasks)) != NULL;)
        if (task->d_name[0] != '.') count++;
    closedir(tasks);
    return count;
}

size_t child_memory(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

child_state child_look(pid_t pid) {
    siginfo_t info = {.si_pid = 0};
    child_state state = {CHILD_RUNS, 0};
    int result;
    do result = waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT);
    while (result != 0 && errno == EINTR);
    if (result != 0 || info.si_pid == 0) return state;
    state.number = info.si_status;
    state.kind = info.si_code == CLD_EXITED ? CHILD_EXITED : info.si_code == CLD_STOPPED ? CHILD_IS_STOPPED : CHILD_WAS_KILLED;
    return state;
}

void child_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

// Kills the running children. Returns their number.
static int kill_children(void) {
    FILE *file = fopen("/proc/thread-self/children", "re");
    if (file == NULL) return 0;
    int count = 0, pid;
    while (fscanf(file, "%d", &pid) == 1) {
        child_state state = child_look(pid);
        if (state.kind == CHILD_EXITED || state.kind == CHILD_WAS_KILLED) continue;
        count++;
        kill(pid, SIGKILL);
    }
    fclose(file);
    return count;
}

int child_end(pid_t pid) {
    int found = kill_children();
    // Until the process is reaped, its group number cannot be reused.
    kill(-pid, SIGKILL);
    for (int round = 0; round < 2000; round++) {
        int running = kill_children();
        int reaped = 0;
        while (waitpid(-1, NULL, WNOHANG) > 0) reaped++;
        // When a killed process ends, its children become children of this process.
        if (running == 0 && reaped == 0) break;
        if (running > 0) nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return found;
}

static volatile sig_atomic_t interrupt;
static int interrupt_pipe[2] = {-1, -1};

static void note_interrupt(int number) {
    int error = errno;
    if (interrupt == 0) interrupt = number;
    ssize_t ignored = write(interrupt_pipe[1], "", 1);
    (void)ignored;
    errno = error;
}

int interrupts_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    if (open_pipe(interrupt_pipe) != 0 || fcntl(interrupt_pipe[1], F_SETFL, O_NONBLOCK) != 0) return -1;
    // A program inherits the blocked signals of the thread that starts it.
    sigset_t set;
    sigemptyset(&set);
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
        sigaddset(&set, numbers[at]);
        struct sigaction old, new = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART};
        if (sigaction(numbers[at], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(numbers[at], &new, NULL);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return interrupt_pipe[0];
}

int interrupts_number(void) { return interrupt; }

void interrupts_ignore(bool ignored) {
    struct sigaction action = {.sa_handler = ignored ? SIG_IGN : note_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
}

void interrupts_end_process(int number) {
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number);
}
