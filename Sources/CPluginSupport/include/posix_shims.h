// What the host needs from libc and Swift's Glibc module does not offer, each with its reason.
#ifndef PHS_POSIX_SHIMS_H
#define PHS_POSIX_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens a file for reading (O_RDONLY | O_CLOEXEC | O_NONBLOCK) only if no component of the path is a symbolic link.
// Why: openat2() has no wrapper in glibc, and its RESOLVE_NO_SYMLINKS checks the whole path for links in one system
// call. A relative path starts at an open directory, or at AT_FDCWD. Returns a descriptor, or -1 with errno: ELOOP if
// there is a link, ENOSYS before Linux 5.6.
int phs_open_without_links(int directory, const char *path);

// Opens the place of a file (O_PATH | O_CLOEXEC) under the same condition. Why: opening a device for reading would do
// something to it.
int phs_open_place_without_links(const char *path);

// Opens a file or directory, following links unless the flags say otherwise; never blocks, and closes on exec. Why:
// every file of a bundle is opened through this function, so that a test can make it fail (phs_set_fault).
int phs_open(int directory, const char *path, int flags, unsigned mode);

// pread(). Why: as phs_open().
ptrdiff_t phs_read_at(int descriptor, void *bytes, size_t size, int64_t offset);

// Decides whether a call fails: returns 0, or the error number with which the call is to fail. The call is "open",
// "stat", "fstat", "list" or "read"; path is NULL where the call has only a descriptor. Why: a test cannot produce a
// failing disk. Debug builds only; a release build contains neither this function nor the check.
typedef int (*phs_fault)(const char *call, int descriptor, const char *path);
void phs_set_fault(phs_fault fault);

// The result of fstat() in one flat struct. Why: the time fields of struct stat have macro names that Swift does not
// import the same way everywhere.
typedef struct phs_file_identity {
    uint64_t device, inode, size;
    int64_t modified_ns, changed_ns;
    uint32_t mode, owner;
} phs_file_identity;
// File types in a mode, and the bits that grant rights. Why: Swift's Glibc module has them as functions of a library.
enum {
    PHS_KIND_OF_FILE = 0170000, PHS_REGULAR_FILE = 0100000, PHS_DIRECTORY = 0040000,
    PHS_BLOCK_DEVICE = 0060000, PHS_CHARACTER_DEVICE = 0020000,
    PHS_SETUID = 0004000, PHS_SETGID = 0002000
};
int phs_fstat(int descriptor, phs_file_identity *identity);
int phs_stat(const char *path, phs_file_identity *identity);
// The path is relative to an open directory.
int phs_stat_at(int directory, const char *path, phs_file_identity *identity);

// Reads as many entries of an open directory as fit; returns 0 at its end, -1 with errno. Why: readdir() allocates 32
// KiB for each directory and makes two more system calls; getdents64() is not in Swift's Glibc module. An entry has the
// kernel's layout: see phs_directory_entry.
ptrdiff_t phs_read_directory(int descriptor, void *entries, size_t size);

// The head of such an entry; its zero-terminated name follows, and the next entry begins `length` bytes after this one.
typedef struct phs_directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[5];  // the beginning of the name; five characters fill the struct's last word
} phs_directory_entry;

// A descriptor that one thread can wait for and another can make readable with phs_signal(). Why: eventfd() is not in
// Swift's Glibc module, and a pipe costs two descriptors. Returns it, closed on exec, or -1 with errno.
int phs_open_signal(void);
void phs_signal(int descriptor);

// Gives an empty file the content of another, at most `most` bytes: by sharing its blocks if the file system can,
// otherwise by copying inside the kernel, otherwise by reading and writing. Why: FICLONE is a macro that Swift does not
// import. Returns the number of bytes, or -1 with errno: EFBIG if the file is larger.
int64_t phs_copy_content(int from, int to, int64_t most);

// Whether the file system of a path was mounted so that no code can be mapped from it (noexec). Why: the names of the
// flags are enumerators behind _GNU_SOURCE. Returns 1, 0, or -1 with errno.
int phs_refuses_code(const char *path);

// Whether a file has an extended attribute of exactly this value, at most 15 bytes. Why: getxattr() is not in Swift's
// Glibc module.
bool phs_has_attribute(const char *path, const char *name, const char *value);

// Where the dynamic linker put the image of a dlopen handle. Why: dlinfo() is not in Swift's Glibc module.
// Returns false if the handle is not valid. path belongs to the dynamic linker and lives as long as the image.
typedef struct phs_image {
    uintptr_t base;     // added to the file's virtual addresses
    const char *path;   // as the dynamic linker has it; may be empty for the main program
} phs_image;
bool phs_image_of_handle(void *handle, phs_image *image);

// The image that contains an address. Why: dladdr() needs _GNU_SOURCE and is not in Swift's Glibc module. base here is
// the address of the image's first byte, which for a shared object equals phs_image.base.
bool phs_image_of_address(const void *address, phs_image *image);

// An address in the image of this library, or in that of the program if the library is linked into it. Why: Swift has no
// reliable address of a C constant, because the optimiser lets withUnsafePointer(to:) pass the address of a copy.
const void *phs_own_address(void);

// Calls body for every image in the process, in load order, until body returns false. Why: dl_iterate_phdr() needs
// _GNU_SOURCE. The dynamic linker holds its lock meanwhile, so body must not load anything. program_headers points to
// the image's own ElfW(Phdr) array.
void phs_each_image(
    bool (*body)(const phs_image *image, const void *program_headers, size_t count, void *context), void *context);

// The words of this program's command line, its name first, NULL after the last; NULL if the C library does not pass them.
// Why: Swift's CommandLine reads them from /proc, which may not be mounted or not be readable at the moment. They live as
// long as the process.
char *const *phs_arguments(void);

// The path by which this program was started; NULL if the kernel did not pass it. Why: getauxval() is not in Swift's Glibc
// module. The text lives as long as the process.
const char *phs_started_path(void);

// A variable of the environment; NULL if it is not set, or if the program runs with more rights than its user has. Why:
// secure_getenv() needs _GNU_SOURCE. The text belongs to the environment.
const char *phs_secure_getenv(const char *name);

// Changes when the process was forked: the number of forks between the first process that called this and this one.
// Why: only a pthread_atfork() handler lets a child process notice, without a system call at each use, that its
// parent's threads do not exist in it.
uint32_t phs_fork_generation(void);

// Memory that two processes can share: a file without a name, of a size that nobody can change. Why: memfd_create() and the
// seals are not in Swift's Glibc module. Returns its descriptor, closed on exec, or -1 with errno.
int phs_create_shared_memory(size_t size);

// The size of such memory; 0 for any other file, also for memory that can still shrink. Why: whoever maps a file that
// shrinks is ended by SIGBUS.
uint64_t phs_shared_memory_size(int descriptor);

// Waits for a sem_t, at most so many milliseconds by a clock that nobody sets; returns whether it was signalled. Why:
// sem_clockwait() needs _GNU_SOURCE, and Swift's Glibc module has struct timespec in another module.
bool phs_wait_for_semaphore(void *semaphore, int milliseconds);

#endif
