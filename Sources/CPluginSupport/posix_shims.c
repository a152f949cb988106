// Protected, so that calls from inside the library go directly to the function. Otherwise the dynamic linker would look
// up the name first.
#pragma GCC visibility push(protected)
#include "posix_shims.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#if DEBUG
static _Atomic(phs_fault) current_fault;

void phs_set_fault(phs_fault fault) { atomic_store(&current_fault, fault); }

// Whether a test makes this call fail; if so, errno is set.
static bool fails(const char *call, int directory, const char *path) {
    phs_fault fault = atomic_load_explicit(&current_fault, memory_order_acquire);
    int number = fault == NULL ? 0 : fault(call, directory, path);
    if (number != 0) errno = number;
    return number != 0;
}
#else
static inline bool fails(const char *call, int directory, const char *path) {
    (void)call, (void)directory, (void)path;
    return false;
}
#endif

// How often an interrupted call is repeated. If it is interrupted even more often, it fails with EINTR.
enum { MOST_INTERRUPTIONS = 64 };

#define UNINTERRUPTED(result, call) \
    for (int left = MOST_INTERRUPTIONS; ((result) = (call)) < 0 && errno == EINTR && left > 0; left--) {}

static int open_without_links(int directory, const char *path, uint64_t flags) {
    if (fails("open", directory, path)) return -1;
    struct open_how how = {.flags = flags, .resolve = RESOLVE_NO_SYMLINKS};
    int result;
    UNINTERRUPTED(result, (int)syscall(SYS_openat2, directory, path, &how, sizeof how))
    return result;
}

int phs_open_without_links(int directory, const char *path) {
    return open_without_links(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int phs_open_place_without_links(const char *path) {
    return open_without_links(AT_FDCWD, path, O_PATH | O_CLOEXEC);
}

int phs_open(int directory, const char *path, int flags, unsigned mode) {
    if (fails("open", directory, path)) return -1;
    int result;
    UNINTERRUPTED(result, openat(directory, path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, (mode_t)mode))
    return result;
}

ptrdiff_t phs_read_at(int descriptor, void *bytes, size_t size, int64_t offset) {
    if (fails("read", descriptor, NULL)) return -1;
    ptrdiff_t result;
    UNINTERRUPTED(result, pread(descriptor, bytes, size, offset))
    return result;
}

static void fill(phs_file_identity *identity, const struct stat *from) {
    identity->device = from->st_dev;
    identity->inode = from->st_ino;
    identity->size = (uint64_t)from->st_size;
    identity->modified_ns = from->st_mtim.tv_sec * 1000000000ll + from->st_mtim.tv_nsec;
    identity->changed_ns = from->st_ctim.tv_sec * 1000000000ll + from->st_ctim.tv_nsec;
    identity->mode = from->st_mode;
    identity->owner = from->st_uid;
}

int phs_fstat(int descriptor, phs_file_identity *identity) {
    if (fails("fstat", descriptor, NULL)) return -1;
    struct stat status;
    int result = fstat(descriptor, &status);
    if (result == 0) fill(identity, &status);
    return result;
}

int phs_stat(const char *path, phs_file_identity *identity) {
    if (fails("stat", AT_FDCWD, path)) return -1;
    struct stat status;
    int result = stat(path, &status);
    if (result == 0) fill(identity, &status);
    return result;
}

int phs_stat_at(int directory, const char *path, phs_file_identity *identity) {
    if (fails("stat", directory, path)) return -1;
    struct stat status;
    int result = fstatat(directory, path, &status, 0);
    if (result == 0) fill(identity, &status);
    return result;
}

const char *phs_secure_getenv(const char *name) { return secure_getenv(name); }

_Static_assert(offsetof(phs_directory_entry, name) == 19, "an entry is laid out as the kernel's linux_dirent64");

ptrdiff_t phs_read_directory(int descriptor, void *entries, size_t size) {
    if (fails("list", descriptor, NULL)) return -1;
    ptrdiff_t result;
    UNINTERRUPTED(result, (ptrdiff_t)syscall(SYS_getdents64, descriptor, entries, size))
    return result;
}

int phs_open_signal(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void phs_signal(int descriptor) {
    uint64_t one = 1;
    // This fails only if 2^64 - 2 signals are pending; the descriptor is then readable anyway.
    ssize_t ignored = write(descriptor, &one, sizeof one);
    (void)ignored;
}

// Copies the rest of a file with read() and write(), for file systems that cannot copy files.
static int64_t copy_by_hand(int from, int to, int64_t done, int64_t most) {
    char buffer[65536];
    for (;;) {
        ssize_t count = read(from, buffer, sizeof buffer);
        if (count == 0) return done;
        if (count < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        if ((done += count) > most) return errno = EFBIG, -1;
        for (ssize_t written = 0; written < count;) {
            ssize_t step = write(to, buffer + written, (size_t)(count - written));
            if (step < 0 && errno != EINTR) return -1;
            if (step > 0) written += step;
        }
    }
}

int64_t phs_copy_content(int from, int to, int64_t most) {
    struct stat status;
    if (fstat(from, &status) != 0) return -1;
    if (status.st_size > most) return errno = EFBIG, -1;
    if (ioctl(to, FICLONE, from) == 0) {
        // The shared blocks are the file's current ones, and the file may have grown since fstat().
        if (fstat(to, &status) != 0) return -1;
        return status.st_size > most ? (errno = EFBIG, -1) : status.st_size;
    }
    int64_t done = 0;
    while (done <= most) {
        ssize_t count = copy_file_range(from, NULL, to, NULL, 1 << 30, 0);
        if (count > 0) {
            done += count;
            continue;
        }
        // Some file systems (overlays, /proc) return 0 for files with content; only reading shows the content.
        if (count == 0 || errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM)
            return copy_by_hand(from, to, done, most);
        if (errno != EINTR) return -1;
    }
    return errno = EFBIG, -1;
}

int phs_refuses_code(const char *path) {
    struct statvfs status;
    if (statvfs(path, &status) != 0) return -1;
    return (status.f_flag & ST_NOEXEC) != 0;
}

bool phs_library_of_handle(void *handle, phs_library *image) {
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL) return false;
    image->base = map->l_addr;
    image->path = map->l_name;
    return true;
}

bool phs_library_of_address(const void *address, phs_library *image) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    // Unlike dladdr(), this does not look for the nearest of all symbols of the library. For the program, which has no name
    // here, it says where one segment begins, and not the file.
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) == 0 && found.dlfo_link_map->l_name[0] != 0) {
        image->base = found.dlfo_link_map->l_addr;
        image->path = found.dlfo_link_map->l_name;
        return true;
    }
#endif
    Dl_info info;
    if (dladdr(address, &info) == 0) return false;
    image->base = (uintptr_t)info.dli_fbase;
    image->path = info.dli_fname;
    return true;
}

static char *const *own_arguments;

// glibc passes the arguments to every initialiser.
__attribute__((constructor)) static void keep_arguments(int count, char **arguments) {
    (void)count;
    own_arguments = arguments;
}

char *const *phs_arguments(void) { return own_arguments; }

const char *phs_started_path(void) { return (const char *)getauxval(AT_EXECFN); }

const void *phs_own_address(void) {
    static const char mark = 0;
    return &mark;
}

struct each_image {
    bool (*body)(const phs_library *, const void *, size_t, void *);
    void *context;
};

static int one_image(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct each_image *each = context;
    phs_library image = {info->dlpi_addr, info->dlpi_name};
    return each->body(&image, info->dlpi_phdr, info->dlpi_phnum, each->context) ? 0 : 1;
}

void phs_each_library(bool (*body)(const phs_library *, const void *, size_t, void *), void *context) {
    struct each_image each = {body, context};
    dl_iterate_phdr(one_image, &each);
}

bool phs_has_attribute(const char *path, const char *name, const char *value) {
    char bytes[16];
    ssize_t size = getxattr(path, name, bytes, sizeof bytes);
    return size >= 0 && (size_t)size == strlen(value) && memcmp(bytes, value, (size_t)size) == 0;
}

static atomic_uint fork_generation;

static void count_fork(void) { atomic_fetch_add(&fork_generation, 1); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

uint32_t phs_fork_generation(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return atomic_load_explicit(&fork_generation, memory_order_relaxed);
}

int phs_create_shared_memory(size_t size) {
    int file = memfd_create("pluginhost", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)size) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return file;
    int reason = errno;
    close(file);
    errno = reason;
    return -1;
}

uint64_t phs_shared_memory_size(int descriptor) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    struct stat status;
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(descriptor, &status) != 0 || status.st_size < 0) return 0;
    return (uint64_t)status.st_size;
}

bool phs_wait_for_semaphore(void *semaphore, int milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += (milliseconds % 1000) * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec += 1;
        until.tv_nsec -= 1000000000L;
    }
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &until) == 0;
}
