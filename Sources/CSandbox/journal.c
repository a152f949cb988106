#pragma GCC visibility push(protected)
#include "control.h"
#include "journal.h"
#pragma GCC visibility pop

#include "internal.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

_Static_assert(sizeof(phs_journal_record) <= PHS_JOURNAL_SIZE, "the record fits into the file");

static const char magic[8] = {'P', 'H', 'J', 'O', 'U', 'R', 'N', '1'};
static const char layer[] = "journal";
static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};

enum {
    SIGNAL_STACK = 64 * 1024, MOST_FRAMES = 256, MOST_TRACED = PHS_STACK_FRAMES, SCANNED_PAGES = 16, PAGE = 4096,
    // A second crash within this time counts as a consequence of the first one.
    CONSEQUENCE = 10  // seconds
};

static phs_journal_record *_Atomic journal;
static int journal_file = -1;
static _Atomic size_t note_count;  // bytes
static _Atomic int report_socket = -1;
static pid_t reporter;
static struct sigaction previous[_NSIG];

// The number of the thread that writes the record, so that a fault during the writing does not start another record.
static _Atomic int recording;

// A range without an end is free or being filled.
static struct range {
    _Atomic uintptr_t first, end;
    const char *_Atomic identifier;
} ranges[PHS_JOURNAL_RANGES];
static _Atomic uint32_t range_count;

static int64_t wall_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// strncpy() that terminates. Safe in a signal handler.
static void copy_name(char *to, const char *from) {
    size_t length = 0;
    while (length < PHS_JOURNAL_NAME - 1 && from[length] != 0) {
        to[length] = from[length];
        length += 1;
    }
    to[length] = 0;
}

// MARK: - The file

// The child shares the parent's lock. Closing the descriptor here does not unlock the file; keeping it would hold the
// lock after the parent has ended.
static void forget_in_child(void) {
    phs_journal_record *mine = atomic_exchange(&journal, NULL);
    if (mine == NULL) return;
    munmap(mine, PHS_JOURNAL_SIZE);
    close(journal_file);
    journal_file = -1;
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_in_child); }

// Opens a regular file of this user that is not a link. Returns the descriptor, or -1 with *error.
static int open_own(const char *path, int flags, int *error) {
    int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (file < 0) return *error = errno, -1;
    struct stat status;
    if (fstat(file, &status) != 0)
        *error = errno;
    else if (!S_ISREG(status.st_mode))
        *error = EINVAL;
    else if (status.st_uid != geteuid())
        *error = EPERM;
    else
        return file;
    close(file);
    return -1;
}

// Allocates every block of the file: a hole would end the process with SIGBUS when the disk is full.
static int fill_file(int file) {
    static const char zeros[PHS_JOURNAL_SIZE];
    if (ftruncate(file, 0) != 0) return errno;
    ssize_t written = pwrite(file, zeros, sizeof zeros, 0);
    return written == sizeof zeros ? 0 : written < 0 ? errno : ENOSPC;
}

int phs_journal_begin(const char *path, phs_failure *failure) {
    if (atomic_load(&journal) != NULL) return fail(failure, EBUSY, layer, "begin", 0);
    int error = 0, file = open_own(path, O_RDWR | O_CREAT, &error);
    if (file < 0) return fail(failure, error, layer, "open", 0);
    const char *step = "flock";
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        error = errno == EWOULDBLOCK ? EBUSY : errno;
    } else {
        step = "write";
        error = fill_file(file);
    }
    phs_journal_record *record = MAP_FAILED;
    if (error == 0) {
        step = "mmap";
        record = mmap(NULL, PHS_JOURNAL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (record == MAP_FAILED) error = errno;
    }
    if (error != 0) {
        close(file);
        return fail(failure, error, layer, step, 0);
    }
    memcpy(record->magic, magic, sizeof magic);
    record->size = sizeof *record;
    record->process = (uint32_t)getpid();
    record->started = wall_clock();
    record->state = PHS_JOURNAL_RUNNING;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    journal_file = file;
    atomic_store(&note_count, 0);
    atomic_store(&journal, record);
    return 0;
}

int phs_journal_note(const void *bytes, size_t size) {
    if (atomic_load(&journal) == NULL) return 0;
    if (size > PHS_JOURNAL_NOTES) return ENOSPC;
    size_t place = atomic_load(&note_count);
    do {
        if (place > PHS_JOURNAL_NOTES - size) return ENOSPC;
    } while (!atomic_compare_exchange_weak(&note_count, &place, place + size));
    ssize_t written = pwrite(journal_file, bytes, size, (off_t)(PHS_JOURNAL_SIZE + place));
    return written == (ssize_t)size ? 0 : written < 0 ? errno : ENOSPC;
}

void phs_journal_end(void) {
    phs_journal_record *record = atomic_load(&journal);
    if (record == NULL || record->state != PHS_JOURNAL_RUNNING) return;
    record->ended = wall_clock();
    record->state = PHS_JOURNAL_CLEAN;
}

// Opens the journal of a process that has ended. Returns the descriptor, or -1 with *error.
static int open_ended(const char *path, int *error) {
    int file = open_own(path, O_RDONLY, error);
    if (file < 0) return -1;
    struct stat status;
    if (flock(file, LOCK_SH | LOCK_NB) != 0)
        *error = errno == EWOULDBLOCK ? EBUSY : errno;
    else if (fstat(file, &status) != 0)
        *error = errno;
    else if (status.st_size < PHS_JOURNAL_SIZE)
        *error = EINVAL;
    else
        return file;
    close(file);
    return -1;
}

ssize_t phs_journal_read_notes(const char *path, void *bytes, size_t size) {
    int error = 0, file = open_ended(path, &error);
    if (file < 0) return errno = error, -1;
    ssize_t count = pread(file, bytes, size, PHS_JOURNAL_SIZE);
    error = errno;
    close(file);
    errno = error;
    return count;
}

int phs_journal_read(const char *path, phs_journal_record *record) {
    union {
        phs_journal_record record;
        char bytes[PHS_JOURNAL_SIZE];
    } content;
    int error = 0, file = open_ended(path, &error);
    if (file < 0) return error;
    if (pread(file, &content, sizeof content, 0) != sizeof content) error = EINVAL;
    close(file);
    if (error != 0) return error;
    *record = content.record;
    bool is_sound = memcmp(record->magic, magic, sizeof magic) == 0 && record->size == sizeof *record &&
                    record->state >= PHS_JOURNAL_RUNNING && record->state <= PHS_JOURNAL_CLEAN &&
                    record->suspect_count <= PHS_JOURNAL_SUSPECTS;
    for (int i = 0; i < PHS_JOURNAL_LOADS; i++) record->loads[i].identifier[PHS_JOURNAL_NAME - 1] = 0;
    for (uint32_t i = 0; i < PHS_JOURNAL_SUSPECTS; i++) {
        phs_journal_suspect *suspect = &record->suspects[i];
        suspect->identifier[PHS_JOURNAL_NAME - 1] = 0;
        if (i < record->suspect_count)
            is_sound = is_sound && suspect->certainty >= PHS_FAULTING_CODE && suspect->certainty <= PHS_ON_THE_STACK;
    }
    return is_sound ? 0 : EINVAL;
}

// MARK: - What is being loaded

int phs_journal_load_begins(const char *identifier, uint32_t phase) {
    phs_journal_record *record = atomic_load(&journal);
    if (record == NULL) return -1;
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    for (int slot = 0; slot < PHS_JOURNAL_LOADS; slot++) {
        phs_journal_load *load = &record->loads[slot];
        uint32_t free_slot = 0;
        if (!atomic_compare_exchange_strong((_Atomic uint32_t *)&load->thread, &free_slot, thread)) continue;
        copy_name(load->identifier, identifier);
        atomic_store((_Atomic uint32_t *)&load->phase, phase);
        return slot;
    }
    return -1;
}

void phs_journal_load_continues(int slot, uint32_t phase) {
    phs_journal_record *record = atomic_load(&journal);
    if (record == NULL || slot < 0) return;
    atomic_store((_Atomic uint32_t *)&record->loads[slot].phase, phase);
}

void phs_journal_load_ends(int slot) {
    phs_journal_record *record = atomic_load(&journal);
    if (record == NULL || slot < 0) return;
    atomic_store((_Atomic uint32_t *)&record->loads[slot].phase, 0);
    atomic_store((_Atomic uint32_t *)&record->loads[slot].thread, 0);
}

// MARK: - Whose code is where

static int add(const char *identifier, uintptr_t first, uintptr_t end) {
    uint32_t index = atomic_load(&range_count);
    do {
        if (index == PHS_JOURNAL_RANGES) {
            phs_journal_record *record = atomic_load(&journal);
            if (record != NULL) atomic_fetch_add((_Atomic uint32_t *)&record->unnamed_ranges, 1);
            return ENOSPC;
        }
    } while (!atomic_compare_exchange_weak(&range_count, &index, index + 1));
    atomic_store(&ranges[index].identifier, identifier);
    atomic_store(&ranges[index].first, first);
    atomic_store(&ranges[index].end, end);
    return 0;
}

int phs_journal_add_range(const char *identifier, uintptr_t first, uintptr_t end) {
    // Never freed: a handler may read it at any time.
    char *copy = strndup(identifier, PHS_JOURNAL_NAME - 1);
    return copy == NULL ? ENOMEM : add(copy, first, end);
}

struct image {
    uintptr_t base;
    const char *identifier;
    int error;
};

static int add_code(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct image *image = context;
    if (info->dlpi_addr != image->base) return 0;
    image->error = 0;
    for (int i = 0; i < info->dlpi_phnum && image->error == 0; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = image->base + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0)
            image->error = phs_journal_add_range(image->identifier, first, first + part->p_memsz);
    }
    return 1;
}

int phs_journal_add_library(const char *identifier, void *handle) {
    struct link_map *map = NULL;
    if (handle == NULL || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL) return EINVAL;
    struct image image = {map->l_addr, identifier, EINVAL};
    dl_iterate_phdr(add_code, &image);
    return image.error;
}

void phs_journal_remove(const char *identifier) {
    uint32_t count = atomic_load(&range_count);
    for (uint32_t i = 0; i < count; i++) {
        const char *owner = atomic_load(&ranges[i].identifier);
        if (owner != NULL && strncmp(owner, identifier, PHS_JOURNAL_NAME - 1) == 0) atomic_store(&ranges[i].end, 0);
    }
}

static const char *owner_of(uintptr_t address) {
    uint32_t count = atomic_load(&range_count);
    for (uint32_t i = 0; i < count; i++)
        if (address < atomic_load(&ranges[i].end) && address >= atomic_load(&ranges[i].first))
            return atomic_load(&ranges[i].identifier);
    return NULL;
}

// MARK: - In the signal handler

// Reads memory of this process through the kernel. Where nothing is mapped, returns false instead of raising a signal.
static bool read_memory(uintptr_t address, void *bytes, size_t size) {
    struct iovec to = {bytes, size}, from = {(void *)address, size};
    // These numbers are unsigned long, because the upper half of an int could be anything.
    return syscall(SYS_process_vm_readv, getpid(), &to, 1ul, &from, 1ul, 0ul) == (long)size;
}

static void suspect(phs_journal_record *record, uintptr_t address, phs_journal_certainty certainty) {
    const char *owner = owner_of(address);
    if (owner == NULL || record->suspect_count == PHS_JOURNAL_SUSPECTS) return;
    for (uint32_t i = 0; i < record->suspect_count; i++)
        if (strncmp(record->suspects[i].identifier, owner, PHS_JOURNAL_NAME - 1) == 0) return;
    phs_journal_suspect *next = &record->suspects[record->suspect_count];
    copy_name(next->identifier, owner);
    next->address = address;
    next->certainty = certainty;
    record->suspect_count += 1;
}

struct registers {
    uintptr_t counter, stack, frame, link;
};

static struct registers registers_of(const ucontext_t *context) {
#if defined(__x86_64__)
    const greg_t *all = context->uc_mcontext.gregs;
    struct registers result = {(uintptr_t)all[REG_RIP], (uintptr_t)all[REG_RSP], (uintptr_t)all[REG_RBP], 0};
    // After a call through a bad pointer the return address is on the stack.
    read_memory(result.stack, &result.link, sizeof result.link);
    return result;
#elif defined(__aarch64__)
    const mcontext_t *all = &context->uc_mcontext;
    return (struct registers){all->pc, all->sp, all->regs[29], all->regs[30]};
#endif
}

// Adds the callers whose functions were compiled with frame pointers.
static void follow_frames(phs_journal_record *record, uintptr_t frame) {
    uintptr_t words[2];
    for (int i = 0; i < MOST_FRAMES && frame != 0 && frame % sizeof frame == 0; i++) {
        if (!read_memory(frame, words, sizeof words)) return;
        suspect(record, words[1], PHS_CALLER);
        if (words[0] <= frame) return;
        frame = words[0];
    }
}

static void trace_back(phs_journal_record *record) {
    void *addresses[MOST_TRACED];
    int count = backtrace(addresses, MOST_TRACED);
    for (int i = 0; i < count; i++) suspect(record, (uintptr_t)addresses[i], PHS_CALLER);
}

static void scan_stack(phs_journal_record *record, uintptr_t stack) {
    static uintptr_t words[PAGE / sizeof(uintptr_t)];
    uintptr_t at = stack & ~(sizeof at - 1);
    for (int page = 0; page < SCANNED_PAGES && record->suspect_count == 0; page++) {
        size_t size = PAGE - at % PAGE;
        if (!read_memory(at, words, size)) return;
        for (size_t i = 0; i < size / sizeof *words; i++) suspect(record, words[i], PHS_ON_THE_STACK);
        at += size;
    }
}

static void record_signal(phs_journal_record *record, int signal, const siginfo_t *info, const ucontext_t *context) {
    int64_t now = wall_clock();
    if (record->state == PHS_JOURNAL_CRASHED && now - record->ended < CONSEQUENCE * INT64_C(1000000000)) return;
    struct registers registers = registers_of(context);
    record->signal = signal;
    record->code = info->si_code;
    record->thread = (uint32_t)syscall(SYS_gettid);
    record->address = (uint64_t)(uintptr_t)info->si_addr;
    record->counter = registers.counter;
    record->ended = now;
    record->suspect_count = 0;
    // Stored before the search for suspects, so that the crash is recorded even if the search itself crashes.
    atomic_store((_Atomic uint32_t *)&record->state, PHS_JOURNAL_CRASHED);
    suspect(record, registers.counter, PHS_FAULTING_CODE);
    char byte;
    if (!read_memory(registers.counter, &byte, 1)) suspect(record, registers.link, PHS_CALLER);
    follow_frames(record, registers.frame);
    if (record->suspect_count == 0) trace_back(record);
    if (record->suspect_count == 0) scan_stack(record, registers.stack);
}

// MARK: - The report to the host

static char program[PATH_MAX];

void phs_journal_report_crashes(int socket) {
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = 0;
    reporter = getpid();
    atomic_store(&report_socket, socket);
}

// A packet of the control socket. A frame is the offset in a library, the number of bytes of its path, and the path.
static struct report {
    phs_control_head head;
    int32_t signal;
    uint8_t is_deadly;
    uint8_t is_from_outside;
    uint64_t frame_count;
    char frames[16 << 10];
} __attribute__((packed)) report;
static size_t frames_size;

_Static_assert(sizeof report <= PHS_CONTROL_SIZE, "a report is one packet");

static void append(const void *bytes, size_t size) {
    memcpy(report.frames + frames_size, bytes, size);
    frames_size += size;
}

// Adds the place of an address, if a library contains it. The search takes no lock. Returns whether there was room.
static bool append_frame(uintptr_t address) {
    struct dl_find_object object;
    if (_dl_find_object((void *)address, &object) != 0) return true;
    const struct link_map *map = object.dlfo_link_map;
    // The name of the program itself is empty.
    const char *path = map->l_name[0] == 0 ? program : map->l_name;
    uint64_t offset = address - map->l_addr, length = strlen(path);
    if (sizeof offset + sizeof length + length > sizeof report.frames - frames_size) return false;
    append(&offset, sizeof offset);
    append(&length, sizeof length);
    append(path, length);
    report.frame_count += 1;
    return true;
}

static void append_stack(struct registers registers) {
    void *addresses[MOST_TRACED];
    int count = backtrace(addresses, MOST_TRACED), first = 0;
    // The frames before the instruction that caused the signal are this handler's.
    while (first < count && (uintptr_t)addresses[first] != registers.counter) first += 1;
    if (first < count) {
        for (int i = first; i < count && append_frame((uintptr_t)addresses[i]); i++) {}
    } else {
        // After a call through a bad pointer there is no code to start from.
        append_frame(registers.counter);
        append_frame(registers.link);
    }
}

// Whether a signal certainly ends the process when it is passed on. A handler that was installed before may do
// anything.
static bool is_deadly(int signal, const siginfo_t *info) {
    const struct sigaction *before = &previous[signal];
    return before->sa_handler == SIG_DFL || (before->sa_handler == SIG_IGN && info->si_code > 0);
}

// Whether another process sent the signal, so that no code of this process caused it.
static bool is_from_outside(const siginfo_t *info) {
    bool has_sender = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
    return has_sender && info->si_pid != getpid();
}

static void report_crash(int socket, int signal, const siginfo_t *info, const ucontext_t *context) {
    enum { TRIES = 10, PAUSE = 100 /* milliseconds */ };
    append_stack(registers_of(context));
    report.signal = signal;
    report.is_deadly = is_deadly(signal, info);
    report.is_from_outside = is_from_outside(info);
    size_t size = offsetof(struct report, frames) + frames_size;
    report.head = (phs_control_head){(uint32_t)size, PHS_CONTROL_CRASHED, 0, PHS_CONTROL_UNNUMBERED};
    // The host reads continuously, so a full socket soon has room.
    for (int i = 0; i < TRIES && send(socket, &report, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EAGAIN; i++)
        poll(&(struct pollfd){socket, POLLOUT, 0}, 1, PAUSE);
}

// Does what would have happened without this handler.
static void pass_on(int signal, siginfo_t *info, void *context) {
    struct sigaction before = previous[signal];
    bool was_sent = info->si_code <= 0;
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        if ((before.sa_flags & SA_RESETHAND) != 0) previous[signal].sa_handler = SIG_DFL, previous[signal].sa_flags = 0;
        if ((before.sa_flags & SA_NODEFER) == 0) sigaddset(&before.sa_mask, signal);
        pthread_sigmask(SIG_BLOCK, &before.sa_mask, NULL);
        if ((before.sa_flags & SA_SIGINFO) != 0)
            before.sa_sigaction(signal, info, context);
        else
            before.sa_handler(signal);
        return;
    }
    if (!is_deadly(signal, info)) return;
    struct sigaction ending = {.sa_handler = SIG_DFL};
    sigaction(signal, &ending, NULL);
    // A fault happens again when the handler returns. A signal that was sent, or that does not repeat, is sent again.
    if (was_sent || signal == SIGTRAP || signal == SIGSYS) {
        syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info);
        // This does not end the first process of a PID namespace, which must not continue.
        if (getpid() == 1) _exit(PHS_EXIT_OF_SIGNAL + signal);
    }
}

static void handle(int signal, siginfo_t *info, void *context) {
    int error = errno, nobody = 0;
    phs_journal_record *record = atomic_load(&journal);
    // Like SIGKILL, a signal from another process blames no plug-in: a service manager sends SIGABRT to a process that
    // does not answer.
    if (record != NULL && !is_from_outside(info) &&
        atomic_compare_exchange_strong(&recording, &nobody, (int)syscall(SYS_gettid))) {
        record_signal(record, signal, info, context);
        atomic_store(&recording, 0);
    }
    // Only the first thread reports, and only once. A child made by fork() does not report: the worker lives on.
    int socket = getpid() == reporter ? atomic_exchange(&report_socket, -1) : -1;
    if (socket >= 0) report_crash(socket, signal, info, context);
    errno = error;
    pass_on(signal, info, context);
}

static bool is_loading(phs_journal_record *record, uint32_t thread) {
    for (int slot = 0; slot < PHS_JOURNAL_LOADS; slot++)
        if (atomic_load((_Atomic uint32_t *)&record->loads[slot].thread) == thread) return true;
    return false;
}

// The functions that called exit() are still on the stack. Where the code of a constructor is, nobody knows yet: then the
// load that this thread is in the middle of tells whose it is.
static void record_exit(void) {
    phs_journal_record *record = atomic_load(&journal);
    if (record == NULL || record->state != PHS_JOURNAL_RUNNING) return;
    record->ended = wall_clock();
    record->thread = (uint32_t)syscall(SYS_gettid);
    trace_back(record);
    bool is_of_plugin = record->suspect_count > 0 || is_loading(record, record->thread);
    record->state = is_of_plugin ? PHS_JOURNAL_EXITED : PHS_JOURNAL_CLEAN;
}

static int give_signal_stack(void) {
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0) return errno;
    if ((stack.ss_flags & SS_DISABLE) == 0) return 0;
    char *memory = mmap(NULL, PAGE + SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return errno;
    mprotect(memory, PAGE, PROT_NONE);
    stack = (stack_t){.ss_sp = memory + PAGE, .ss_size = SIGNAL_STACK};
    return sigaltstack(&stack, NULL) == 0 ? 0 : errno;
}

int phs_journal_install_handlers(void) {
    // The first call loads the unwinder, which a handler must not do.
    void *address;
    backtrace(&address, 1);
    int error = give_signal_stack();
    if (error != 0) return error;
    if (atexit(record_exit) != 0) return ENOMEM;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        // SA_NODEFER: a fault in this handler must reach the earlier handlers, instead of ending the process at once.
        struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        sigemptyset(&action.sa_mask);
        // In this order: a signal that comes between the two calls must find the previous handler.
        if (sigaction(signals[i], NULL, &previous[signals[i]]) != 0 || sigaction(signals[i], &action, NULL) != 0)
            return errno;
    }
    return 0;
}
