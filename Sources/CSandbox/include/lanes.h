// Lanes: memory that the host and a worker share, for one call at a time each. One side writes a message and hands over
// the turn; the other side waits for it. Why C: the two sides synchronise by atomics and futexes on shared memory,
// which Swift's Glibc module does not have.
//
// Trust: the worker can write every byte of the window at any time. The host keeps what it relies on in its own memory,
// reads each field of a head once, and checks it before use. Data is read once, too, for example with phs_once_u8() and
// its siblings. Nothing that a worker writes makes the host read out of bounds or wait beyond its deadline.
//
// A call is a sequence of turns. The host sends a request; the worker answers with a result, or with a callback that
// the host answers by another request. So calls and callbacks nest on one lane. What a status means is decided above
// this layer.
#ifndef CSANDBOX_LANES_H
#define CSANDBOX_LANES_H

#include "confinement.h"
#include <stdbool.h>

enum {
    PHS_LANES = 8,
    PHS_LANE_SIZE = 1 << 20,
    PHS_LANE_HEAD_SIZE = 64,
    PHS_LANE_CAPACITY = PHS_LANE_SIZE - PHS_LANE_HEAD_SIZE,  // bytes of a message that are in the lane at one time
    PHS_WINDOW_SIZE = PHS_LANES * PHS_LANE_SIZE
};

// The head of a lane in the window. This is the protocol: both sides are built from it. The data follows.
typedef struct phs_lane_head {
    uint32_t request, reply;  // turns that the host, the worker has handed over: futexes
    uint32_t request_waits, reply_waits;  // not 0: the other side sleeps, and must be woken
    uint32_t length, status, method, object;  // of the message
    uint32_t more;         // not 0: the message has more bytes than this turn carries
    uint32_t descriptors;  // how many came over the control socket for this turn
    uint32_t cancelled;    // the number of the turn whose call the host no longer wants
    uint32_t phase;        // what the worker runs; for reports only
    // One more than the number of the processor on which each side last handed over a turn; 0 if it is not known.
    uint32_t host_processor, worker_processor;
    uint32_t reserved[2];
} phs_lane_head;

// The writer of a message that has more bytes than a lane hands over a turn for each piece; meanwhile the reader
// answers each piece but the last by a turn without a message. So the whole need not be in memory anywhere.
typedef struct phs_turn {
    uint32_t length;  // of the bytes in the lane, at most PHS_LANE_CAPACITY
    uint32_t status, method, object, more, descriptors;
    uint32_t number;  // of the turn in this lane, set by phs_lane_send() and phs_lane_receive()
} phs_turn;

typedef struct phs_window phs_window;
typedef struct phs_lane phs_lane;

// MARK: Window

// Makes a window: a memory file sealed against every change of its size. Returns NULL with the failure: layer "memory",
// the system call. The caller owns it. Threads: any.
phs_window *phs_window_make(phs_failure *failure);

// The worker's side: maps the window of a descriptor, which stays the caller's. EINVAL with step "fstat": the file has
// another size.
phs_window *phs_window_open(int descriptor, phs_failure *failure);

// The descriptor for the worker; it belongs to the window. -1 in the worker.
int phs_window_descriptor(const phs_window *window);

// No thread may use the window or a lane of it any more.
void phs_window_free(phs_window *window);

// Takes a free lane, the lowest one; waits while all are taken. Returns its index, or -1 with errno: ETIMEDOUT, or
// EPIPE if the worker has ended. A deadline is a time of CLOCK_MONOTONIC in nanoseconds; 0 means none. Threads: any of
// the host. Because the lowest lane is taken first, a worker needs a thread for lane n + 1 only after a request on lane
// n.
int phs_window_take_lane(phs_window *window, uint64_t deadline);
void phs_window_give_back_lane(phs_window *window, int index);

// Host: the worker has ended; every thread that waits for an answer or a lane, now or later, gets EPIPE. Worker: the
// same for its own threads that wait for a request. Threads: any; a second call changes nothing.
void phs_window_end(phs_window *window);
bool phs_window_has_ended(const phs_window *window);

// MARK: Lane

// Belongs to the window. Threads: one at a time, the one that took the lane, except where a function says any.
phs_lane *phs_window_lane(phs_window *window, int index);

// Where a message is written and read: PHS_LANE_CAPACITY bytes.
void *phs_lane_data(phs_lane *lane);

// The number that the next turn of this side will have.
uint32_t phs_lane_next_number(const phs_lane *lane);

// Hands over the turn with a message that was written to phs_lane_data(). Sets the turn's number.
void phs_lane_send(phs_lane *lane, phs_turn *turn);

// Waits for the turn of the other side. Returns 0; ETIMEDOUT; EPIPE: the worker has ended; ECANCELED, once, in the host:
// phs_lane_cancel() was called, perhaps for an earlier call; EAGAIN: see phs_lane_look_after(); EPROTO: a turn that is
// not the next one, or has more bytes than the lane.
// After EPIPE and EPROTO the lane cannot be used: the worker must be killed. After the others the caller waits again, or
// gives up the lane with its worker. `is_piece`: whether the other side only copies a piece of a long message meanwhile.
// Cost: first looks for up to 50 microseconds (200 for a piece) if that was worth it lately and the other side last ran
// on another processor, then sleeps.
int phs_lane_receive(phs_lane *lane, bool is_piece, uint64_t deadline, phs_turn *turn);

// Host: phs_lane_receive() returns EAGAIN whenever it has slept for so long; 0: it does not. Why: a task that was
// cancelled wakes nobody who waits in a function that is not asynchronous, so the thread has to look.
void phs_lane_look_after(phs_lane *lane, uint32_t milliseconds);

// Host: a call begins with this turn, which is handed over next.
void phs_lane_begin_call(phs_lane *lane, uint32_t number);
// Host, any thread: the call that began with this turn is no longer wanted. A later call is not affected. The thread that
// waits for the answer is woken.
void phs_lane_cancel(phs_lane *lane, uint32_t number);
// Worker, any thread; costs one load.
bool phs_lane_is_cancelled(const phs_lane *lane, uint32_t number);

// Worker: what it runs, so that the host can report it if the worker dies. Host: whatever stands there. Threads: any.
void phs_lane_set_phase(phs_lane *lane, uint32_t phase);
uint32_t phs_lane_phase(const phs_lane *lane);

// Now, for deadlines.
uint64_t phs_now(void);

// MARK: Values in place

// Load a value from shared memory exactly once; no alignment is needed. Why: the compiler may load a plain variable
// again, and the other side may have changed it after it was checked.
#define PHS_ONCE(name, type)                                                                \
    typedef struct { type value; } __attribute__((packed, may_alias)) phs_unaligned_##name; \
    static inline type phs_once_##name(const void *from) {                                  \
        return ((const volatile phs_unaligned_##name *)from)->value;                        \
    }
PHS_ONCE(u8, uint8_t)
PHS_ONCE(u16, uint16_t)
PHS_ONCE(u32, uint32_t)
PHS_ONCE(u64, uint64_t)
#undef PHS_ONCE

#endif
