// The control socket between a host and a worker: messages in order, with descriptors. Why C: descriptors travel in
// control messages, whose layout is defined by macros that Swift does not import.
//
// A message is a packet of a SOCK_SEQPACKET socket. Its head and body have at most 64 KiB together. Each direction
// numbers its messages from 1; only PHS_CONTROL_CRASHED has no number. A received message is checked before anything is
// returned. After a violation, every descriptor that came with the message is closed, and the caller must end the other
// side.
#ifndef CSANDBOX_CONTROL_H
#define CSANDBOX_CONTROL_H

#include "confinement.h"

enum {
    PHS_CONTROL_SIZE = 65536,
    PHS_CONTROL_HEAD_SIZE = 12,
    PHS_CONTROL_BODY_SIZE = PHS_CONTROL_SIZE - PHS_CONTROL_HEAD_SIZE,
    PHS_CONTROL_DESCRIPTORS = 253  // the kernel passes no more in one message
};

// The message of a signal handler. The handler cannot take the lock that guards the numbers, because another thread may
// hold it; so the sequence is PHS_CONTROL_UNNUMBERED. The message may arrive at any time. See
// phs_journal_report_crashes().
enum { PHS_CONTROL_CRASHED = 64, PHS_CONTROL_UNNUMBERED = 0 };

// The head; little-endian, like every machine that the project supports.
typedef struct phs_control_head {
    uint32_t length;  // of head and body
    uint16_t kind, flags;
    uint32_t sequence;
} phs_control_head;

// One side of a control socket. The caller keeps the descriptor. Initialise with { descriptor, 0, 0 }. Threads: one may
// send while another receives.
typedef struct phs_control {
    int descriptor;
    uint32_t sent, received;  // sequence of the last message
} phs_control;

// Makes the two ends, both closed on exec. Returns 0, or the error number.
int phs_control_make(int ends[2]);

// Sends a message; the caller keeps the descriptors. Waits while the socket is full. The deadline is a time of
// CLOCK_MONOTONIC in nanoseconds; 0 means none. Returns 0, or the error number with the failure: EMSGSIZE (body too
// long or too many descriptors), ETIMEDOUT, EPIPE or ECONNRESET (the other side has ended). Never raises SIGPIPE.
int phs_control_send(
    phs_control *control, uint16_t kind, uint16_t flags, const void *body, size_t length, const int *descriptors,
    size_t descriptor_count, uint64_t deadline, phs_failure *failure);

// Receives a message: the head, the body (at most PHS_CONTROL_BODY_SIZE bytes; *length is set to their number) and at
// most `most` descriptors, closed on exec, which the caller then owns. Returns 0, or the error number:
//   ETIMEDOUT  nothing arrived before the deadline
//   EPIPE      the other side has ended
//   EMFILE     this process has no room for the descriptors; those that arrived are closed
//   EPROTO     a violation, named by the step: "length" (the packet is shorter or longer than it states, or too long),
//              "sequence" (not the next number), "descriptors" (more than `most`; index: how many arrived)
int phs_control_receive(
    phs_control *control, phs_control_head *head, void *body, size_t *length, int *descriptors, size_t most,
    size_t *descriptor_count, uint64_t deadline, phs_failure *failure);

#endif
