#pragma GCC visibility push(protected)
#include "lanes.h"
#pragma GCC visibility pop

#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(phs_lane_head) == PHS_LANE_HEAD_SIZE, "the data begins after the head");

enum { NOT_EXECUTABLE = 8 /* MFD_NOEXEC_SEAL, which older headers lack */ };

// The value of the word on which a side waits, after its window has ended. No turn has this number.
#define POISON UINT32_MAX

enum {
    // Nanoseconds: how long to poll for a turn, how long to poll for a piece of a long message, and the longest sleep
    // in the host. Polling for a turn must last longer than the other side needs to wake up (30 us on a virtual
    // machine). Otherwise polling would fail on both sides in turn, and both would always sleep.
    TURN_TIME = 50000, PIECE_TIME = 200000, LONGEST_SLEEP = 1000000000,
    TRIAL_EVERY = 64, MOST_CREDIT = 16, FIRST_CREDIT = 4, MISS = 4
};

// Whether polling for a change before sleeping has succeeded often enough lately.
struct patience {
    int credit;
    unsigned waits;
};

struct phs_lane {
    phs_lane_head *head;
    phs_window *window;
    uint32_t number;  // of the last turn of the host
    uint32_t before;  // of the turn before it
    struct patience turns, pieces;
    uint64_t look_after;           // nanoseconds of sleep after which the waiting thread returns EAGAIN; 0: never
    _Atomic uint64_t call;         // in the host: the number of the turn that began the call, and CANCELLED
    _Atomic uint32_t interrupted;  // not 0: the waiting thread returns ECANCELED
} __attribute__((aligned(64)));

struct phs_window {
    phs_lane lanes[PHS_LANES];
    void *memory;
    int descriptor;
    bool is_host;
    _Atomic uint32_t ended;
    _Atomic uint32_t free_lanes;  // a bit for each; a futex
    _Atomic uint32_t queue;       // how many threads wait for a lane
};

#define SHARED(field) ((_Atomic uint32_t *)&(field))

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

uint64_t phs_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// MARK: - Window

static phs_window *map(int descriptor, bool is_host, phs_failure *failure) {
    void *memory = mmap(NULL, PHS_WINDOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) return fail(failure, errno, "memory", "mmap", 0), NULL;
    phs_window *window = aligned_alloc(_Alignof(phs_window), sizeof *window);
    if (window == NULL) {
        munmap(memory, PHS_WINDOW_SIZE);
        return fail(failure, ENOMEM, "memory", "malloc", 0), NULL;
    }
    memset(window, 0, sizeof *window);
    window->memory = memory;
    window->descriptor = is_host ? descriptor : -1;
    window->is_host = is_host;
    window->free_lanes = (1u << PHS_LANES) - 1;
    for (int i = 0; i < PHS_LANES; i++) {
        window->lanes[i].head = (phs_lane_head *)((char *)memory + (size_t)i * PHS_LANE_SIZE);
        window->lanes[i].window = window;
    }
    return window;
}

phs_window *phs_window_make(phs_failure *failure) {
    int descriptor = memfd_create("pluginhost-window", MFD_CLOEXEC | MFD_ALLOW_SEALING | NOT_EXECUTABLE);
    // Before Linux 6.3 the last flag does not exist, and every memory file could be made executable.
    if (descriptor < 0 && errno == EINVAL)
        descriptor = memfd_create("pluginhost-window", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return fail(failure, errno, "memory", "memfd_create", 0), NULL;
    const char *step = NULL;
    if (ftruncate(descriptor, PHS_WINDOW_SIZE) != 0)
        step = "ftruncate";
    else if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        step = "F_ADD_SEALS";
    phs_window *window = NULL;
    if (step != NULL)
        fail(failure, errno, "memory", step, 0);
    else
        window = map(descriptor, true, failure);
    if (window == NULL) close(descriptor);
    return window;
}

phs_window *phs_window_open(int descriptor, phs_failure *failure) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return fail(failure, errno, "memory", "fstat", 0), NULL;
    if (status.st_size != PHS_WINDOW_SIZE) return fail(failure, EINVAL, "memory", "fstat", 0), NULL;
    return map(descriptor, false, failure);
}

int phs_window_descriptor(const phs_window *window) { return window->descriptor; }

void phs_window_free(phs_window *window) {
    munmap(window->memory, PHS_WINDOW_SIZE);
    if (window->descriptor >= 0) close(window->descriptor);
    free(window);
}

// MARK: - Futexes

// Sleeps until the word no longer has the value, another thread wakes this one, or the time is up. The time is in
// nanoseconds; 0 means no limit.
static void sleep_while(_Atomic uint32_t *word, uint32_t value, uint64_t time, int flags) {
    struct timespec limit = {(time_t)(time / 1000000000u), (long)(time % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT | flags, value, time == 0 ? NULL : &limit, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int count, int flags) {
    syscall(SYS_futex, word, FUTEX_WAKE | flags, count, NULL, NULL, 0);
}

// How long to sleep until a deadline; 0 if it has passed. The host sleeps one second at most: a process that a dead
// worker left behind could overwrite POISON in the window before the host sleeps, and then nothing would wake the host.
static uint64_t time_to_sleep(bool is_host, uint64_t deadline) {
    if (deadline == 0) return LONGEST_SLEEP;
    uint64_t now = phs_now();
    if (now >= deadline) return 0;
    uint64_t left = deadline - now;
    return is_host && left > LONGEST_SLEEP ? LONGEST_SLEEP : left;
}

// MARK: - Free lanes

int phs_window_take_lane(phs_window *window, uint64_t deadline) {
    for (;;) {
        if (atomic_load(&window->ended)) return errno = EPIPE, -1;
        uint32_t lanes = atomic_load(&window->free_lanes);
        while (lanes != 0) {
            int index = __builtin_ctz(lanes);
            if (atomic_compare_exchange_weak(&window->free_lanes, &lanes, lanes & (lanes - 1))) return index;
        }
        uint64_t time = time_to_sleep(true, deadline);
        if (time == 0) return errno = ETIMEDOUT, -1;
        atomic_fetch_add(&window->queue, 1);
        sleep_while(&window->free_lanes, 0, time, FUTEX_PRIVATE_FLAG);
        atomic_fetch_sub(&window->queue, 1);
    }
}

void phs_window_give_back_lane(phs_window *window, int index) {
    atomic_fetch_or(&window->free_lanes, 1u << index);
    if (atomic_load(&window->queue) != 0) wake(&window->free_lanes, 1, FUTEX_PRIVATE_FLAG);
}

void phs_window_end(phs_window *window) {
    atomic_store(&window->ended, 1);
    for (int i = 0; i < PHS_LANES; i++) {
        phs_lane_head *head = window->lanes[i].head;
        // The word on which this side waits. Otherwise only the other side writes it.
        _Atomic uint32_t *word = SHARED(*(window->is_host ? &head->reply : &head->request));
        atomic_store(word, POISON);
        wake(word, INT32_MAX, 0);
    }
    wake(&window->free_lanes, INT32_MAX, FUTEX_PRIVATE_FLAG);
}

bool phs_window_has_ended(const phs_window *window) { return atomic_load(&((phs_window *)window)->ended) != 0; }

// MARK: - Turns

phs_lane *phs_window_lane(phs_window *window, int index) { return &window->lanes[index]; }

void *phs_lane_data(phs_lane *lane) { return (char *)lane->head + PHS_LANE_HEAD_SIZE; }

static uint32_t number_after(uint32_t number) { return number + 1 == POISON ? 1 : number + 1; }

// The number, plus one, of the processor that runs this thread; glibc reads it from memory.
static uint32_t this_processor(void) { return (uint32_t)(sched_getcpu() + 1); }

// Whether the other side can run while this one polls; it cannot if both use the same processor. The worker may write
// anything here, but can only make the host poll in vain for a while.
static bool runs_elsewhere(const phs_lane *lane) {
    phs_lane_head *head = lane->head;
    _Atomic uint32_t *other = SHARED(*(lane->window->is_host ? &head->worker_processor : &head->host_processor));
    return atomic_load_explicit(other, memory_order_relaxed) != this_processor();
}

// Polls the word for a while instead of sleeping, as long as polling finds the turn often enough.
static uint32_t look_for_change(
    const phs_lane *lane, struct patience *patience, uint64_t time, _Atomic uint32_t *word, uint32_t before) {
    uint32_t value = atomic_load_explicit(word, memory_order_acquire);
    if (value != before) return value;
    if (patience->credit <= 0 && patience->waits++ % TRIAL_EVERY != 0) return value;
    if (!runs_elsewhere(lane)) return value;
    uint64_t end = phs_now() + time;
    do {
        for (int i = 0; i < 16; i++) {
            value = atomic_load_explicit(word, memory_order_acquire);
            if (value != before) {
                patience->credit += patience->credit > 0 ? 1 : FIRST_CREDIT;
                if (patience->credit > MOST_CREDIT) patience->credit = MOST_CREDIT;
                return value;
            }
            relax();
        }
    } while (phs_now() < end);
    patience->credit = patience->credit > MISS ? patience->credit - MISS : 0;
    return value;
}

// Waits until the word has a value other than `before`. Returns 0, ETIMEDOUT, EPIPE, ECANCELED or EAGAIN.
static int wait_for_change(
    phs_lane *lane, bool is_piece, _Atomic uint32_t *word, _Atomic uint32_t *waits, uint32_t before,
    uint64_t deadline, uint32_t *value) {
    phs_window *window = lane->window;
    *value = is_piece ? look_for_change(lane, &lane->pieces, PIECE_TIME, word, before)
                      : look_for_change(lane, &lane->turns, TURN_TIME, word, before);
    while (*value == before) {
        if (atomic_load(&window->ended)) return EPIPE;
        if (atomic_load(&lane->interrupted) && atomic_exchange(&lane->interrupted, 0)) return ECANCELED;
        uint64_t time = window->is_host || deadline != 0 ? time_to_sleep(window->is_host, deadline) : 0;
        if (time == 0 && deadline != 0) return ETIMEDOUT;
        bool looks = lane->look_after != 0 && lane->look_after < time;
        atomic_store(waits, 1);
        *value = atomic_load(word);
        if (*value == before) sleep_while(word, before, looks ? lane->look_after : time, 0);
        atomic_store(waits, 0);
        *value = atomic_load(word);
        if (looks && *value == before) return EAGAIN;
    }
    return 0;
}

uint32_t phs_lane_next_number(const phs_lane *lane) {
    return lane->window->is_host ? number_after(lane->number) : lane->number;
}

// The thread sanitiser does not see that two mappings are the same memory. If both sides of a lane are in one process,
// as only in tests, it misses the order between them. This function makes the order visible.
static void note_order(const phs_lane *lane) {
#if __has_feature(thread_sanitizer)
    static _Atomic uint32_t turns[PHS_LANES];
    atomic_fetch_add(&turns[lane - lane->window->lanes], 1);
#else
    (void)lane;
#endif
}

void phs_lane_send(phs_lane *lane, phs_turn *turn) {
    phs_lane_head *head = lane->head;
    bool is_host = lane->window->is_host;
    if (is_host) {
        lane->before = lane->number;
        lane->number = number_after(lane->number);
    }
    turn->number = lane->number;
    atomic_store_explicit(SHARED(head->length), turn->length, memory_order_relaxed);
    atomic_store_explicit(SHARED(head->status), turn->status, memory_order_relaxed);
    atomic_store_explicit(SHARED(head->method), turn->method, memory_order_relaxed);
    atomic_store_explicit(SHARED(head->object), turn->object, memory_order_relaxed);
    atomic_store_explicit(SHARED(head->more), turn->more, memory_order_relaxed);
    atomic_store_explicit(SHARED(head->descriptors), turn->descriptors, memory_order_relaxed);
    _Atomic uint32_t *processor = SHARED(*(is_host ? &head->host_processor : &head->worker_processor));
    atomic_store_explicit(processor, this_processor(), memory_order_relaxed);
    _Atomic uint32_t *word = SHARED(*(is_host ? &head->request : &head->reply));
    _Atomic uint32_t *waits = SHARED(*(is_host ? &head->request_waits : &head->reply_waits));
    note_order(lane);
    atomic_store(word, lane->number);
    if (atomic_load(waits) != 0) wake(word, 1, 0);
}

// While this side waits for a piece, the other side copies at most one lane. That takes less time than to sleep and be
// woken on another processor.
int phs_lane_receive(phs_lane *lane, bool is_piece, uint64_t deadline, phs_turn *turn) {
    phs_lane_head *head = lane->head;
    phs_window *window = lane->window;
    uint32_t value, before, expected;
    int error;
    if (window->is_host) {
        before = lane->before, expected = lane->number;
        error = wait_for_change(
            lane, is_piece, SHARED(head->reply), SHARED(head->reply_waits), before, deadline, &value);
    } else {
        before = lane->number, expected = number_after(before);
        error = wait_for_change(
            lane, is_piece, SHARED(head->request), SHARED(head->request_waits), before, deadline, &value);
    }
    if (error != 0) return error;
    if (value != expected) return value == POISON && atomic_load(&window->ended) ? EPIPE : EPROTO;
    note_order(lane);
    lane->number = expected;
    turn->number = expected;
    turn->length = atomic_load_explicit(SHARED(head->length), memory_order_relaxed);
    turn->status = atomic_load_explicit(SHARED(head->status), memory_order_relaxed);
    turn->method = atomic_load_explicit(SHARED(head->method), memory_order_relaxed);
    turn->object = atomic_load_explicit(SHARED(head->object), memory_order_relaxed);
    turn->more = atomic_load_explicit(SHARED(head->more), memory_order_relaxed);
    turn->descriptors = atomic_load_explicit(SHARED(head->descriptors), memory_order_relaxed);
    return turn->length <= PHS_LANE_CAPACITY ? 0 : EPROTO;
}

// MARK: - Cancelling, phase

// A bit in lane.call.
static const uint64_t CANCELLED = 1ull << 32;

// Shows the worker whether the call is cancelled. The last writer has seen the latest call, so a thread that cancels an
// earlier call cannot overwrite the state of a later one.
static void tell_cancelled(phs_lane *lane) {
    uint64_t call;
    do {
        call = atomic_load(&lane->call);
        atomic_store(SHARED(lane->head->cancelled), call & CANCELLED ? (uint32_t)call : 0);
    } while (atomic_load(&lane->call) != call);
}

void phs_lane_look_after(phs_lane *lane, uint32_t milliseconds) {
    lane->look_after = (uint64_t)milliseconds * 1000000u;
}

void phs_lane_begin_call(phs_lane *lane, uint32_t number) {
    uint64_t before = atomic_load(&lane->call);
    atomic_store(&lane->call, number);
    // Numbers repeat: the worker must not mistake a later call for the cancelled one.
    if (before & CANCELLED) tell_cancelled(lane);
}

void phs_lane_cancel(phs_lane *lane, uint32_t number) {
    uint64_t call = number;
    if (!atomic_compare_exchange_strong(&lane->call, &call, number | CANCELLED)) return;
    tell_cancelled(lane);
    atomic_store(&lane->interrupted, 1);
    wake(SHARED(lane->head->reply), 1, 0);
}

bool phs_lane_is_cancelled(const phs_lane *lane, uint32_t number) {
    return atomic_load_explicit(SHARED(((phs_lane *)lane)->head->cancelled), memory_order_relaxed) == number;
}

void phs_lane_set_phase(phs_lane *lane, uint32_t phase) {
    atomic_store_explicit(SHARED(lane->head->phase), phase, memory_order_relaxed);
}

uint32_t phs_lane_phase(const phs_lane *lane) {
    return atomic_load_explicit(SHARED(((phs_lane *)lane)->head->phase), memory_order_relaxed);
}
