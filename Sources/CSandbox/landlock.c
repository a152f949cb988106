#pragma GCC visibility push(protected)
#include "landlock.h"
#pragma GCC visibility pop

#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

// Numbers of the kernel's interface. Older headers lack them; the kernel never changes them.
enum { CLOSE_RANGE = 436, CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2, CREATE_RULESET_VERSION = 1 };
enum {
    FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3, FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5, FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8, FS_MAKE_SYM = 1 << 12,
    FS_REFER = 1 << 13,     // from version 2
    FS_TRUNCATE = 1 << 14,  // from version 3
    FS_IOCTL_DEV = 1 << 15  // from version 5
};
// The rights that apply to a file; the kernel accepts the others only for a directory.
enum { FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV };
enum { NET_BIND_TCP = 1, NET_CONNECT_TCP = 2, SCOPE_ABSTRACT_SOCKET = 1, SCOPE_SIGNAL = 2 };
enum { PROC_FILE_SYSTEM = 0x9fa0 };

struct ruleset_attributes {
    uint64_t files, network, scopes;
};
struct path_rule {
    uint64_t access;
    int32_t parent;
} __attribute__((packed));
struct port_rule {
    uint64_t access, port;
};

static long create_ruleset(const void *attributes, size_t size, uint32_t flags) {
    return syscall(CREATE_RULESET, attributes, size, flags);
}
static long add_rule(int ruleset, int kind, const void *rule, uint32_t flags) {
    return syscall(ADD_RULE, ruleset, kind, rule, flags);
}
static long restrict_self(int ruleset, uint32_t flags) { return syscall(RESTRICT_SELF, ruleset, flags); }
static long seccomp_call(unsigned operation, unsigned flags, void *arguments) {
    return syscall(SYS_seccomp, operation, flags, arguments);
}

// The thread sanitiser replaces clone() with a function that cannot start a process that shares memory.
#if __has_feature(thread_sanitizer)
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
#define CLONE __clone
#else
#define CLONE clone
#endif

static int clone_call(int (*function)(void *), void *stack, int flags, void *argument, int *descriptor) {
    return CLONE(function, stack, flags, argument, descriptor);
}

static long close_range_call(unsigned first, unsigned last, unsigned flags) {
    return syscall(CLOSE_RANGE, first, last, flags);
}

const phs_kernel phs_real_kernel = {
    create_ruleset, add_rule, restrict_self, seccomp_call, clone_call, close_range_call};

int phs_landlock_version(const phs_kernel *kernel) {
    long version = kernel_or_real(kernel)->landlock_create_ruleset(NULL, 0, CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

static uint64_t rights_known_to(int version) {
    int count = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return (UINT64_C(1) << count) - 1;
}

static uint64_t rights_of(uint32_t access) {
    uint64_t rights = 0;
    if (access & PHS_FILES_READ) rights |= FS_READ_FILE | FS_READ_DIR;
    if (access & PHS_FILES_EXECUTE) rights |= FS_EXECUTE;
    if (access & PHS_FILES_DEVICE) rights |= FS_IOCTL_DEV;
    if (access & PHS_FILES_WRITE) {
        rights |= FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SYM;
        rights |= FS_REFER | FS_TRUNCATE;
    }
    return rights;
}

// Whether a descriptor leads to a process in /proc, or to a directory of /proc that is not below /proc/sys. Why: while
// a list of grants is read, "/proc/self" means the host, so the worker would see into the host.
static bool shows_processes(int descriptor, bool directory) {
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0 || system.f_type != PROC_FILE_SYSTEM) return false;
    char link[64], path[256];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return true;
    path[length] = 0;
    bool below_root = false;
    for (char *part = strtok(path, "/"); part != NULL; part = strtok(NULL, "/")) {
        if (part[strspn(part, "0123456789")] == 0) return true;
        if (strcmp(part, "sys") == 0) below_root = true;
    }
    return directory && !below_root;
}

static int add_path(
    const phs_kernel *kernel, int ruleset, const phs_file_grant *grant, uint64_t known, const char **step) {
    int descriptor = grant->path == NULL ? grant->descriptor : open(grant->path, O_PATH | O_CLOEXEC);
    *step = "open";
    if (descriptor < 0) {
        if (grant->path == NULL) return EBADF;
        return (errno == ENOENT || errno == ENOTDIR) && (grant->access & PHS_FILES_OPTIONAL) ? 0 : errno;
    }
    int error = 0;
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        error = errno;
    } else if (shows_processes(descriptor, S_ISDIR(status.st_mode))) {
        *step = "procfs";
        error = EPERM;
    } else {
        *step = "landlock_add_rule";
        struct path_rule rule = {rights_of(grant->access) & known, descriptor};
        if (!S_ISDIR(status.st_mode)) rule.access &= FS_OF_FILES;
        // The kernel refuses a rule without rights, e.g. for requests to a device before version 5.
        if (rule.access != 0 && kernel->landlock_add_rule(ruleset, RULE_PATH_BENEATH, &rule, 0) != 0) error = errno;
    }
    if (grant->path != NULL) close(descriptor);
    return error;
}

static int add_ports(
    const phs_kernel *kernel, int ruleset, const uint16_t *ports, size_t count, uint64_t access, size_t *index) {
    for (*index = 0; *index < count; ++*index) {
        struct port_rule rule = {access, ports[*index]};
        if (kernel->landlock_add_rule(ruleset, RULE_NET_PORT, &rule, 0) != 0) return errno;
    }
    return 0;
}

static int close_after(
    int ruleset, int error, phs_failure *failure, const char *layer, const char *step, size_t index) {
    close(ruleset);
    fail(failure, error, layer, step, index);
    return -1;
}

int phs_landlock_make(
    const phs_kernel *kernel, const phs_file_grant *files, size_t file_count, const phs_network_grant *network,
    phs_failure *failure) {
    static const phs_network_grant nothing;
    kernel = kernel_or_real(kernel);
    if (network == NULL) network = &nothing;
    int version = phs_landlock_version(kernel);
    if (version == 0) return fail(failure, errno ? errno : ENOSYS, "files", "landlock_create_ruleset", 0), -1;
    bool ports = !network->any && network->connect_count + network->listen_count > 0;
    if (ports && version < 4) return fail(failure, ENOSYS, "network", "landlock_create_ruleset", 0), -1;

    uint64_t known = rights_known_to(version);
    struct ruleset_attributes attributes = {.files = known};
    if (version >= 4 && !network->any) attributes.network = NET_BIND_TCP | NET_CONNECT_TCP;
    if (version >= 6) attributes.scopes = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL;
    int ruleset = (int)kernel->landlock_create_ruleset(&attributes, sizeof attributes, 0);
    if (ruleset < 0) return fail(failure, errno, "files", "landlock_create_ruleset", 0), -1;

    for (size_t i = 0; i < file_count; i++) {
        const char *step;
        int error = add_path(kernel, ruleset, &files[i], known, &step);
        if (error != 0) return close_after(ruleset, error, failure, "files", step, i);
    }
    if (ports) {
        size_t i;
        int error = add_ports(kernel, ruleset, network->connects, network->connect_count, NET_CONNECT_TCP, &i);
        if (error == 0) error = add_ports(kernel, ruleset, network->listens, network->listen_count, NET_BIND_TCP, &i);
        if (error != 0) return close_after(ruleset, error, failure, "network", "landlock_add_rule", i);
    }
    return ruleset;
}

int phs_landlock_add_own_process(const phs_kernel *kernel, int ruleset, const char **step) {
    *step = "open /proc/self";
    int own = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self", O_PATH | O_CLOEXEC, 0);
    if (own < 0) return -1;
    *step = "landlock_add_rule";
    struct path_rule rule = {FS_READ_FILE | FS_READ_DIR, own};
    if (kernel_or_real(kernel)->landlock_add_rule(ruleset, RULE_PATH_BENEATH, &rule, 0) == 0) return own;
    int error = errno;
    syscall(SYS_close, own);
    return errno = error, -1;
}
