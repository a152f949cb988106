// Runs each action of hostile.c in a plain process and checks that it does what its name says: a test that contains
// an action that does nothing would show nothing. Nothing but the limits set here contains it, so the numbers are small.
#include "facts.h"
#include "hostile.c"

#include <poll.h>

enum how { RETURNS, EXITS, DIES, HANGS };

// A fact for each: the action returns at least a number, ends by a status or a signal, or does not end.
static const struct trial { const char *name, *path; int64_t number; enum how how; int64_t expected; } trials[] = {
    {"nothing", "", 7, RETURNS, 7}, {"segfault", "", 0, DIES, SIGSEGV}, {"abort", "", 0, DIES, SIGABRT},
    {"exit", "", 0, EXITS, 0}, {"exit", "", 9, EXITS, 9}, {"quick end", "", 3, EXITS, 3},
    {"stack overflow", "", 0, DIES, SIGSEGV}, {"stack overflow in thread", "", 0, DIES, SIGSEGV},
    {"broken pipe", "", 0, DIES, SIGPIPE}, {"stop itself", "", 0, HANGS, 0}, {"loop", "", 0, HANGS, 0},
    {"deadlock", "", 0, HANGS, 0}, {"initialiser deadlock", "", 0, HANGS, 0}, {"join loader", "", 0, RETURNS, 1},
    {"ignore signals", "", 0, HANGS, 0},
    {"private memory", "", 64, RETURNS, 64}, {"memory file", "", 8, RETURNS, 8}, {"big file", "BOX", 8, RETURNS, 8},
    {"descriptors", "", 900, RETURNS, 900}, {"threads", "", 100, RETURNS, 100}, {"output", "", 4, RETURNS, 4},
    {"noise everywhere", "", 1, RETURNS, 1}, {"log storm", "", 1000, RETURNS, 1000},
    {"close everything", "", 0, RETURNS, 0}, {"giant message", "", 0, RETURNS, 1}, {"short message", "", 0, RETURNS, 1},
    {"forged length", "", 12345, RETURNS, 1}, {"unknown message", "", 999, RETURNS, 5},
    {"surplus descriptors", "", 1, RETURNS, 1}, {"corrupt lanes", "", 20, RETURNS, 1},
    {"answer other lanes", "", 10, RETURNS, 1}, {"shrink window", "", 0, RETURNS, 1}, {"fork bomb", "", 8, RETURNS, 8},
    {"double fork", "session", 1, RETURNS, 1}, {"leave session", "", 0, RETURNS, 2}, {"run shell", "", 0, EXITS, 7},
    {"run setuid", "", 0, EXITS, 0}, {"signal host", "", 0, RETURNS, 6}, {"trace host", "", 0, RETURNS, 1},
    {"read host", "", 0, RETURNS, 5}, {"read file", "BOX", 0, RETURNS, 1}, {"read by descriptors", "", 0, RETURNS, 1},
    {"network", "", 0, RETURNS, 6}, {"write outside", "BOX", 0, RETURNS, 8}, {"outlive host", "", 0, RETURNS, 2},
    {"kernel", "", 0, RETURNS, 2}, {"change process", "", 0, RETURNS, 4}, {"outliving threads", "", 2, RETURNS, 2},
    {"shared memory", "", 8, RETURNS, 8}, {"jump to earlier call", "", 0, RETURNS, 0},
};

static void ignore_log(const plugin_host *table, int32_t level, plugin_string message) {
    (void)table, (void)level, (void)message;
}

static void limit(int resource, rlim_t most) {
    struct rlimit both = {most, most};
    setrlimit(resource, &both);
}

// In a child: descriptor 3 is a control socket, 4 a window as a worker has it, 5 leads to a directory.
static _Noreturn void run(const struct trial *trial, int result, int control) {
    static plugin_host table;
    table.log = ignore_log;
    host = &table;
    limit(RLIMIT_AS, (rlim_t)2 << 30);
    limit(RLIMIT_NOFILE, 1024);
    limit(RLIMIT_FSIZE, 64 << 20);
    limit(RLIMIT_CORE, 0);
    alarm(20);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    dup2(result, 700);
    dup2(control, 701);
    close_range(3, 699, 0);
    result = 700;
    dup2(701, CONTROL);
    close(701);
    int memory = memfd_create("window", MFD_ALLOW_SEALING);
    if (ftruncate(memory, WINDOW_SIZE) != 0) _exit(99);
    mmap(NULL, WINDOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    open("/", O_PATH | O_DIRECTORY);
    int64_t value = act(trial->name, trial->path, trial->number);
    if (write(result, &value, sizeof value) != sizeof value) _exit(98);
    _exit(0);
}

static void show(const struct trial *trial) {
    int result[2], control[2];
    if (pipe(result) != 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, control) != 0) abort();
    pid_t child = fork();
    if (child == 0) run(trial, result[1], control[1]);
    close(result[1]);
    close(control[1]);
    struct pollfd ended = {(int)syscall(SYS_pidfd_open, child, 0), POLLIN, 0};
    bool has_ended = poll(&ended, 1, trial->how == HANGS ? 300 : 15000) == 1;
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    int64_t value = -1;
    bool has_value = read(result[0], &value, sizeof value) == sizeof value;
    close(result[0]);
    close(control[0]);
    close(ended.fd);
    switch (trial->how) {
    case RETURNS:
        // What closes every descriptor cannot report anything.
        if (strcmp(trial->name, "close everything") == 0)
            fact(has_ended && !has_value, "%s leaves nothing open", trial->name);
        else
            fact(has_value && value >= trial->expected, "%s reaches %lld", trial->name, (long long)value);
        break;
    case EXITS:
        fact(has_ended && WIFEXITED(status) && WEXITSTATUS(status) == trial->expected, "%s: exit, status %x",
            trial->name, (unsigned)status);
        break;
    case DIES:
        fact(has_ended && WIFSIGNALED(status) && WTERMSIG(status) == trial->expected, "%s: signal, status %x",
            trial->name, (unsigned)status);
        break;
    case HANGS: fact(!has_ended, "%s does not end", trial->name); break;
    }
}

// The argument is a directory that is used up.
int main(int count, char **arguments) {
    if (count != 2) return 2;
    setpgid(0, 0);
    // Some systems let nobody but a parent trace a process.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0ul, 0ul, 0ul);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        struct trial trial = trials[i];
        if (strcmp(trial.path, "BOX") == 0) trial.path = arguments[1];
        char victim[4096];
        snprintf(victim, sizeof victim, "%s/victim", arguments[1]);
        int file = open(victim, O_WRONLY | O_CREAT, 0600);
        if (file < 0 || write(file, "victim", 6) != 6) return 2;
        close(file);
        show(&trial);
    }
    return failures == 0 ? 0 : 1;
}
