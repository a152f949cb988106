#define _GNU_SOURCE
#include "process_state.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

enum { TEXT = 4096 };

static const char *signal_name(int number, char *buffer, size_t size) {
    const char *name = sigabbrev_np(number);
    if (name)
        snprintf(buffer, size, "SIG%s", name);
    else
        snprintf(buffer, size, "signal %d", number);
    return buffer;
}

static void read_locale(process_state_taker take, void *context) {
    const char *all = setlocale(LC_ALL, NULL);
    take(context, PROCESS_LOCALE, "locale", all ? all : "", all ? all : "unknown");
    bool is_own = uselocale((locale_t)0) != LC_GLOBAL_LOCALE;
    take(context, PROCESS_LOCALE, "locale of the thread", is_own ? "own" : "global", is_own ? "its own" : "the process's");
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

// Handlers of these belong to no plug-in: the backtracer of the Swift runtime, and the crash journal.
static bool is_of_host(const char *file) {
    return ends_with(file, "/libswiftCore.so") || ends_with(file, "/libPluginHost.so");
}

static void read_signals(process_state_taker take, void *context) {
    for (int number = 1; number <= 64; number++) {
        struct sigaction action;
        if (number == 32 || number == 33 || sigaction(number, NULL, &action) != 0) continue;
        char name[32], value[256], shown[TEXT + 64];
        void *handler = action.sa_flags & SA_SIGINFO ? (void *)action.sa_sigaction : (void *)action.sa_handler;
        if (handler == (void *)SIG_DFL) {
            snprintf(shown, sizeof shown, "the default");
            snprintf(value, sizeof value, "default");
        } else if (handler == (void *)SIG_IGN) {
            snprintf(shown, sizeof shown, "ignored");
            snprintf(value, sizeof value, "ignored");
        } else {
            Dl_info info;
            bool is_known = dladdr(handler, &info) != 0 && info.dli_fname != NULL;
            if (is_known && is_of_host(info.dli_fname)) continue;
            // The function in its file, because addresses mean nothing to people.
            if (!is_known)
                snprintf(shown, sizeof shown, "a function of no library");
            else if (info.dli_sname)
                snprintf(shown, sizeof shown, "the function %s of %s", info.dli_sname, info.dli_fname);
            else
                snprintf(shown, sizeof shown, "a function of %s", info.dli_fname);
            unsigned long long blocked = 0;
            for (int other = 1; other <= 64; other++)
                if (sigismember(&action.sa_mask, other) == 1) blocked |= 1ull << (other - 1);
            snprintf(value, sizeof value, "%p %x %llx", handler, (unsigned)action.sa_flags, blocked);
        }
        take(context, PROCESS_SIGNAL, signal_name(number, name, sizeof name), value, shown);
    }
}

static void read_mask(process_state_taker take, void *context) {
    sigset_t mask;
    if (pthread_sigmask(SIG_BLOCK, NULL, &mask) != 0) return;
    char text[TEXT] = "";
    size_t length = 0;
    for (int number = 1; number <= 64; number++) {
        char name[32];
        if (sigismember(&mask, number) == 1 && length + sizeof name + 2 < sizeof text)
            length += (size_t)snprintf(
                text + length, sizeof text - length, "%s%s", length ? ", " : "", signal_name(number, name, sizeof name));
    }
    take(context, PROCESS_MASK, "signal mask", text, length ? text : "empty");
}

static void read_stack(process_state_taker take, void *context) {
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0) return;
    char value[64], shown[64];
    if (stack.ss_flags & SS_DISABLE) {
        take(context, PROCESS_STACK, "alternate signal stack", "none", "none");
        return;
    }
    snprintf(value, sizeof value, "%p %zu", stack.ss_sp, stack.ss_size);
    snprintf(shown, sizeof shown, "%zu bytes at %p", stack.ss_size, stack.ss_sp);
    take(context, PROCESS_STACK, "alternate signal stack", value, shown);
}

static bool read_umask(process_state_taker take, void *context) {
    // umask() would change it for a moment.
    FILE *status = fopen("/proc/self/status", "re");
    if (status == NULL) return false;
    char line[256], number[16];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, status)) is_found = sscanf(line, "Umask: %15[0-7]", number) == 1;
    fclose(status);
    if (is_found) take(context, PROCESS_UMASK, "umask", number, number);
    return is_found;
}

static void read_environment(process_state_taker take, void *context) {
    for (char **item = environ; item && *item; item++) {
        const char *equals = strchr(*item, '=');
        if (equals == NULL) continue;
        char name[256];
        size_t length = (size_t)(equals - *item);
        if (length >= sizeof name) continue;
        memcpy(name, *item, length);
        name[length] = 0;
        char shown[128];
        snprintf(shown, sizeof shown, "“%.100s%s”", equals + 1, strlen(equals + 1) > 100 ? "…" : "");
        take(context, PROCESS_VARIABLE, name, equals + 1, shown);
    }
}

static void add_limit(char *text, size_t size, rlim_t limit) {
    if (limit == RLIM_INFINITY)
        snprintf(text, size, "unlimited");
    else
        snprintf(text, size, "%llu", (unsigned long long)limit);
}

static void read_limits(process_state_taker take, void *context) {
    static const struct {
        int resource;
        const char *name;
    } limits[] = {
        {RLIMIT_AS, "RLIMIT_AS"},           {RLIMIT_CORE, "RLIMIT_CORE"},
        {RLIMIT_CPU, "RLIMIT_CPU"},         {RLIMIT_DATA, "RLIMIT_DATA"},
        {RLIMIT_FSIZE, "RLIMIT_FSIZE"},     {RLIMIT_LOCKS, "RLIMIT_LOCKS"},
        {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"}, {RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE"},
        {RLIMIT_NICE, "RLIMIT_NICE"},       {RLIMIT_NOFILE, "RLIMIT_NOFILE"},
        {RLIMIT_NPROC, "RLIMIT_NPROC"},     {RLIMIT_RSS, "RLIMIT_RSS"},
        {RLIMIT_RTPRIO, "RLIMIT_RTPRIO"},   {RLIMIT_RTTIME, "RLIMIT_RTTIME"},
        {RLIMIT_STACK, "RLIMIT_STACK"},     {RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING"},
    };
    for (size_t index = 0; index < sizeof limits / sizeof *limits; index++) {
        struct rlimit limit;
        if (getrlimit(limits[index].resource, &limit) != 0) continue;
        char soft[32], hard[32], text[80];
        add_limit(soft, sizeof soft, limit.rlim_cur);
        add_limit(hard, sizeof hard, limit.rlim_max);
        snprintf(text, sizeof text, "%s (at most %s)", soft, hard);
        take(context, PROCESS_LIMIT, limits[index].name, text, text);
    }
}

static void read_timers(process_state_taker take, void *context) {
    static const struct {
        int timer;
        const char *name;
    } timers[] = {{ITIMER_REAL, "ITIMER_REAL"}, {ITIMER_VIRTUAL, "ITIMER_VIRTUAL"}, {ITIMER_PROF, "ITIMER_PROF"}};
    for (size_t index = 0; index < sizeof timers / sizeof *timers; index++) {
        struct itimerval timer;
        if (getitimer(timers[index].timer, &timer) != 0) continue;
        // How long it still runs changes by itself.
        bool runs = timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
        char text[80];
        if (!runs)
            snprintf(text, sizeof text, "off");
        else if (timer.it_interval.tv_sec == 0 && timer.it_interval.tv_usec == 0)
            snprintf(text, sizeof text, "on, once");
        else
            snprintf(
                text, sizeof text, "on, every %lld.%06lld seconds", (long long)timer.it_interval.tv_sec,
                (long long)timer.it_interval.tv_usec);
        take(context, PROCESS_TIMER, timers[index].name, text, text);
    }
    // Not in every kernel.
    FILE *list = fopen("/proc/self/timers", "re");
    if (list == NULL) return;
    char line[256];
    unsigned id;
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "ID: %u", &id) != 1) continue;
        char name[48];
        snprintf(name, sizeof name, "timer %u of timer_create()", id);
        take(context, PROCESS_TIMER, name, "on", "on");
    }
    fclose(list);
}

static bool read_descriptors(process_state_taker take, void *context) {
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return false;
    for (struct dirent *item; (item = readdir(folder)) != NULL;) {
        char *end;
        long number = strtol(item->d_name, &end, 10);
        if (*item->d_name == '.' || *end != 0 || number == dirfd(folder)) continue;
        struct stat status;
        int flags = fcntl((int)number, F_GETFD);
        if (flags < 0 || fstat((int)number, &status) != 0) continue;
        char value[96], shown[TEXT];
        snprintf(
            value, sizeof value, "%llx:%llx %o%s", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
            (unsigned)status.st_mode & S_IFMT, flags & FD_CLOEXEC ? "" : "+");
        ssize_t size = readlinkat(dirfd(folder), item->d_name, shown, sizeof shown - 1);
        shown[size > 0 ? size : 0] = 0;
        take(context, PROCESS_DESCRIPTOR, item->d_name, value, shown);
    }
    closedir(folder);
    return true;
}

static void read_others(process_state_taker take, void *context) {
    char text[TEXT];
    const char *folder = getcwd(text, sizeof text);
    take(context, PROCESS_FOLDER, "working directory", folder ? folder : "", folder ? folder : "unknown");
    snprintf(text, sizeof text, "0x%x", (unsigned)personality(0xffffffff));
    take(context, PROCESS_PERSONALITY, "personality", text, text);
    snprintf(text, sizeof text, "%d", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
    take(context, PROCESS_DUMPABLE, "PR_SET_DUMPABLE", text, text);
    int is_reaper = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &is_reaper, 0, 0, 0);
    take(context, PROCESS_SUBREAPER, "PR_SET_CHILD_SUBREAPER", is_reaper ? "1" : "0", is_reaper ? "1" : "0");
}

bool process_state_read(process_state_taker take, void *context) {
    read_locale(take, context);
    read_signals(take, context);
    read_mask(take, context);
    read_stack(take, context);
    read_environment(take, context);
    read_limits(take, context);
    read_timers(take, context);
    read_others(take, context);
    return read_umask(take, context) && read_descriptors(take, context);
}
