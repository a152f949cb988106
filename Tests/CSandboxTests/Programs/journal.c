// The crash journal: every way to die in a plug-in, in a child of its own, and every file that is not a journal.
// Arguments: the library plugin.c, an empty directory.
#include "facts.h"
#include "../../../Sources/CSandbox/journal.c"
#include <setjmp.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *library;
static char path[512];
static void *handle_of_plugin;

static void begin(void) {
    phs_failure failure = {0};
    if (phs_journal_begin(path, &failure) != 0 || phs_journal_install_handlers() != 0) {
        fact(false, "the journal begins (%s)", failure.step);
        _exit(90);
    }
}

static void load(void) {
    int slot = phs_journal_load_begins("org.example.plugin", 3);
    handle_of_plugin = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle_of_plugin == NULL) _exit(91);
    phs_journal_load_ends(slot);
    if (phs_journal_add_library("org.example.plugin", handle_of_plugin) != 0) _exit(92);
}

typedef void (*function)(void);
static function named(const char *name) { return (function)dlsym(handle_of_plugin, name); }

// Runs the body in a child, and reads the journal that it left.
static int status_of_child;
static phs_journal_record left_by(void (*body)(const char *), const char *argument) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        body(argument);
        _exit(0);
    }
    waitpid(child, &status_of_child, 0);
    phs_journal_record record;
    memset(&record, 0, sizeof record);
    int error = phs_journal_read(path, &record);
    if (error != 0) fact(false, "%s: the journal is readable (%s)", argument, strerror(error));
    unlink(path);
    return record;
}

static void run_plugin(const char *name) {
    begin();
    load();
    named(name)();
}

static void expect_death(const char *name, int signal, phs_journal_certainty certainty) {
    phs_journal_record record = left_by(run_plugin, name);
    fact(
        WIFSIGNALED(status_of_child) && WTERMSIG(status_of_child) == signal,
        "%s: the process dies by signal %d (status %#x)", name, signal, status_of_child);
    fact(
        record.state == PHS_JOURNAL_CRASHED && record.signal == signal, "%s: signal %d is recorded", name,
        record.signal);
    fact(
        record.suspect_count == 1 && strcmp(record.suspects[0].identifier, "org.example.plugin") == 0 &&
            record.suspects[0].certainty == (uint32_t)certainty,
        "%s: the plug-in is named, certainty %u (%u suspects)", name, record.suspects[0].certainty,
        record.suspect_count);
}

static void in_constructor(const char *unused) {
    (void)unused;
    begin();
    setenv("CRASH_IN_CONSTRUCTOR", "1", 1);
    load();
}
static void killed_while_loading(const char *unused) {
    (void)unused;
    begin();
    phs_journal_load_begins("org.example.slow", 4);
    int other = phs_journal_load_begins("org.example.other", 2);
    phs_journal_load_continues(other, 5);
    raise(SIGKILL);
}
static void crash_of_host(const char *unused) {
    (void)unused;
    begin();
    load();
    named("returns")();
    *(volatile int *)8 = 1;
}
static void crash_here(void) { *(volatile int *)8 = 1; }
static void crash_of_host_below_plugin(const char *unused) {
    (void)unused;
    begin();
    load();
    ((void (*)(function))named("calls_back"))(crash_here);
}
static void exits_by_itself(const char *unused) {
    (void)unused;
    begin();
    load();
    named("returns")();
    exit(0);
}
static void ends(const char *unused) {
    (void)unused;
    begin();
    phs_journal_end();
    raise(SIGKILL);
}
static void was_sent(const char *unused) {
    (void)unused;
    begin();
    union sigval value = {.sival_int = 5};
    sigqueue(getpid(), SIGSEGV, value);
    for (;;) pause();
}

// Handlers that were there before.
static sigjmp_buf back;
static void say_and_die(int signal, siginfo_t *info, void *context) {
    (void)info, (void)context;
    _exit(60 + signal);
}
static void jump(int signal) { siglongjmp(back, signal); }
static int calls;
static void repair(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    calls++;
    mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}
static void handler_before_exits(const char *unused) {
    (void)unused;
    struct sigaction action = {.sa_sigaction = say_and_die, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    begin();
    load();
    named("null_pointer")();
}
static void handler_before_jumps(const char *unused) {
    (void)unused;
    signal(SIGSEGV, jump);
    begin();
    load();
    for (int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0) named("null_pointer")();
    phs_journal_load_ends(phs_journal_load_begins("x", 1));
    raise(SIGKILL);
}
static void handler_before_repairs(const char *unused) {
    (void)unused;
    struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    begin();
    volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[5] = 7;
    if (page[5] != 7 || calls != 1) _exit(80);
    signal(SIGTERM, SIG_DFL);
    exit(0);
}
static void ignored_before(const char *unused) {
    (void)unused;
    signal(SIGTRAP, SIG_IGN);
    begin();
    raise(SIGTRAP);
    exit(7);
}
static void crash_in_handler(const char *unused) {
    (void)unused;
    begin();
    load();
    for (uint32_t i = 0; i < range_count; i++) ranges[i].identifier = (const char *)16;
    named("null_pointer")();
}
static void two_threads(const char *unused) {
    (void)unused;
    begin();
    load();
    named("other_thread")();
}
static void *fork_and_crash(void *unused) { return unused; }
static void child_of_host(const char *unused) {
    (void)unused;
    begin();
    load();
    pid_t child = fork();
    if (child == 0) {
        named("null_pointer")();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    fork_and_crash(NULL);
    raise(SIGKILL);
}

static void attribution(void) {
    expect_death("null_pointer", SIGSEGV, PHS_FAULTING_CODE);
    expect_death("trap", SIGILL, PHS_FAULTING_CODE);
    expect_death("breakpoint", SIGTRAP, PHS_CALLER);
    expect_death("aborts", SIGABRT, PHS_CALLER);
    expect_death("in_libc", SIGSEGV, PHS_CALLER);
    expect_death("call_of_null", SIGSEGV, PHS_CALLER);
#if defined(__x86_64__)
    expect_death("divide", SIGFPE, PHS_FAULTING_CODE);
#endif
    expect_death("bus", SIGBUS, PHS_FAULTING_CODE);
    expect_death("stack_overflow", SIGSEGV, PHS_FAULTING_CODE);
    expect_death("other_thread", SIGSEGV, PHS_FAULTING_CODE);

    phs_journal_record record = left_by(in_constructor, "constructor");
    fact(
        record.state == PHS_JOURNAL_CRASHED && strcmp(record.loads[0].identifier, "org.example.plugin") == 0 &&
            record.loads[0].phase == 3,
        "a constructor: the load under way is named");
    record = left_by(killed_while_loading, "killed");
    fact(
        record.state == PHS_JOURNAL_RUNNING && record.signal == 0 && record.suspect_count == 0,
        "SIGKILL is not recorded");
    fact(
        strcmp(record.loads[0].identifier, "org.example.slow") == 0 &&
            strcmp(record.loads[1].identifier, "org.example.other") == 0 && record.loads[1].phase == 5,
        "but the loads under way are");
    record = left_by(crash_of_host, "host");
    fact(
        record.state == PHS_JOURNAL_CRASHED &&
            (record.suspect_count == 0 || record.suspects[0].certainty == PHS_ON_THE_STACK),
        "a crash of the host accuses no plug-in for certain (%u)", record.suspect_count);
    record = left_by(crash_of_host_below_plugin, "host below");
    fact(
        record.suspect_count == 1 && record.suspects[0].certainty == PHS_CALLER,
        "a plug-in that called the code that crashed is its caller");
    record = left_by(run_plugin, "exits");
    fact(
        record.state == PHS_JOURNAL_EXITED && record.suspect_count == 1 && WIFEXITED(status_of_child) &&
            WEXITSTATUS(status_of_child) == 0,
        "exit() by a plug-in (state %u)", record.state);
    record = left_by(exits_by_itself, "exit");
    fact(record.state == PHS_JOURNAL_CLEAN && record.suspect_count == 0, "exit() by the host is clean");
    record = left_by(ends, "end");
    fact(record.state == PHS_JOURNAL_CLEAN, "a journal that was ended stays clean");
    record = left_by(was_sent, "sent");
    fact(
        WIFSIGNALED(status_of_child) && WTERMSIG(status_of_child) == SIGSEGV && record.code == SI_QUEUE,
        "a signal that was sent ends the process, with its origin");
}

static void other_handlers(void) {
    phs_journal_record record = left_by(handler_before_exits, "exits");
    fact(
        WIFEXITED(status_of_child) && WEXITSTATUS(status_of_child) == 60 + SIGSEGV &&
            record.state == PHS_JOURNAL_CRASHED && record.suspect_count == 1,
        "a handler before ours exits: it runs, and the record stands");
    record = left_by(handler_before_jumps, "jumps");
    fact(
        WIFSIGNALED(status_of_child) && WTERMSIG(status_of_child) == SIGKILL && record.suspect_count == 1,
        "a handler before ours jumps away, three times");
    record = left_by(handler_before_repairs, "repairs");
    fact(
        WIFEXITED(status_of_child) && WEXITSTATUS(status_of_child) == 0,
        "a handler before ours repairs, and the process goes on (status %#x)", status_of_child);
    left_by(ignored_before, "ignored");
    fact(
        WIFEXITED(status_of_child) && WEXITSTATUS(status_of_child) == 7,
        "a signal that was ignored and is sent stays ignored");
    record = left_by(crash_in_handler, "crash in the handler");
    fact(
        WIFSIGNALED(status_of_child) && WTERMSIG(status_of_child) == SIGSEGV && record.state == PHS_JOURNAL_CRASHED &&
            record.signal == SIGSEGV,
        "fault 438, a crash in the handler: the process dies as before, and the signal is recorded");
    record = left_by(two_threads, "thread");
    fact(record.thread != record.process && record.suspect_count == 1, "the thread is recorded");
    record = left_by(child_of_host, "child of the host");
    fact(record.state == PHS_JOURNAL_RUNNING, "a child of fork() does not write the journal of its parent");
}

// MARK: - Files

static void expect_refused(int error, const char *what) {
    phs_journal_record record;
    int got = phs_journal_read(path, &record);
    fact(got == error, "%s is refused: %s (%s)", what, strerror(error), strerror(got));
}

static void write_file(const void *bytes, size_t size) {
    unlink(path);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size) abort();
    close(file);
}

static void begin_and_wait(int ready, int stop) {
    begin();
    char byte = 0;
    if (write(ready, &byte, 1) != 1 || read(stop, &byte, 1) < 0) abort();
    _exit(0);
}

static void writes_notes(const char *unused) {
    (void)unused;
    if (phs_journal_note("early", 5) != 0) _exit(80);
    begin();
    static char large[PHS_JOURNAL_NOTES + 1];
    if (phs_journal_note("one", 3) != 0 || phs_journal_note("two", 3) != 0) _exit(81);
    if (phs_journal_note(large, sizeof large) != ENOSPC || phs_journal_note(large, PHS_JOURNAL_NOTES - 5) != ENOSPC)
        _exit(82);
    pid_t child = fork();
    if (child == 0) _exit(phs_journal_note("three", 5));
    waitpid(child, NULL, 0);
    raise(SIGKILL);
}

static void notes(void) {
    pid_t child = fork();
    if (child == 0) writes_notes(NULL);
    int status;
    waitpid(child, &status, 0);
    char bytes[100];
    ssize_t count = phs_journal_read_notes(path, bytes, sizeof bytes);
    fact(
        WIFSIGNALED(status) && count == 6 && memcmp(bytes, "onetwo", 6) == 0,
        "notes survive the end of the process (%zd, status %#x)", count, status);
    phs_journal_record record;
    fact(phs_journal_read(path, &record) == 0, "and the record before them");
    fact(phs_journal_read_notes(path, bytes, 4) == 4, "no more notes are read than there is room for");
    unlink(path);
    fact(phs_journal_read_notes(path, bytes, 4) == -1 && errno == ENOENT, "without a file there are no notes");
}

static void files(void) {
    notes();
    expect_refused(ENOENT, "a file that is absent");
    write_file("", 0);
    expect_refused(EINVAL, "an empty file");
    char bytes[PHS_JOURNAL_SIZE] = {0};
    write_file(bytes, sizeof bytes);
    expect_refused(EINVAL, "a file of zeros");
    phs_journal_record sound = {.size = sizeof sound, .state = PHS_JOURNAL_CRASHED, .suspect_count = 1};
    memcpy(sound.magic, magic, sizeof magic);
    sound.suspects[0].certainty = PHS_CALLER;
    memset(sound.suspects[0].identifier, 'x', PHS_JOURNAL_NAME);
    memcpy(bytes, &sound, sizeof sound);
    write_file(bytes, sizeof bytes);
    phs_journal_record record;
    fact(
        phs_journal_read(path, &record) == 0 && strlen(record.suspects[0].identifier) == PHS_JOURNAL_NAME - 1,
        "a text without an end is cut");
    write_file(bytes, sizeof bytes - 1);
    expect_refused(EINVAL, "a shorter file");
    static const struct {
        size_t offset;
        uint32_t value;
        const char *what;
    } damages[] = {
        {offsetof(phs_journal_record, magic), 7, "another magic"},
        {offsetof(phs_journal_record, size), 9, "another size"},
        {offsetof(phs_journal_record, state), 77, "an unknown state"},
        {offsetof(phs_journal_record, state), 0, "no state"},
        {offsetof(phs_journal_record, suspect_count), 9, "nine suspects"},
        {offsetof(phs_journal_record, suspect_count), UINT32_MAX, "4,294,967,295 suspects"},
        {offsetof(phs_journal_record, suspects[0].certainty), 0, "no certainty"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char damaged[PHS_JOURNAL_SIZE];
        memcpy(damaged, bytes, sizeof damaged);
        memcpy(damaged + damages[i].offset, &damages[i].value, 4);
        write_file(damaged, sizeof damaged);
        expect_refused(EINVAL, damages[i].what);
    }
    uint64_t state = 88172645463325252u;
    bool sane = true;
    for (int i = 0; i < 2000; i++) {
        char noise[PHS_JOURNAL_SIZE];
        memcpy(noise, bytes, sizeof noise);
        for (int k = 0; k < 1 + i % 40; k++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            noise[state % sizeof noise] = (char)(state >> 32);
        }
        write_file(noise, sizeof noise);
        if (phs_journal_read(path, &record) != 0) continue;
        sane = sane && record.suspect_count <= PHS_JOURNAL_SUSPECTS;
        for (uint32_t k = 0; k < record.suspect_count; k++)
            sane = sane && strnlen(record.suspects[k].identifier, PHS_JOURNAL_NAME) < PHS_JOURNAL_NAME;
    }
    fact(sane, "2,000 files with noise");
    unlink(path);
    if (symlink("/etc/passwd", path) != 0) abort();
    expect_refused(ELOOP, "a link");
    phs_failure failure = {0};
    fact(phs_journal_begin(path, &failure) == ELOOP && strcmp(failure.step, "open") == 0, "a link is not begun");
    unlink(path);
    if (mkfifo(path, 0600) != 0) abort();
    expect_refused(EINVAL, "a FIFO");
    unlink(path);
    if (mkdir(path, 0700) != 0) abort();
    expect_refused(EINVAL, "a directory");
    fact(phs_journal_begin(path, &failure) == EISDIR, "a directory is not begun");
    rmdir(path);
    if (geteuid() == 0) {
        write_file(bytes, sizeof bytes);
        if (chown(path, 1234, 1234) != 0) abort();
        expect_refused(EPERM, "a file of another user");
        fact(phs_journal_begin(path, &failure) == EPERM, "a file of another user is not begun");
        unlink(path);
    }

    // Locked while its process lives, whatever number the process has; a child of that process does not hold the lock.
    int ready[2], stop[2];
    if (pipe(ready) != 0 || pipe(stop) != 0) abort();
    pid_t child = fork();
    if (child == 0) begin_and_wait(ready[1], stop[0]);
    char byte;
    if (read(ready[0], &byte, 1) != 1) abort();
    expect_refused(EBUSY, "the journal of a process that lives");
    fact(
        phs_journal_begin(path, &failure) == EBUSY && strcmp(failure.step, "flock") == 0,
        "and it is not begun by another one");
    kill(child, SIGKILL), waitpid(child, NULL, 0);
    fact(
        phs_journal_read(path, &record) == 0 && record.state == PHS_JOURNAL_RUNNING &&
            record.process == (uint32_t)child,
        "it can be read after its end");
    child = fork();
    if (child == 0) {
        begin();
        pid_t grandchild = fork();
        if (grandchild == 0) {
            if (write(ready[1], "x", 1) != 1) abort();
            _exit(read(stop[0], &byte, 1) < 0);
        }
        if (read(ready[0], &byte, 1) != 1) abort();
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    fact(phs_journal_read(path, &record) == 0, "a child that outlives the process does not keep the lock");
    if (write(stop[1], "x", 1) != 1) abort();
    unlink(path);
}

static void full_table(const char *unused) {
    (void)unused;
    begin();
    int full = 0;
    for (uintptr_t i = 0; i < PHS_JOURNAL_RANGES + 1; i++)
        full = phs_journal_add_range("org.example.many", 0x1000 + i * 16, 0x1000 + i * 16 + 16);
    if (full != ENOSPC) _exit(80);
    if (strcmp(owner_of(0x1000 + 16 * (PHS_JOURNAL_RANGES - 1)), "org.example.many") != 0) _exit(81);
    phs_journal_remove("org.example.many");
    if (owner_of(0x1000) != NULL) _exit(82);
    if (phs_journal_add_library("x", NULL) != EINVAL) _exit(83);
    for (int i = 0; i < PHS_JOURNAL_LOADS; i++)
        if (phs_journal_load_begins("x", 1) != i) _exit(84);
    if (phs_journal_load_begins("x", 1) != -1) _exit(85);
    phs_journal_load_ends(-1);
    phs_journal_load_ends(2);
    if (phs_journal_load_begins("x", 1) != 2) _exit(86);
    _exit(0);
}

int main(int count, char **words) {
    if (count < 3) return 2;
    library = words[1];
    snprintf(path, sizeof path, "%s/journal", words[2]);
    fact(phs_journal_load_begins("x", 1) == -1, "without a journal nothing is noted");
    attribution();
    other_handlers();
    phs_journal_record record = left_by(full_table, "full table");
    fact(
        WIFEXITED(status_of_child) && WEXITSTATUS(status_of_child) == 0 && record.unnamed_ranges == 1,
        "4,097 ranges: the rest stays unnamed (status %#x)", status_of_child);
    files();
    return failures != 0;
}
