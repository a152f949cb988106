// Functions of libc that the host needs and Swift's Glibc module does not offer, each with its reason.
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

// Opens a file only as a location (O_PATH | O_CLOEXEC), under the same condition. Why: opening a device for reading can
// have side effects.
int phs_open_place_without_links(const char *path);

// Opens a file or directory; follows links unless the flags forbid it. Never blocks, and closes on exec. Why: every
// file of a bundle is opened through this function, so that a test can make it fail (phs_set_fault).
int phs_open(int directory, const char *path, int flags, unsigned mode);

// pread(). Why: for the same reason as phs_open().
ptrdiff_t phs_read_at(int descriptor, void *bytes, size_t size, int64_t offset);

// Decides whether a call fails: returns 0, or the error number with which the call fails. The call is "open", "stat",
// "fstat", "list" or "read"; path is NULL if the call has only a descriptor. Why: a test cannot produce a
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
// File types in a mode, and the bits that grant rights. Why: in Swift's Glibc module these are functions of a library.
enum {
    PHS_KIND_OF_FILE = 0170000, PHS_REGULAR_FILE = 0100000, PHS_DIRECTORY = 0040000,
    PHS_BLOCK_DEVICE = 0060000, PHS_CHARACTER_DEVICE = 0020000,
    PHS_SETUID = 0004000, PHS_SETGID = 0002000
};
int phs_fstat(int descriptor, phs_file_identity *identity);
int phs_stat(const char *path, phs_file_identity *identity);
// The path is relative to an open directory.
int phs_stat_at(int directory, const char *path, phs_file_identity *identity);

// Reads as many entries of an open directory as fit. Returns their size in bytes, 0 at the end, or -1 with errno. Why:
// readdir() allocates 32 KiB for each directory and makes two more system calls; getdents64() is not in Swift's Glibc
// module. An entry has the kernel's layout; see phs_directory_entry.
ptrdiff_t phs_read_directory(int descriptor, void *entries, size_t size);

// The head of such an entry. Its zero-terminated name follows; the next entry begins `length` bytes after this one.
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

// Copies the content of a file, at most `most` bytes, to an empty file. It shares the blocks if the file system can do
// so; otherwise it copies inside the kernel, or as a last resort by reading and writing. Why: FICLONE is a macro that
// Swift does not import. Returns the number of bytes, or -1 with errno (EFBIG if the file is larger).
int64_t phs_copy_content(int from, int to, int64_t most);

// Whether the file system of a path was mounted so that no code can be mapped from it (noexec). Why: the names of the
// flags are enumerators behind _GNU_SOURCE. Returns 1, 0, or -1 with errno.
int phs_refuses_code(const char *path);

// Whether a file has an extended attribute of exactly this value, at most 15 bytes. Why: getxattr() is not in Swift's
// Glibc module.
bool phs_has_attribute(const char *path, const char *name, const char *value);

// The load address and path of the library of a dlopen handle. Why: dlinfo() is not in Swift's Glibc module. Returns
// false if the handle is not valid. path belongs to the dynamic linker and lives as long as the library is loaded.
typedef struct phs_library {
    uintptr_t base;     // added to the file's virtual addresses
    const char *path;   // as recorded by the dynamic linker; may be empty for the main program
} phs_library;
bool phs_library_of_handle(void *handle, phs_library *image);

// The library or program that contains an address. Why: dladdr() and _dl_find_object() need _GNU_SOURCE.
// Here, base is the address of the first byte; for a shared library, that equals the value of phs_library_of_handle().
bool phs_library_of_address(const void *address, phs_library *image);

// An address in this library, or in the program if the library is linked into it. Why: Swift cannot take the address of
// a C constant reliably, because with optimisation withUnsafePointer(to:) passes the address of a copy.
const void *phs_own_address(void);

// Calls body for the program and every library in the process, in load order, until body returns false. Why:
// dl_iterate_phdr() needs _GNU_SOURCE. The dynamic linker holds its lock during the calls, so body must not load
// anything. program_headers points to the ElfW(Phdr) array of the library.
void phs_each_library(
    bool (*body)(const phs_library *image, const void *program_headers, size_t count, void *context), void *context);

// The words of this program's command line: the program's name first, a NULL pointer after the last word. NULL if the C
// library does not pass them. Why: Swift's CommandLine reads them from /proc, which may not be mounted, or may not be
// readable at the moment. They live as long as the process.
char *const *phs_arguments(void);

// The path by which this program was started; NULL if the kernel did not pass it. Why: getauxval() is not in Swift's
// Glibc module. The text lives as long as the process.
const char *phs_started_path(void);

// An environment variable; NULL if it is not set, or if the program runs with more rights than its user has. Why:
// secure_getenv() needs _GNU_SOURCE. The text belongs to the environment.
const char *phs_secure_getenv(const char *name);

// The number of forks between the first process that called this and the current one; it changes with each fork. Why: a
// child process must notice that its parent's threads do not exist in it. Only a pthread_atfork() handler can do this
// without a system call at each use.
uint32_t phs_fork_generation(void);

// Creates memory that two processes can share: a file without a name, whose size nobody can change. Why: memfd_create()
// and the seals are not in Swift's Glibc module. Returns its descriptor, closed on exec, or -1 with errno.
int phs_create_shared_memory(size_t size);

// The size of such memory; 0 for any other file, including memory that can still shrink. Why: if a mapped file shrinks,
// accessing it ends the process with SIGBUS.
uint64_t phs_shared_memory_size(int descriptor);

// Waits for a sem_t, at most the given number of milliseconds of a monotonic clock; returns whether it was signalled.
// Why: sem_clockwait() needs _GNU_SOURCE, and struct timespec is not in Swift's Glibc module but in another one.
bool phs_wait_for_semaphore(void *semaphore, int milliseconds);

#endif
