// Libraries named as libdispatch, one after the other. Arguments: one with an ordinary table of imports, one with a
// read-only table, one without open().
#include "dispatch.h"
#include "facts.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>

typedef int (*opener)(const char *);
typedef int (*maker)(const char *, int);

static opener open_for_reading;
static char path[64];

static bool opens(int process) {
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = open_for_reading(path);
    if (file >= 0) close(file);
    return file >= 0;
}

static void *try_own_thread(void *unused) {
    fact(opens((int)syscall(SYS_gettid)), "the state of another thread");
    return unused;
}

// The mappings of the libraries with their protections.
static size_t mappings(char *text, size_t size) {
    size_t end = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    char line[512];
    while (fgets(line, sizeof line, file) != NULL)
        if (strstr(line, "libdispatch.so") != NULL && end + strlen(line) < size)
            memcpy(text + end, line, strlen(line)), end += strlen(line);
    fclose(file);
    return end;
}

static void try_library(const char *library, const char *kind) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) exit(2);
    open_for_reading = (opener)dlsym(handle, "open_for_reading");
    maker make_file = (maker)dlsym(handle, "make_file");
    fact(opens(getppid()), "%s: before, it opens the state of any process", kind);
    static char before[8192], after[8192];
    size_t length = mappings(before, sizeof before);
    fact(
        phs_dispatch_confine(NULL) == 0 && phs_dispatch_confine(NULL) == 0, "%s: its import is replaced, also twice",
        kind);
    fact(
        mappings(after, sizeof after) == length && memcmp(before, after, length) == 0,
        "%s: the protections are as before", kind);
    fact(!opens(getppid()) && errno == ENOENT, "%s: afterwards only that of its own threads", kind);
    fact(opens(getpid()), "%s: the state of the main thread", kind);
    pthread_t thread;
    pthread_create(&thread, NULL, try_own_thread, NULL);
    pthread_join(thread, NULL);
    snprintf(path, sizeof path, "/proc/%d/status", getppid());
    int other = open_for_reading(path);
    fact(other >= 0 && close(other) == 0, "%s: other paths are left alone", kind);
    char made[512];
    snprintf(made, sizeof made, "%s.made", library);
    struct stat status;
    umask(0);
    int file = make_file(made, 0640);
    fact(
        file >= 0 && fstat(file, &status) == 0 && (status.st_mode & 0777) == 0640 && close(file) == 0,
        "%s: a file gets its mode", kind);
    unlink(made);
}

int main(int count, char **words) {
    if (count < 4) return 2;
    fact(phs_dispatch_confine(NULL) == 0, "without the library there is nothing to do");
    try_library(words[1], "ordinary");
    try_library(words[2], "read-only");
    if (dlopen(words[3], RTLD_NOW | RTLD_LOCAL) == NULL) return 2;
    phs_failure failure = {0};
    fact(
        phs_dispatch_confine(&failure) == ENOTSUP && strcmp(failure.layer, "files") == 0 &&
            strcmp(failure.step, "open") == 0,
        "a library that does not import open() is reported");
    return failures != 0;
}
