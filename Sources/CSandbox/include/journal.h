// The crash journal: a small file that survives every death of the process and names the plug-in whose code ran. Why C:
// a signal handler may run no Swift code. The handler makes system calls, reads memory only in ways that cannot fault,
// and takes no lock; it calls glibc's backtrace() only if the frame pointers lead to no plug-in.
#ifndef CSANDBOX_JOURNAL_H
#define CSANDBOX_JOURNAL_H

#include "confinement.h"
#include <stdbool.h>
#include <sys/types.h>

enum {
    PHS_JOURNAL_SIZE = 4096,
    PHS_JOURNAL_NAME = 256,  // bytes of an identifier, including the zero; a longer one is truncated
    PHS_JOURNAL_LOADS = 4,
    PHS_JOURNAL_SUSPECTS = 8,
    PHS_JOURNAL_NOTES = 1 << 20,  // bytes of notes after the record
    PHS_JOURNAL_RANGES = 4096
};

// How certain it is that a plug-in caused the end.
typedef enum phs_journal_certainty {
    PHS_FAULTING_CODE = 1,  // the instruction that faulted is in its code
    PHS_CALLER = 2,         // its code called the code that faulted, or exit()
    PHS_ON_THE_STACK = 3    // an address of its code is on the stack, which may be left over from an earlier call
} phs_journal_certainty;

typedef enum phs_journal_state {
    PHS_JOURNAL_RUNNING = 1,  // nothing was recorded: killed, power loss, or still running
    PHS_JOURNAL_CRASHED = 2,  // a signal was recorded
    PHS_JOURNAL_EXITED = 3,   // exit() was called by a plug-in
    PHS_JOURNAL_CLEAN = 4     // the application ended by itself
} phs_journal_state;

typedef struct phs_journal_load {
    char identifier[PHS_JOURNAL_NAME];
    uint32_t phase;   // 0: the slot is free
    uint32_t thread;
} phs_journal_load;

typedef struct phs_journal_suspect {
    char identifier[PHS_JOURNAL_NAME];
    uint64_t address;  // in its code
    uint32_t certainty, reserved;
} phs_journal_suspect;

// The content of the file; the rest of its 4 KiB is zero. Notes of the library may follow.
typedef struct phs_journal_record {
    char magic[8];
    uint32_t size, process;
    int64_t started;  // nanoseconds since 1970
    uint32_t state;   // of phs_journal_state
    int32_t signal, code;
    uint32_t thread;
    uint64_t address;  // as the signal reports it
    uint64_t counter;  // of the instruction
    int64_t ended;     // nanoseconds since 1970
    uint32_t suspect_count, unnamed_ranges;  // unnamed_ranges: code for which the table had no room
    phs_journal_load loads[PHS_JOURNAL_LOADS];
    phs_journal_suspect suspects[PHS_JOURNAL_SUSPECTS];
} phs_journal_record;

// Begins the journal of this process in a file. The file is created or overwritten, and stays locked while the process
// lives. Only the calling process writes it; a child made by fork() does not. Returns 0, or the error number with the
// failure (layer "journal"): EBUSY (another process holds it, or this one already has a journal), ELOOP (a link),
// EINVAL (not a regular file), EPERM (of another user), EROFS, ENOSPC ... Threads: any, once.
int phs_journal_begin(const char *path, phs_failure *failure);

// A signal that the first process of a PID namespace sends to itself, as abort() does, does not end that process. So
// its handler ends it with this exit status plus the number of the signal.
enum { PHS_EXIT_OF_SIGNAL = 128 };

// Installs handlers of SEGV, BUS, ILL, FPE, TRAP, ABRT and SYS that record the signal and then call the handlers
// installed before. Gives the calling thread a signal stack if it has none. Also records an exit() that a plug-in
// calls. Returns 0 or the error number. Threads: any, once, after phs_journal_begin() or phs_journal_report_crashes();
// call it after other handlers are installed.
int phs_journal_install_handlers(void);

// For a worker: makes the handlers also report the first crash to the host, through the control socket, with a message
// of kind PHS_CONTROL_CRASHED. The message states the signal, whether it certainly ends the process, whether another
// process sent it, and at most PHS_STACK_FRAMES places of the functions on the stack, innermost first. Why: the kernel
// reports the end only after it has written a core file and freed the memory, and the callers should not wait for that.
// Threads: any, once, before phs_journal_install_handlers(), which then needs no journal.
enum { PHS_STACK_FRAMES = 64 };
void phs_journal_report_crashes(int socket);

// Records that the application ends by itself. Afterwards only a crash is still recorded.
void phs_journal_end(void);

// Appends bytes to the file, after the record. Written bytes survive the end of the process. Returns 0, also without a
// journal; ENOSPC after PHS_JOURNAL_NOTES bytes; or another error number. Threads: any. Cost: one write to the file.
int phs_journal_note(const void *bytes, size_t size);

// Records that a load of a plug-in begins. The phase is a number of the caller's choice, but not 0. Returns a slot, or
// -1 if all are in use or no journal was begun; the next two functions accept -1 and do nothing. Threads: any. Cost: a
// few stores to memory.
int phs_journal_load_begins(const char *identifier, uint32_t phase);
void phs_journal_load_continues(int slot, uint32_t phase);
void phs_journal_load_ends(int slot);

// Registers code of a plug-in, so that an address in it leads to the plug-in: the code of a library, by its dlopen()
// handle, or one range. Returns 0, ENOSPC if the table is full (the journal then counts unnamed ranges), ENOMEM, or
// EINVAL if the handle is not a library's. Works before phs_journal_begin(). Threads: any.
int phs_journal_add_library(const char *identifier, void *handle);
int phs_journal_add_range(const char *identifier, uintptr_t first, uintptr_t end);
// Removes all code of a plug-in, because it was unmapped. Threads: any.
void phs_journal_remove(const char *identifier);

// Reads the journal of a process that has ended. Every text is terminated and every number is in its range, whatever
// the file contains. Returns 0, or EBUSY (the process still lives), ELOOP, EINVAL (damaged, or not a journal), EPERM
// (of another user), or another error number. Threads: any.
int phs_journal_read(const char *path, phs_journal_record *record);

// Reads the notes after the record, without checking them. Returns the number of bytes, at most size, or -1 with the
// errors of phs_journal_read() in errno. Threads: any.
ssize_t phs_journal_read_notes(const char *path, void *bytes, size_t size);

#endif
