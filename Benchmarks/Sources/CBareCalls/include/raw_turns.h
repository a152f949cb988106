// What a call to another process costs at least: a futex each way, and for much data a copy each way.
#ifndef RAW_TURNS_H
#define RAW_TURNS_H

#include <stddef.h>
#include <stdint.h>

// Memory of two processes, which take turns.
typedef struct raw_turns raw_turns;

raw_turns *raw_turns_make(void);
// Answers for ever.
void raw_turns_serve(raw_turns *turns) __attribute__((noreturn));
// Asks so many times, and returns the nanoseconds that all took.
uint64_t raw_turns_take(raw_turns *turns, int count);

// The nanoseconds until a thread runs that another process wakes on another processor: half a turn.
uint64_t raw_wake(void);

// Starts a program, and returns the nanoseconds until it has written something; 0 if it did not.
uint64_t raw_start(const char *program);

// Starts a program with the argument “wait”, kills it after it has written something, and returns the nanoseconds until the
// kernel reports its end; 0 for a failure.
uint64_t raw_death(const char *program);

// Copies twice, and returns the nanoseconds.
uint64_t raw_copies(void *to, void *middle, const void *from, size_t size);

// fork(), which Swift does not offer. The child ends with its parent.
int32_t raw_fork(void);
void raw_end(int32_t child);

// Binds this process to one of the processors that it may use: the first one for 0. Without so many, to the last one.
void raw_bind(int index);

#endif
