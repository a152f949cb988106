#include "lock_shims.h"

_Thread_local phs_held_locks phs_thread_locks __attribute__((visibility("hidden"), tls_model("initial-exec")));
