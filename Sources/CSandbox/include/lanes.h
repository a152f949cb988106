// Lanes: memory that the host and a worker share. Each lane carries one call at a time. One side writes a message and
// hands over the turn; the other side waits for the turn. Why C: the two sides synchronise by atomics and futexes on
// shared memory, which Swift's Glibc module does not have.
//
// Trust: the worker can write every byte of the window at any time. The host keeps the values it relies on in its own
// memory, reads each field of a head once, and checks it before use. Data is also read only once, for example with
// phs_once_u8() and its siblings. Nothing that a worker writes makes the host read out of bounds or wait beyond its
// deadline.
//
// A call is a sequence of turns. The host sends a request; the worker answers with a result, or with a callback that
// the host answers by another request. So calls and callbacks nest on one lane. The layer above defines the meaning of
// a status.
#ifndef CSANDBOX_LANES_H
#define CSANDBOX_LANES_H

#include "confinement.h"
#include <stdbool.h>

enum {
    PHS_LANES = 8,
    PHS_LANE_SIZE = 1 << 20,
    PHS_LANE_HEAD_SIZE = 64,
    PHS_LANE_CAPACITY = PHS_LANE_SIZE - PHS_LANE_HEAD_SIZE,  // bytes of a message that fit into the lane at a time
    PHS_WINDOW_SIZE = PHS_LANES * PHS_LANE_SIZE
};

// The head of a lane in the window. This is the protocol: both sides compile this declaration. The data follows the
// head.
typedef struct phs_lane_head {
    uint32_t request, reply;  // the number of the last turn of the host, of the worker; futexes
    uint32_t request_waits, reply_waits;  // not 0: the receiver sleeps and must be woken
    uint32_t length, status, method, object;  // of the message
    uint32_t more;         // not 0: the message has more bytes than this turn carries
    uint32_t descriptors;  // how many came over the control socket for this turn
    uint32_t cancelled;    // the number of the turn whose call the host no longer wants
    uint32_t phase;        // what the worker is running; for reports only
    // The number, plus one, of the processor on which each side last handed over a turn; 0 if unknown.
    uint32_t host_processor, worker_processor;
    uint32_t reserved[2];
} phs_lane_head;

// A message that is longer than a lane is sent in pieces, one turn for each. The reader answers each piece but the last
// with a turn without a message. So neither side needs the whole message in memory.
typedef struct phs_turn {
    uint32_t length;  // of the bytes in the lane, at most PHS_LANE_CAPACITY
    uint32_t status, method, object, more, descriptors;
    uint32_t number;  // of the turn in this lane, set by phs_lane_send() and phs_lane_receive()
} phs_turn;

typedef struct phs_window phs_window;
typedef struct phs_lane phs_lane;

// MARK: Window

// Makes a window: a memory file whose size is sealed. The caller owns it. Returns NULL with the failure if a system
// call fails: layer "memory", the call. Threads: any.
phs_window *phs_window_make(phs_failure *failure);

// The worker's side: maps the window of a descriptor, which the caller keeps. EINVAL with step "fstat": the file does
// not have the size of a window.
phs_window *phs_window_open(int descriptor, phs_failure *failure);

// The descriptor to pass to the worker; the window owns it. -1 in the worker.
int phs_window_descriptor(const phs_window *window);

// Frees the window. No thread may use the window or its lanes any more.
void phs_window_free(phs_window *window);

// Takes the lowest free lane; waits while all are taken. Returns its index, or -1 with errno: ETIMEDOUT, or EPIPE if
// the worker has ended. A deadline is a time of CLOCK_MONOTONIC in nanoseconds; 0 means none. Threads: any of the host.
// Because the lowest lane is taken first, a worker needs a thread for lane n + 1 only after a request on lane n.
int phs_window_take_lane(phs_window *window, uint64_t deadline);
void phs_window_give_back_lane(phs_window *window, int index);

// Host: call this when the worker has ended; every thread that waits for an answer or a lane, now or later, gets EPIPE.
// Worker: its own threads that wait for a request get EPIPE. Threads: any; a second call changes nothing.
void phs_window_end(phs_window *window);
bool phs_window_has_ended(const phs_window *window);

// MARK: Lane

// Returns a lane, which belongs to the window. Threads: one at a time (the thread that took the lane), except where a
// function says any.
phs_lane *phs_window_lane(phs_window *window, int index);

// The memory in which a message is written and read: PHS_LANE_CAPACITY bytes.
void *phs_lane_data(phs_lane *lane);

// The number that the next turn of this side will have.
uint32_t phs_lane_next_number(const phs_lane *lane);

// Hands over the turn with a message that was written to phs_lane_data(). Sets the turn's number.
void phs_lane_send(phs_lane *lane, phs_turn *turn);

// Waits for the turn of the other side. Returns 0; ETIMEDOUT; EPIPE: the worker has ended; ECANCELED (once, in the
// host): phs_lane_cancel() was called, perhaps for an earlier call; EAGAIN: see phs_lane_look_after(); EPROTO: a turn
// that is not the next one, or has more bytes than the lane.
// After EPIPE and EPROTO the lane cannot be used: the worker must be killed. After any other error the caller waits
// again, or gives up the lane and its worker. `is_piece`: whether the other side is only copying a piece of a long
// message.
// Cost: first polls for up to 50 microseconds (200 for a piece) if polling succeeded often enough lately and the other
// side last ran on another processor, then sleeps.
int phs_lane_receive(phs_lane *lane, bool is_piece, uint64_t deadline, phs_turn *turn);

// Host: makes phs_lane_receive() return EAGAIN whenever it has slept this long; 0 turns this off. Why: cancelling a
// task does not wake a thread that waits in a synchronous function, so the thread has to check.
void phs_lane_look_after(phs_lane *lane, uint32_t milliseconds);

// Host: records that a call begins with this turn, which is handed over next.
void phs_lane_begin_call(phs_lane *lane, uint32_t number);
// Host, any thread: cancels the call that began with this turn, and wakes the thread that waits for its answer. A later
// call is not affected.
void phs_lane_cancel(phs_lane *lane, uint32_t number);
// Worker, any thread: whether the host cancelled that call. Cost: one load.
bool phs_lane_is_cancelled(const phs_lane *lane, uint32_t number);

// Worker: sets what it is running, so that the host can report it if the worker dies. Host: reads the value, which may
// be anything. Threads: any.
void phs_lane_set_phase(phs_lane *lane, uint32_t phase);
uint32_t phs_lane_phase(const phs_lane *lane);

// The current time of CLOCK_MONOTONIC in nanoseconds, for deadlines.
uint64_t phs_now(void);

// MARK: Values in place

// Loads a value from shared memory exactly once; no alignment is needed. Why: the compiler may load a plain variable
// twice, and the other side may change it after the check.
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
