// The crash journal: a small file that survives every death of the process and names the plug-in whose code ran. Why C:
// a signal handler may run no Swift code. The handler makes system calls, reads memory only in ways that cannot fault,
// and takes no lock; it calls backtrace() of glibc only if frame pointers name nobody.
#ifndef CSANDBOX_JOURNAL_H
#define CSANDBOX_JOURNAL_H

#include "confinement.h"
#include <stdbool.h>
#include <sys/types.h>

enum {
    PHS_JOURNAL_SIZE = 4096,
    PHS_JOURNAL_NAME = 256,  // bytes of an identifier, with the zero; a longer one is cut
    PHS_JOURNAL_LOADS = 4,
    PHS_JOURNAL_SUSPECTS = 8,
    PHS_JOURNAL_NOTES = 1 << 20,  // bytes of notes after the record
    PHS_JOURNAL_RANGES = 4096
};

// How sure it is that a plug-in caused the end.
typedef enum phs_journal_certainty {
    PHS_FAULTING_CODE = 1,  // the instruction that faulted is its own
    PHS_CALLER = 2,         // it called the code that faulted, or exit()
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

// The content of the file; the rest of its 4 KiB is zero. Notes may follow, which the library writes for itself.
typedef struct phs_journal_record {
    char magic[8];
    uint32_t size, process;
    int64_t started;  // nanoseconds since 1970
    uint32_t state;   // of phs_journal_state
    int32_t signal, code;
    uint32_t thread;
    uint64_t address;  // that the signal reports
    uint64_t counter;  // the instruction
    int64_t ended;     // nanoseconds since 1970
    uint32_t suspect_count, unnamed_ranges;  // suspects; images for which the table had no room
    phs_journal_load loads[PHS_JOURNAL_LOADS];
    phs_journal_suspect suspects[PHS_JOURNAL_SUSPECTS];
} phs_journal_record;

// Begins the journal of this process in a file, which is made or begun anew, and stays locked while the process lives.
// Only the process that called this writes it: a child made by fork() does not. Returns 0, or the error number with the
// failure (layer "journal"): EBUSY (another process has it, or this one has one already), ELOOP (a link), EINVAL (not a
// regular file), EPERM (of another user), EROFS, ENOSPC ... Threads: any, once.
int phs_journal_begin(const char *path, phs_failure *failure);

// The first process of a PID namespace is not ended by a signal that it sends to itself, such as that of abort(): its
// handler ends it with this exit status plus the number of the signal.
enum { PHS_EXIT_OF_SIGNAL = 128 };

// Installs handlers of SEGV, BUS, ILL, FPE, TRAP, ABRT and SYS that record and then call those that were installed
// before. Gives the calling thread a signal stack if it has none. Also records an exit() that a plug-in calls. Returns
// 0 or the error number. Threads: any, once, after phs_journal_begin() or phs_journal_report_crashes(); call it after other
// handlers are installed.
int phs_journal_install_handlers(void);

// For a worker: from now on the handlers also report the first crash to the host, through the control socket, with a
// message of kind PHS_CONTROL_CRASHED. It says the signal, whether that certainly ends the process, whether
// another process sent it, and at most PHS_STACK_FRAMES places of the functions that were being called, innermost first.
// Why, although the kernel reports the end: it does so only after it has written a core file and freed the memory, and
// the callers should not wait for that. Threads: any, once, before phs_journal_install_handlers(), which needs no journal
// then.
enum { PHS_STACK_FRAMES = 64 };
void phs_journal_report_crashes(int socket);

// The application ends by itself: whatever happens later, except a crash, is not recorded.
void phs_journal_end(void);

// Appends bytes to the file, after the record. What was written survives the end of the process. Returns 0, ENOSPC after
// PHS_JOURNAL_NOTES bytes, or another error number; 0 without a journal. Threads: any. Cost: one write to the file.
int phs_journal_note(const void *bytes, size_t size);

// A plug-in begins to be loaded. The phase is the caller's number, not 0. Returns a slot, or -1 if all are in use or no
// journal was begun; the others take -1 and do nothing. Threads: any. Cost: a few stores to memory.
int phs_journal_load_begins(const char *identifier, uint32_t phase);
void phs_journal_load_continues(int slot, uint32_t phase);
void phs_journal_load_ends(int slot);

// The code of a plug-in, so that an address of it can be named: of an image, by its dlopen() handle, or of one range.
// Returns 0, ENOSPC if the table is full (the journal then counts unnamed ranges), ENOMEM, or EINVAL if the handle is
// no image. Works before phs_journal_begin(). Threads: any.
int phs_journal_add_image(const char *identifier, void *handle);
int phs_journal_add_range(const char *identifier, uintptr_t first, uintptr_t end);
// The code was unmapped. Threads: any.
void phs_journal_remove(const char *identifier);

// Reads the journal of a process that has ended. Every text is terminated and every number in its range, whatever the
// file contains. Returns 0, or EBUSY (the process lives), ELOOP, EINVAL (damaged, or not a journal), EPERM (of another
// user), or another error number. Threads: any.
int phs_journal_read(const char *path, phs_journal_record *record);

// Reads the notes after the record, as they are in the file. Returns how many bytes there are, size at most, or -1 with
// errno, for the same reasons as phs_journal_read(). Threads: any.
ssize_t phs_journal_read_notes(const char *path, void *bytes, size_t size);

#endif
