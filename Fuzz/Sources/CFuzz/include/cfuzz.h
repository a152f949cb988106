// What the fuzzer needs of C.
#ifndef CFUZZ_H
#define CFUZZ_H

#include <stddef.h>
#include <sys/types.h>

// fork(), which Swift hides because threads do not survive it; the fuzzer has one thread. Main thread only.
pid_t fuzz_fork(void);

// Forgets the highest amount of memory in use so far. Any thread.
void fuzz_memory_start(void);

// The highest amount of memory in use since the start, beyond what was in use then, in bytes. Any thread.
size_t fuzz_memory_peak(void);

// How a process ended: 1 and its status if it left by itself, 0 and the signal if one ended it. Any thread.
int fuzz_exited(int status, int *code);

#endif
