// The Linux functions that the tool needs to run a process that may misbehave, and that Swift's Glibc module does not
// offer, each with its reason.
#ifndef CHILD_PROCESS_H
#define CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct child_process {
    pid_t pid;
    int ended;   // readable when the process has ended (a pidfd); -1 before Linux 5.3
    int report;  // the reading end of the child's descriptor CHILD_REPORT; non-blocking
    int output;  // the reading end of its standard output and error; non-blocking
} child_process;

// The descriptor that a child writes its report to.
enum { CHILD_REPORT = 3 };

// Starts a program with these arguments and this environment, as the leader of a new process group. The child has no
// blocked signals and inherits no descriptors except these: `input` as standard input (-1: /dev/null), and pipes for its
// output and its report. Why: pipe2(), pidfd_open() and posix_spawn_file_actions_addclosefrom_np() are not in
// the module.
// arguments and environment end with NULL. Returns 0 or an error number; after an error, nothing is left to clean up.
int child_start(const char *program, char *const arguments[], char *const environment[], int input,
                child_process *child);

// Makes a file in memory for the input of a child; -1 for an error. Why: memfd_create() is not in the module.
int child_input(void);

// A child calls this at its start. Afterwards, the child ends when the thread that started it ends, passes the report's
// descriptor to no program that it runs, and flushes each line of its standard output at once, so that a line printed
// before a crash is not lost.
// Why: prctl() and fcntl() take variable arguments; `stdout` is a variable that Swift calls unsafe.
void child_begin(void);

// Sends standard output into a pipe, until child_output_end() restores it and returns how many bytes were written.
// Bytes that do not fit into the pipe are lost. Called by a child. Why: fcntl() takes variable arguments; `stdout` is a
// variable that Swift calls unsafe.
void child_output_begin(void);
size_t child_output_end(void);

// How many threads this process has; 0 if that is unknown. Why: readdir() takes no fewer lines in Swift than in C.
int child_threads(void);

// How many bytes of memory this process has allocated. Why: mallinfo2() is not in the module.
size_t child_memory(void);

// The state of a process.
typedef struct child_state {
    enum { CHILD_RUNS, CHILD_IS_STOPPED, CHILD_EXITED, CHILD_WAS_KILLED } kind;
    int number;  // the status that it exited with, or the signal that stopped or killed it
} child_state;

// Returns the state without waiting, and leaves a process that has ended to child_end(). Why: the fields of siginfo_t
// are macros.
child_state child_look(pid_t pid);

// Makes this process the parent of the processes that its children leave behind. Why: prctl() takes variable arguments.
void child_adopt_orphans(void);

// Releases a child that has ended. Kills its process group, every other child of this process, and the children of
// those. Waits for a few seconds at most. Returns how many processes were still running, at least. Called by the thread
// that starts children. Why: /proc lists children by the thread that started them.
int child_end(pid_t pid);

// Starts a program found in PATH with this process's standard streams. The program may use the terminal, which sends
// SIGINT and SIGQUIT to both processes. They should end only the program, so ignore them in this process while it runs.
// arguments ends with NULL. Returns 0 or an error number. Why: the constants of the flags are macros of a type that
// Swift does not convert.
int child_start_in_terminal(char *const arguments[], pid_t *pid);

// After this call SIGINT, SIGTERM, SIGHUP and SIGQUIT do not end the process; ignored signals stay ignored.
// Returns a descriptor that becomes readable at the first signal, or -1. Why: a handler may only write, and must
// not be Swift code.
int interrupts_catch(void);
// The first signal, or 0.
int interrupts_number(void);
// Ignores SIGINT and SIGQUIT, or stops ignoring them. Called after interrupts_catch().
void interrupts_ignore(bool ignored);
// Ends the process by a signal, as if the signal were not caught.
void interrupts_end_process(int number);

#endif
