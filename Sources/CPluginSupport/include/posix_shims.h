// What the host needs of libc and that Swift's Glibc module does not offer, each with its reason.
#ifndef PHS_POSIX_SHIMS_H
#define PHS_POSIX_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens a file for reading (O_RDONLY | O_CLOEXEC | O_NONBLOCK) where no component of the path is a symbolic link.
// Why: openat2() has no wrapper in glibc, and RESOLVE_NO_SYMLINKS answers with one system call that a path leads
// where it says. A relative path starts at an open directory, or at AT_FDCWD. Returns a descriptor, or -1 with errno:
// ELOOP if there is a link, ENOSYS before Linux 5.6.
int phs_open_without_links(int directory, const char *path);

// Opens a file or directory, links followed unless the flags say otherwise; never blocking, closed on exec.
// Why: all that is opened of a bundle goes through this file, where a test can make it fail (phs_set_fault).
int phs_open(int directory, const char *path, int flags, unsigned mode);

// pread(). Why: as phs_open().
ptrdiff_t phs_read_at(int descriptor, void *bytes, size_t size, int64_t offset);

// Decides whether a call fails: returns 0, or the error number that the call is to fail with. The call is "open",
// "stat", "fstat", "list" or "read"; path is NULL where the call has a descriptor alone.
// Why: a disk that fails cannot be had for a test. Debug builds only; a release build has neither the function nor the
// question.
typedef int (*phs_fault)(const char *call, int descriptor, const char *path);
void phs_set_fault(phs_fault fault);

// What fstat() tells, in one flat struct. Why: the fields of struct stat that hold times have macro names that Swift
// does not import alike everywhere.
typedef struct phs_file_identity {
    uint64_t device, inode, size;
    int64_t modified_ns, changed_ns;
    uint32_t mode, owner;
} phs_file_identity;
// The kinds of files in a mode, and the bits that lend rights. Why: Swift's Glibc module has them as functions of a library.
enum {
    PHS_KIND_OF_FILE = 0170000, PHS_REGULAR_FILE = 0100000, PHS_DIRECTORY = 0040000,
    PHS_SETUID = 0004000, PHS_SETGID = 0002000
};
int phs_fstat(int descriptor, phs_file_identity *identity);
int phs_stat(const char *path, phs_file_identity *identity);
// The path is relative to an open directory.
int phs_stat_at(int directory, const char *path, phs_file_identity *identity);

// Reads entries of an open directory, as many as fit; 0 at its end, -1 with errno.
// Why: readdir() asks for 32 KiB of memory for each directory and makes two system calls more; getdents64() is not in
// Swift's Glibc module. An entry is laid out as the kernel has it: see phs_directory_entry.
ptrdiff_t phs_read_directory(int descriptor, void *entries, size_t size);

// The head of such an entry; its name follows, ended by a zero, and the next entry stands `length` bytes after this one.
typedef struct phs_directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[5];  // of more; here to the end of the struct's last word
} phs_directory_entry;

// A descriptor that one thread can wait for and another can make readable with phs_signal(). Why: eventfd() is not in
// Swift's Glibc module, and a pipe costs two descriptors. Returns it, closed on exec, or -1 with errno.
int phs_open_signal(void);
void phs_signal(int descriptor);

// Gives an empty file the content of another: by sharing its blocks where the file system can, else by copying inside
// the kernel, else by reading and writing; at most `most` bytes. Why: FICLONE is a macro that Swift does not import.
// Returns the number of bytes, or -1 with errno: EFBIG for a file that has more.
int64_t phs_copy_content(int from, int to, int64_t most);

// Whether the file system that a path is on was mounted so that no code can be mapped from it. Why: the names of the
// flags are enumerators behind _GNU_SOURCE. Returns 1, 0, or -1 with errno.
int phs_refuses_code(const char *path);

// Where the dynamic linker put the image of a dlopen handle. Why: dlinfo() is not in Swift's Glibc module.
// Returns false if the handle is not valid. path is owned by the dynamic linker and lives as long as the image.
typedef struct phs_image {
    uintptr_t base;     // added to the file's virtual addresses
    const char *path;   // as the dynamic linker knows it; may be empty for the main program
} phs_image;
bool phs_image_of_handle(void *handle, phs_image *image);

// The image that an address lies in. Why: dladdr() needs _GNU_SOURCE and is not in Swift's Glibc module.
// base here is the address of the image's first byte, which for a shared object equals phs_image.base.
bool phs_image_of_address(const void *address, phs_image *image);

// Calls body for every image in the process, in load order, until it returns false.
// Why: dl_iterate_phdr() needs _GNU_SOURCE. The dynamic linker holds its lock: body must not load anything.
// program_headers points at the image's own ElfW(Phdr) array.
void phs_each_image(
    bool (*body)(const phs_image *image, const void *program_headers, size_t count, void *context), void *context);

// A variable of the environment; NULL where it is not set, or the program runs with more rights than its user has.
// Why: secure_getenv() needs _GNU_SOURCE. The text is the environment's own.
const char *phs_secure_getenv(const char *name);

// Changes when the process was forked: the number of forks between the first process that called this and this one.
// Why: only a pthread_atfork() handler can tell a child that the threads of its parent are gone, without a system
// call at each use.
uint32_t phs_fork_generation(void);

#endif
