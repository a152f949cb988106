// Lanes between this process and a child: calls, long messages, callbacks, cancelling, death, and a worker that writes
// noise everywhere. With the argument "measure" it prints what a call costs instead, with "measure split" each side
// having a processor for itself.
#include "facts.h"
#include <sched.h>
#include "../../../Sources/CSandbox/lanes.c"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static bool is_split;

enum { LONGEST = 80 << 20, NEXT = 1000 };
enum {
    ECHO,
    REVERSE_ADD,
    WITH_CALLBACK,
    WAIT_UNTIL_CANCELLED,
    CRASH,
    HANG,
    PHASE,
    REFUSE,
    TWICE,
    FOREIGN,
    LENGTH_BEYOND,
    STOP,
    DIE_AT
};

static uint64_t after(int milliseconds) { return phs_now() + (uint64_t)milliseconds * 1000000; }

// MARK: - Messages of any length

static uint32_t piece_of(size_t left) {
    return left < PHS_LANE_CAPACITY ? (uint32_t)left : (uint32_t)PHS_LANE_CAPACITY;
}

// Returns ECANCELED if the other side answered before it had read all; *turn is then its answer.
static int write_all(phs_lane *lane, phs_turn *turn, const void *bytes, size_t length, uint64_t deadline) {
    for (size_t done = 0;;) {
        turn->length = piece_of(length - done);
        turn->more = done + turn->length < length;
        memcpy(phs_lane_data(lane), (const char *)bytes + done, turn->length);
        done += turn->length;
        phs_lane_send(lane, turn);
        if (!turn->more) return 0;
        phs_turn answer;
        int error = phs_lane_receive(lane, true, deadline, &answer);
        if (error != 0) return error;
        if (answer.status != NEXT) return *turn = answer, ECANCELED;
    }
}

// Reads the message that began with *turn; the length becomes that of the whole.
static int read_all(phs_lane *lane, phs_turn *turn, void *bytes, uint64_t deadline) {
    memcpy(bytes, phs_lane_data(lane), turn->length);
    for (uint32_t more = turn->more; more != 0;) {
        phs_turn next = {.status = NEXT};
        phs_lane_send(lane, &next);
        int error = phs_lane_receive(lane, true, deadline, &next);
        if (error != 0) return error;
        if (turn->length + next.length > LONGEST) return EPROTO;
        memcpy((char *)bytes + turn->length, phs_lane_data(lane), next.length);
        turn->length += next.length, more = next.more;
    }
    return 0;
}

// MARK: - The worker

struct serving {
    phs_window *window;
    int index;
};

static void serve_one(phs_window *window, phs_lane *lane, phs_turn *turn, char *buffer) {
    phs_turn answer = {.status = 0, .object = turn->object};
    switch (turn->method) {
    case ECHO:
        if (read_all(lane, turn, buffer, 0) != 0) _exit(3);
        if (write_all(lane, &answer, buffer, turn->length, 0) != 0) _exit(4);
        return;
    case WITH_CALLBACK:
        for (uint32_t i = 0; i < turn->object; i++) {
            phs_turn callback = {.status = 7, .object = i};
            phs_lane_send(lane, &callback);
            if (phs_lane_receive(lane, false, 0, &callback) != 0 || callback.object != i * 2) _exit(5);
            if (callback.status == 9) { // the callback calls again
                serve_one(window, lane, &callback, buffer);
                if (phs_lane_receive(lane, false, 0, &callback) != 0) _exit(5);
            }
        }
        break;
    case WAIT_UNTIL_CANCELLED:
        while (!phs_lane_is_cancelled(lane, turn->number)) usleep(100);
        break;
    case PHASE:
        phs_lane_set_phase(lane, turn->object);
        raise(SIGKILL);
        break;
    case DIE_AT: {
        uint64_t now = phs_now();
        memcpy(phs_lane_data(lane), &now, sizeof now);
        raise(SIGKILL);
        break;
    }
    case CRASH: signal(SIGSEGV, SIG_DFL), raise(SIGSEGV); break;
    case HANG:
        for (;;) pause();
    case REFUSE: answer.status = 5; break;
    case LENGTH_BEYOND: answer.length = PHS_LANE_CAPACITY + 1; break;
    case TWICE: lane->number += 1; break;
    case FOREIGN: lane = phs_window_lane(window, 1); break;
    case STOP: _exit(0);
    }
    phs_lane_send(lane, &answer);
}

static void *serve(void *argument);

static void *serve(void *argument) {
    struct serving *serving = argument;
    phs_lane *lane = phs_window_lane(serving->window, serving->index);
    char *buffer = malloc(LONGEST);
    bool started_next = false;
    for (;;) {
        phs_turn turn;
        if (phs_lane_receive(lane, false, 0, &turn) != 0) _exit(2);
        if (!started_next && serving->index + 1 < PHS_LANES) {
            struct serving *next = malloc(sizeof *next);
            *next = (struct serving){serving->window, serving->index + 1};
            pthread_t thread;
            if (pthread_create(&thread, NULL, serve, next) != 0) _exit(6);
            started_next = true;
        }
        serve_one(serving->window, lane, &turn, buffer);
    }
    return NULL;
}

static void bind_to(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static pid_t worker_of(phs_window *window, void *(*body)(void *)) {
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (is_split) bind_to(1);
    struct serving serving = {phs_window_open(phs_window_descriptor(window), NULL), 0};
    if (serving.window == NULL) _exit(1);
    body(&serving);
    _exit(0);
}

// MARK: - The host

struct host {
    phs_window *window;
    pid_t worker;
};

static struct host begin(void *(*body)(void *)) {
    phs_failure failure = {0};
    struct host host = {phs_window_make(&failure), 0};
    if (host.window == NULL) abort();
    host.worker = worker_of(host.window, body);
    return host;
}
static void finish(struct host *host) {
    kill(host->worker, SIGKILL), waitpid(host->worker, NULL, 0);
    phs_window_free(host->window);
}

static int call(phs_window *window, phs_turn turn, phs_turn *answer, uint64_t deadline) {
    int index = phs_window_take_lane(window, deadline);
    if (index < 0) return errno;
    phs_lane *lane = phs_window_lane(window, index);
    phs_lane_send(lane, &turn);
    phs_lane_begin_call(lane, turn.number);
    int error;
    do error = phs_lane_receive(lane, false, deadline, answer);
    while (error == ECANCELED); // also after a call before this one was cancelled
    if (error == 0) phs_window_give_back_lane(window, index);
    return error;
}

// A look in vain costs credit, so the credit shows whether there was one.
static void looking(void) {
    phs_failure failure;
    phs_window *window = phs_window_make(&failure);
    phs_lane *lane = phs_window_lane(window, 0);
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    bind_to(sched_getcpu());
    phs_turn turn = {0};
    phs_lane_send(lane, &turn);
    fact(lane->head->host_processor == this_processor(), "a side notes the processor on which it hands over a turn");
    struct patience patience = {MOST_CREDIT, 0};
    lane->head->worker_processor = this_processor();
    look_for_change(lane, &patience, TURN_TIME, SHARED(lane->head->reply), 0);
    fact(patience.credit == MOST_CREDIT, "a side does not look while the other one needs the same processor");
    lane->head->worker_processor = this_processor() + 1;
    look_for_change(lane, &patience, TURN_TIME, SHARED(lane->head->reply), 0);
    fact(patience.credit == MOST_CREDIT - MISS, "it looks while the other one runs elsewhere");
    sched_setaffinity(0, sizeof before, &before);
    phs_window_free(window);
}

static void messages(void) {
    struct host host = begin(serve);
    static const size_t sizes[] = {0,
                                   1,
                                   63,
                                   4096,
                                   PHS_LANE_CAPACITY - 1,
                                   PHS_LANE_CAPACITY,
                                   PHS_LANE_CAPACITY + 1,
                                   2 * PHS_LANE_CAPACITY,
                                   (3 << 20) + 17};
    char *sent = malloc(4 << 20), *received = malloc(4 << 20);
    for (size_t i = 0; i < 4 << 20; i++) sent[i] = (char)(i * 2654435761u >> 13);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int index = phs_window_take_lane(host.window, 0);
        phs_lane *lane = phs_window_lane(host.window, index);
        phs_turn turn = {.method = ECHO, .object = (uint32_t)i}, answer = {0};
        int wrote = write_all(lane, &turn, sent, sizes[i], after(10000)),
            error = phs_lane_receive(lane, false, after(10000), &answer);
        memset(received, 0, 4 << 20);
        int read = error == 0 ? read_all(lane, &answer, received, after(10000)) : error;
        fact(
            wrote == 0 && read == 0 && answer.length == sizes[i] && answer.object == i &&
                memcmp(sent, received, sizes[i]) == 0,
            "%zu bytes there and back", sizes[i]);
        phs_window_give_back_lane(host.window, index);
    }
    phs_turn turn = {.method = REFUSE};
    int error = write_all(phs_window_lane(host.window, 0), &turn, sent, 3 << 20, after(1000));
    fact(error == ECANCELED && turn.status == 5, "an answer before the last piece is returned (%d)", error);
    free(sent), free(received);
    finish(&host);
}

static void callbacks(void) {
    struct host host = begin(serve);
    phs_lane *lane = phs_window_lane(host.window, phs_window_take_lane(host.window, 0));
    phs_turn turn = {.method = WITH_CALLBACK, .object = 100};
    phs_lane_send(lane, &turn);
    uint32_t count = 0;
    int error;
    while ((error = phs_lane_receive(lane, false, after(5000), &turn)) == 0 && turn.status == 7) {
        count++;
        if (turn.object == 50) { // a call within the callback
            phs_turn inner = {.status = 9, .method = ECHO, .object = turn.object * 2};
            write_all(lane, &inner, "nested", 6, 0);
            char text[6];
            error = phs_lane_receive(lane, false, after(5000), &inner);
            fact(
                error == 0 && inner.length == 6 && read_all(lane, &inner, text, 0) == 0 &&
                    memcmp(text, "nested", 6) == 0,
                "a call within a callback");
        }
        phs_turn result = {.status = 8, .object = turn.object * 2};
        phs_lane_send(lane, &result);
    }
    fact(error == 0 && count == 100 && turn.status == 0, "100 callbacks within a call");
    finish(&host);
}

static void *cancel_soon(void *argument) {
    struct host *host = argument;
    usleep(20000);
    phs_lane_cancel(phs_window_lane(host->window, 0), 1);
    return NULL;
}

static void cancelling(void) {
    struct host host = begin(serve);
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_soon, &host);
    phs_turn answer;
    fact(
        call(host.window, (phs_turn){.method = WAIT_UNTIL_CANCELLED}, &answer, after(5000)) == 0,
        "a call sees that it is cancelled");
    pthread_join(thread, NULL);
    phs_lane_cancel(phs_window_lane(host.window, 0), 1);
    fact(
        call(host.window, (phs_turn){.method = WAIT_UNTIL_CANCELLED}, &answer, after(50)) == ETIMEDOUT,
        "cancelling an earlier call does not cancel the present one");
    finish(&host);

    host = begin(serve);
    pthread_create(&thread, NULL, cancel_soon, &host);
    phs_turn turn = {.method = HANG};
    phs_lane *lane = phs_window_lane(host.window, phs_window_take_lane(host.window, 0));
    phs_lane_send(lane, &turn);
    phs_lane_begin_call(lane, turn.number);
    uint64_t start = phs_now();
    fact(
        phs_lane_receive(lane, false, after(5000), &answer) == ECANCELED && phs_now() < start + 900000000u,
        "the thread that waits for an answer is woken when its call is cancelled");
    pthread_join(thread, NULL);
    finish(&host);
}

static void cancelling_after_many_calls(void) {
    phs_failure failure;
    phs_window *window = phs_window_make(&failure);
    phs_lane *lane = phs_window_lane(window, 0);
    phs_turn first = {0}, later = {0};
    phs_lane_send(lane, &first);
    phs_lane_begin_call(lane, first.number);
    phs_lane_cancel(lane, first.number);
    lane->number += 3000000000u;
    phs_lane_send(lane, &later);
    phs_lane_begin_call(lane, later.number);
    fact(!phs_lane_is_cancelled(lane, first.number), "a number that comes again is not that of a cancelled call");
    phs_lane_cancel(lane, first.number);
    fact(!phs_lane_is_cancelled(lane, first.number), "cancelling a call that has ended tells the worker nothing");
    phs_lane_cancel(lane, later.number);
    fact(phs_lane_is_cancelled(lane, later.number), "a call can be cancelled after three thousand million turns");
    phs_window_free(window);
}

static void *monitor(void *argument) {
    struct host *host = argument;
    waitpid(host->worker, NULL, 0);
    phs_window_end(host->window);
    return NULL;
}

static void *waiting_call(void *argument) {
    phs_turn answer;
    return (void *)(intptr_t)call(((struct host *)argument)->window, (phs_turn){.method = HANG}, &answer, 0);
}

static void deaths(void) {
    struct host host = begin(serve);
    pthread_t threads[20], watch;
    pthread_create(&watch, NULL, monitor, &host);
    for (int i = 0; i < 20; i++) pthread_create(&threads[i], NULL, waiting_call, &host);
    usleep(50000);
    kill(host.worker, SIGKILL);
    bool all = true;
    for (int i = 0; i < 20; i++) {
        void *error;
        pthread_join(threads[i], &error);
        all = all && (intptr_t)error == EPIPE;
    }
    pthread_join(watch, NULL);
    fact(all, "20 callers on 8 lanes, and those without a lane, get an error when the worker dies");
    phs_turn answer;
    fact(
        call(host.window, (phs_turn){.method = ECHO}, &answer, 0) == EPIPE && phs_window_has_ended(host.window),
        "later calls fail at once");
    phs_lane *lane = phs_window_lane(host.window, 0);
    phs_turn turn = {.method = ECHO};
    phs_lane_send(lane, &turn);
    fact(phs_lane_receive(lane, false, 0, &answer) == EPIPE, "also on a lane that was taken before");
    phs_window_free(host.window);

    host = begin(serve);
    pthread_create(&watch, NULL, monitor, &host);
    fact(
        call(host.window, (phs_turn){.method = CRASH}, &answer, 0) == EPIPE,
        "a crash in a call is an error of the call");
    pthread_join(watch, NULL);
    phs_window_free(host.window);
    host = begin(serve);
    pthread_create(&watch, NULL, monitor, &host);
    fact(call(host.window, (phs_turn){.method = PHASE, .object = 77}, &answer, 0) == EPIPE, "killed in a phase");
    pthread_join(watch, NULL);
    fact(phs_lane_phase(phs_window_lane(host.window, 0)) == 77, "the phase can be read afterwards");
    phs_window_free(host.window);

    host = begin(serve);
    uint64_t start = phs_now();
    fact(
        call(host.window, (phs_turn){.method = HANG}, &answer, after(100)) == ETIMEDOUT &&
            phs_now() < start + 200000000u,
        "no answer in time");
    finish(&host);
    // Poison that something undoes before the host sleeps is noticed within two seconds.
    host = begin(serve);
    lane = phs_window_lane(host.window, phs_window_take_lane(host.window, 0));
    turn = (phs_turn){.method = HANG};
    phs_lane_send(lane, &turn);
    phs_window_end(host.window);
    lane->head->reply = lane->before;
    fact(phs_lane_receive(lane, false, 0, &answer) == EPIPE, "poison that was undone does not hang the host");
    finish(&host);
}

static void forged(void) {
    static const struct {
        int method;
        const char *what;
    } forgeries[] = {
        {LENGTH_BEYOND, "a length beyond the lane"},
        {TWICE, "an answer of a later turn"}};
    for (int i = 0; i < 2; i++) {
        struct host host = begin(serve);
        phs_turn answer;
        fact(
            call(host.window, (phs_turn){.method = (uint32_t)forgeries[i].method}, &answer, after(2000)) == EPROTO,
            "%s is a violation", forgeries[i].what);
        finish(&host);
    }
    struct host host = begin(serve);
    phs_turn answer;
    phs_lane *other = phs_window_lane(host.window, 1);
    fact(
        call(host.window, (phs_turn){.method = FOREIGN}, &answer, after(100)) == ETIMEDOUT,
        "an answer in another lane answers nothing");
    phs_turn turn = {.method = ECHO};
    other->head->reply = 1; // the answer stands there before the call, as the worker may have done
    phs_lane_send(other, &turn);
    int error = phs_lane_receive(other, false, after(100), &answer);
    fact(error == 0 || error == EPROTO, "an answer before the call is taken for one, within bounds (%d)", error);
    finish(&host);

    host = begin(serve);
    int descriptor = phs_window_descriptor(host.window);
    fact(ftruncate(descriptor, 0) != 0 && errno == EPERM, "the window cannot shrink");
    fact(ftruncate(descriptor, PHS_WINDOW_SIZE + 1) != 0 && errno == EPERM, "nor grow");
    fact(fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE) != 0, "nor get another seal");
    fact(
        fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PHS_WINDOW_SIZE) == 0 &&
            phs_window_lane(host.window, 7)->head->reply == 0,
        "a hole reads as zeros");
    finish(&host);
    int wrong = memfd_create("wrong", MFD_CLOEXEC);
    phs_failure failure = {0};
    fact(
        phs_window_open(wrong, &failure) == NULL && failure.error == EINVAL,
        "a window of another size is refused");
    close(wrong);
    fact(
        phs_window_open(-1, &failure) == NULL && failure.error == EBADF,
        "a descriptor that is not open is refused");
}

// A worker that writes noise over all heads and some data, for ever.
static void *noise(void *argument) {
    struct serving *serving = argument;
    uint64_t state = 88172645463325252u;
    for (;;) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        phs_lane *lane = phs_window_lane(serving->window, state >> 60 & 7);
        uint32_t *words = (uint32_t *)lane->head;
        uint32_t value = (uint32_t)(state >> 8);
        // Often a value that means something.
        if (state & 1) value &= 15;
        if (state & 2) words[1] = words[0];
        words[state >> 40 & 31] = value;
        if ((state & 0xf00) == 0) syscall(SYS_futex, &words[1], FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void corrupted(int turns) {
    struct host host = begin(noise);
    char *buffer = malloc(LONGEST);
    int answered = 0, violations = 0, late = 0;
    bool within = true;
    uint64_t end = after(20000);
    int i;
    // On one processor the worker writes only while this side does not run.
    for (i = 0; (i < turns || answered < 10) && phs_now() < end; i++) {
        if (i % 64 == 0) sched_yield();
        phs_lane *lane = phs_window_lane(host.window, i & 7);
        phs_turn turn = {.method = ECHO, .object = (uint32_t)i}, answer;
        memset(&answer, 0xee, sizeof answer);
        // A real host kills the worker after the first violation.
        lane->number = (uint32_t)i & 1023, lane->before = lane->number - 1;
        phs_lane_send(lane, &turn);
        uint64_t deadline = phs_now() + 20000;
        int error = phs_lane_receive(lane, false, deadline, &answer);
        if (error == 0) {
            answered++;
            within = within && answer.length <= PHS_LANE_CAPACITY;
            error = read_all(lane, &answer, buffer, deadline);
        }
        if (error == EPROTO) violations++;
        if (error == ETIMEDOUT) late++;
        within = within && (error == 0 || error == EPROTO || error == ETIMEDOUT);
    }
    fact(
        within && answered > 0 && violations > 0, "%d turns against noise: %d answers, %d violations, %d late", i,
        answered, violations, late);
    free(buffer);
    finish(&host);
}

static struct host shared_host;
static _Atomic int right;
static void *caller(void *number) {
    for (int i = 0; i < 5; i++) {
        phs_window *window = shared_host.window;
        int index = phs_window_take_lane(window, 0);
        phs_lane *lane = phs_window_lane(window, index);
        uint64_t sent = (uint64_t)(uintptr_t)number * 1000 + (uint64_t)i, got = 0;
        phs_turn turn = {.method = ECHO}, answer;
        if (write_all(lane, &turn, &sent, 8, 0) == 0 && phs_lane_receive(lane, false, 0, &answer) == 0 &&
            read_all(lane, &answer, &got, 0) == 0 && got == sent)
            right++;
        phs_window_give_back_lane(window, index);
    }
    return NULL;
}

static void callers(void) {
    enum { COUNT = 1000 };
    shared_host = begin(serve);
    static pthread_t threads[COUNT];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    for (uintptr_t i = 0; i < COUNT; i++)
        if (pthread_create(&threads[i], &small, caller, (void *)i) != 0) abort();
    for (int i = 0; i < COUNT; i++) pthread_join(threads[i], NULL);
    fact(right == COUNT * 5, "1,000 callers on 8 lanes: none is lost (%d)", right);
    for (int i = 0; i < PHS_LANES; i++) phs_window_take_lane(shared_host.window, 0);
    fact(phs_window_take_lane(shared_host.window, after(20)) == -1 && errno == ETIMEDOUT, "no free lane in time");
    finish(&shared_host);
}

static void *serve_at_the_end(void *argument) {
    struct serving *serving = argument;
    serving->window->lanes[0].number = UINT32_MAX - 3;
    return serve(argument);
}

static void wrapping(void) {
    struct host host = {phs_window_make(NULL), 0};
    phs_lane *lane = phs_window_lane(host.window, 0);
    lane->number = UINT32_MAX - 3, lane->before = UINT32_MAX - 4;
    lane->head->request = lane->head->reply = UINT32_MAX - 3;
    host.worker = worker_of(host.window, serve_at_the_end);
    bool all = true;
    for (int i = 0; i < 6; i++) {
        phs_turn answer;
        all = all && call(host.window, (phs_turn){.method = REFUSE}, &answer, after(2000)) == 0 &&
              answer.number != POISON && answer.number != 0;
    }
    fact(all, "the numbers of turns begin anew and leave out the poison");
    finish(&host);
}

static void once(void) {
    unsigned char bytes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    fact(
        phs_once_u8(bytes + 1) == 1 && phs_once_u16(bytes + 1) == 0x0201 && phs_once_u32(bytes + 1) == 0x04030201 &&
            phs_once_u64(bytes + 1) == 0x0807060504030201,
        "values at any address");
}

// MARK: - Measuring

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void *raw_server(void *argument) {
    struct serving *serving = argument;
    phs_lane_head *head = serving->window->lanes[0].head;
    for (uint32_t turn = 1;; turn++) {
        while (atomic_load(SHARED(head->request)) != turn) sleep_while(SHARED(head->request), turn - 1, 0, 0);
        atomic_store(SHARED(head->reply), turn);
        wake(SHARED(head->reply), 1, 0);
    }
    return NULL;
}

static void *echo_server(void *argument) {
    struct serving *serving = argument;
    phs_lane *lane = phs_window_lane(serving->window, 0);
    char *buffer = malloc(LONGEST);
    memset(buffer, 1, LONGEST);
    for (;;) {
        phs_turn turn;
        if (phs_lane_receive(lane, false, 0, &turn) != 0 || read_all(lane, &turn, buffer, 0) != 0) _exit(1);
        phs_turn answer = {0};
        // A long message is only received, as its cost is compared with two copies.
        if (write_all(lane, &answer, buffer, turn.length > 1 << 20 ? 0 : turn.length, 0) != 0) _exit(1);
    }
    return NULL;
}

static char *here, *there;
static void one_call(phs_lane *lane, size_t size) {
    phs_turn turn = {0}, answer;
    if (write_all(lane, &turn, here, size, 0) != 0 || phs_lane_receive(lane, false, 0, &answer) != 0) abort();
    if (read_all(lane, &answer, there, 0) != 0) abort();
}

// The raw and the real calls alternate in rounds, so that what else the machine does hits both.
static double ratio(size_t size, double *raw_time, double *best) {
    struct host raw = begin(raw_server), real = begin(echo_server);
    phs_lane_head *head = raw.window->lanes[0].head;
    phs_lane *lane = phs_window_lane(real.window, 0);
    enum { ROUNDS = 61, CALLS = 300 };
    double plain[ROUNDS], calls[ROUNDS];
    uint32_t turn = 0;
    for (int round = -3; round < ROUNDS; round++) {
        uint64_t start = phs_now();
        for (int i = 0; i < CALLS; i++) {
            turn++;
            atomic_store(SHARED(head->request), turn);
            wake(SHARED(head->request), 1, 0);
            while (atomic_load(SHARED(head->reply)) != turn) sleep_while(SHARED(head->reply), turn - 1, 0, 0);
        }
        uint64_t middle = phs_now();
        for (int i = 0; i < CALLS; i++) one_call(lane, size);
        if (round < 0) continue;
        plain[round] = (double)(middle - start) / CALLS;
        calls[round] = (double)(phs_now() - middle) / CALLS;
    }
    qsort(plain, ROUNDS, sizeof *plain, by_size), qsort(calls, ROUNDS, sizeof *calls, by_size);
    finish(&raw), finish(&real);
    *raw_time = plain[ROUNDS / 2];
    *best = calls[0] / plain[0];
    return calls[ROUNDS / 2] / plain[ROUNDS / 2];
}

static double copies_ratio(size_t size) {
    struct host real = begin(echo_server);
    phs_lane *lane = phs_window_lane(real.window, 0);
    double copies[9], calls[9];
    char *middle = malloc(size);
    memset(middle, 1, size);
    for (int round = -1; round < 9; round++) {
        uint64_t start = phs_now();
        memcpy(middle, here, size);
        __asm__ volatile("" : : "r"(middle) : "memory");
        memcpy(there, middle, size);
        __asm__ volatile("" : : "r"(there) : "memory");
        uint64_t between = phs_now();
        one_call(lane, size);
        if (round < 0) continue;
        copies[round] = (double)(between - start), calls[round] = (double)(phs_now() - between);
    }
    qsort(copies, 9, sizeof *copies, by_size), qsort(calls, 9, sizeof *calls, by_size);
    free(middle);
    finish(&real);
    return calls[4] / copies[4];
}

static void *poll_end(void *argument) {
    struct host *host = argument;
    struct pollfd ended = {(int)syscall(SYS_pidfd_open, host->worker, 0), POLLIN, 0};
    poll(&ended, 1, -1);
    phs_window_end(host->window);
    close(ended.fd);
    return NULL;
}

// From the last instruction of the worker until its caller has the error, in microseconds.
static double time_of_death(void) {
    enum { ROUNDS = 31 };
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        struct host host = begin(serve);
        pthread_t thread;
        pthread_create(&thread, NULL, poll_end, &host);
        usleep(2000);
        phs_turn answer;
        if (call(host.window, (phs_turn){.method = DIE_AT}, &answer, 0) != EPIPE) abort();
        uint64_t died;
        memcpy(&died, phs_lane_data(phs_window_lane(host.window, 0)), sizeof died);
        times[round] = (double)(phs_now() - died) / 1e3;
        pthread_join(thread, NULL);
        finish(&host);
    }
    qsort(times, ROUNDS, sizeof *times, by_size);
    return times[ROUNDS / 2];
}

static void measure(void) {
    // First, because the kernel reports an end after it has freed the memory, and a child has this process's memory.
    printf("death to error: %.0f us\n", time_of_death());
    here = malloc(LONGEST), there = malloc(LONGEST);
    memset(here, 1, LONGEST), memset(there, 1, LONGEST);
    double raw, best;
    printf("processors: %s\n", is_split ? "one for each side" : "as the kernel chooses");
    for (int i = 0; i < 2; i++) {
        size_t size = i == 0 ? 32 : 4096;
        double times = ratio(size, &raw, &best);
        printf(
            "%5zu bytes: %.2f (best rounds %.2f) times a raw futex round trip of %.2f us\n", size, times, best,
            raw / 1e3);
    }
    printf("64 MiB there: %.2f times two copies\n", copies_ratio(64 << 20));
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "measure") == 0) {
        is_split = count > 2;
        if (is_split) bind_to(0);
        return measure(), 0;
    }
    int turns = count > 1 ? atoi(words[1]) : 20000;
    looking();
    messages();
    callbacks();
    cancelling();
    cancelling_after_many_calls();
    deaths();
    forged();
    corrupted(turns);
    callers();
    wrapping();
    once();
    return failures != 0;
}
