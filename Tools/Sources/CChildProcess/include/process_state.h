// The state that code shares with the whole process, or with the thread of its caller, as values with names.
#ifndef PROCESS_STATE_H
#define PROCESS_STATE_H

#include <stdbool.h>

// What a value belongs to. Keep in the order of ProcessState.Kind.
enum process_state_kind {
    PROCESS_LOCALE,
    PROCESS_SIGNAL,
    PROCESS_MASK,
    PROCESS_STACK,
    PROCESS_FOLDER,
    PROCESS_UMASK,
    PROCESS_VARIABLE,
    PROCESS_LIMIT,
    PROCESS_TIMER,
    PROCESS_DESCRIPTOR,
    PROCESS_PERSONALITY,
    PROCESS_DUMPABLE,
    PROCESS_SUBREAPER,
};

// Receives one value: `name` within its kind, `value` for comparison, and `shown` for people. The strings last only for
// the call.
typedef void (*process_state_taker)(
    void *context, enum process_state_kind kind, const char *name, const char *value, const char *shown);

// Calls `take` for each value. The signals 32 and 33 are left out, because glibc uses them itself; so are handlers of the
// Swift runtime and of this library, because they are not a plug-in's. For a descriptor, `value` ends in “+” if programs
// that the process starts inherit it. Returns false if /proc cannot be read.
// Why C: half of these functions take variable arguments, and the structs of signals have unions and macros.
// Called while no other thread changes the state.
bool process_state_read(process_state_taker take, void *context);

#endif
