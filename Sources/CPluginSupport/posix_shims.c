#include "posix_shims.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int phs_open_without_links(const char *path) {
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, .resolve = RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
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
    struct stat status;
    int result = fstat(descriptor, &status);
    if (result == 0) fill(identity, &status);
    return result;
}

int phs_stat(const char *path, phs_file_identity *identity) {
    struct stat status;
    int result = stat(path, &status);
    if (result == 0) fill(identity, &status);
    return result;
}

int phs_stat_at(int directory, const char *path, phs_file_identity *identity) {
    struct stat status;
    int result = fstatat(directory, path, &status, 0);
    if (result == 0) fill(identity, &status);
    return result;
}

const char *phs_secure_getenv(const char *name) { return secure_getenv(name); }

_Static_assert(offsetof(phs_directory_entry, name) == 19, "an entry is laid out as the kernel's linux_dirent64");

ptrdiff_t phs_read_directory(int descriptor, void *entries, size_t size) {
    return (ptrdiff_t)syscall(SYS_getdents64, descriptor, entries, size);
}

bool phs_image_of_handle(void *handle, phs_image *image) {
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL) return false;
    image->base = map->l_addr;
    image->path = map->l_name;
    return true;
}

bool phs_image_of_address(const void *address, phs_image *image) {
    Dl_info info;
    if (dladdr(address, &info) == 0) return false;
    image->base = (uintptr_t)info.dli_fbase;
    image->path = info.dli_fname;
    return true;
}

struct each_image {
    bool (*body)(const phs_image *, const void *, size_t, void *);
    void *context;
};

static int one_image(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct each_image *each = context;
    phs_image image = {info->dlpi_addr, info->dlpi_name};
    return each->body(&image, info->dlpi_phdr, info->dlpi_phnum, each->context) ? 0 : 1;
}

void phs_each_image(bool (*body)(const phs_image *, const void *, size_t, void *), void *context) {
    struct each_image each = {body, context};
    dl_iterate_phdr(one_image, &each);
}

static atomic_uint fork_generation;

static void count_fork(void) { atomic_fetch_add(&fork_generation, 1); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

uint32_t phs_fork_generation(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return atomic_load_explicit(&fork_generation, memory_order_relaxed);
}
