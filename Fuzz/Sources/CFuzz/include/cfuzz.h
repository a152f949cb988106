// The C functions that the fuzzer needs.
#ifndef CFUZZ_H
#define CFUZZ_H

#include <stddef.h>
#include <sys/types.h>

// fork(), which Swift hides because threads do not survive it; the fuzzer has one thread. Main thread only.
pid_t fuzz_fork(void);

// Resets the highest amount of memory in use. Any thread.
void fuzz_memory_start(void);

// The highest amount of memory in use since the start, beyond what was in use then, in bytes. Any thread.
size_t fuzz_memory_peak(void);

// How a process ended: 1 and its status if it left by itself, 0 and the signal if one ended it. Any thread.
int fuzz_exited(int status, int *code);

// Removes a folder with everything in it. Any thread.
void fuzz_remove_tree(const char *path);

// Notes SIGINT and SIGTERM instead of ending the process, or stops doing so. Main thread only.
void fuzz_stop_at_signals(int enabled);

// Whether such a signal came. Any thread.
int fuzz_stopped(void);

// What a process that loads a mutant leaves behind, in memory that it shares with its parent.
typedef struct fuzz_trace {
    int signal;       // the signal that ended the process, 0 if none
    int in_own_code;  // whether that signal came while code of a file below the folder ran
    char image[128];  // the last component of the path of the running image, empty if there is none
    size_t offset;    // how far from the image's beginning
    int stage;        // how far the process got; the caller's own numbers
} fuzz_trace;

// Writes to trace the reason why the process ends. Main thread only, once in a process.
void fuzz_trace_signals(fuzz_trace *trace, const char *folder);

// Stops the process until fuzz_ran() of its parent continues it. Main thread only.
void fuzz_wait_for_trace(void);

// Steps through a stopped child until it ends, and ends it at the first instruction of a file. Main thread only.
// Returns whether there was such an instruction; also 0 if tracing is not allowed.
int fuzz_ran(pid_t process, const char *file);

// Ends the process after a number of seconds, and writes no core file. Main thread only.
void fuzz_limit(unsigned seconds);

#endif
