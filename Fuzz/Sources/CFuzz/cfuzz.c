#include "cfuzz.h"

#include <errno.h>
#include <ftw.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t fuzz_fork(void) { return fork(); }

int fuzz_exited(int status, int *code) {
    if (WIFEXITED(status)) {
        *code = WEXITSTATUS(status);
        return 1;
    }
    *code = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 0;
}

static int remove_file(const char *path, const struct stat *status, int kind, struct FTW *place) {
    remove(path);
    return 0;
}

void fuzz_remove_tree(const char *path) { nftw(path, remove_file, 16, FTW_DEPTH | FTW_PHYS); }

static volatile sig_atomic_t stopped;

static void stop(int number) { stopped = 1; }

void fuzz_stop_at_signals(int enabled) {
    signal(SIGINT, enabled ? stop : SIG_DFL);
    signal(SIGTERM, enabled ? stop : SIG_DFL);
}

int fuzz_stopped(void) { return stopped; }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

// A sanitiser has its own allocation functions and its own limits.
void fuzz_memory_start(void) {}
size_t fuzz_memory_peak(void) { return 0; }

#else

// The executable's allocation functions replace glibc's in the whole process (the manual of glibc, "Replacing malloc").
// They count, and call glibc's own, which it exports under these names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static atomic_size_t in_use, highest, at_start;

static void *taken(void *memory) {
    if (!memory) return memory;
    size_t size = malloc_usable_size(memory);
    size_t now = atomic_fetch_add_explicit(&in_use, size, memory_order_relaxed) + size;
    if (now > atomic_load_explicit(&highest, memory_order_relaxed))
        atomic_store_explicit(&highest, now, memory_order_relaxed);
    return memory;
}

static void given_back(void *memory) {
    if (memory) atomic_fetch_sub_explicit(&in_use, malloc_usable_size(memory), memory_order_relaxed);
}

void fuzz_memory_start(void) {
    size_t now = atomic_load_explicit(&in_use, memory_order_relaxed);
    atomic_store_explicit(&at_start, now, memory_order_relaxed);
    atomic_store_explicit(&highest, now, memory_order_relaxed);
}

size_t fuzz_memory_peak(void) {
    return atomic_load_explicit(&highest, memory_order_relaxed) - atomic_load_explicit(&at_start, memory_order_relaxed);
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }

void *realloc(void *old, size_t size) {
    // Both exist while the content is copied; if glibc grows a block in place, this counts too much for an instant.
    size_t before = old ? malloc_usable_size(old) : 0;
    void *memory = __libc_realloc(old, size);
    if (!memory && size) return memory;
    taken(memory);
    atomic_fetch_sub_explicit(&in_use, before, memory_order_relaxed);
    return memory;
}

void free(void *memory) {
    given_back(memory);
    __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

#endif
