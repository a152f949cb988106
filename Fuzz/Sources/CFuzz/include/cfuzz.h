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

// Removes a folder with everything in it. Any thread.
void fuzz_remove_tree(const char *path);

// Notes SIGINT and SIGTERM in place of ending the process, or no longer. Main thread only.
void fuzz_stop_at_signals(int enabled);

// Whether one came. Any thread.
int fuzz_stopped(void);

// What a process that loads a mutant leaves behind, in memory that its parent shares.
typedef struct fuzz_trace {
    int signal;       // the signal that ended the process, 0 if none
    int in_own_code;  // whether that signal came while code of a file below the folder ran
    char image[128];  // the last component of the image that ran, empty outside of all
    size_t offset;    // how far behind the image's beginning
    int stage;        // how far the process came; the caller's own numbers
} fuzz_trace;

// Writes to trace what ends the process. Main thread only, once in a process.
void fuzz_trace_signals(fuzz_trace *trace, const char *folder);

// Stops the process until fuzz_ran() of its parent goes on with it. Main thread only.
void fuzz_wait_for_trace(void);

// Steps through a stopped child until it ends, and ends it at the first instruction of a file. Main thread only.
// Returns whether there was one: 0 also where tracing is not allowed.
int fuzz_ran(pid_t process, const char *file);

// Ends the process after a number of seconds, and writes no core file. Main thread only.
void fuzz_limit(unsigned seconds);

#endif
