// What packing and installing need of Linux that Swift's Glibc module does not offer, each with its reason.
#ifndef PACKING_SUPPORT_H
#define PACKING_SUPPORT_H

// Renames a file or directory to a name that is free. Why: renameat2() needs _GNU_SOURCE.
// Returns 0, or the number of an error: EEXIST where the name is taken.
int packing_rename_to_free(const char *from, const char *to);

// Exchanges two files or directories in one step: nobody ever sees neither. Why: as above.
// Returns 0, or the number of an error: EINVAL where the file system cannot do that.
int packing_exchange(const char *one, const char *other);

// Writes what a file system holds in memory to its disk. Why: syncfs() needs _GNU_SOURCE.
// Returns 0, or the number of an error.
int packing_flush(int descriptor);

#include <stdbool.h>
#include <stddef.h>

// Compressing and decompressing by Zstandard, as a stream. The library libzstd.so.1, which every distribution has, is opened
// when it is used first, so that the tool runs without it as well. Why C: its functions are called through pointers.
typedef struct packing_zstd packing_zstd;

// NULL where the library is missing or there is no memory. `compresses`: which of the two it is for.
packing_zstd *packing_zstd_make(bool compresses);
void packing_zstd_free(packing_zstd *stream);

// What a step came to.
typedef struct packing_zstd_step {
    size_t taken, written;
    // Decompressing: whether a frame ended here. Compressing: whether all was written, where `ends` is true.
    bool is_complete;
    // What the library says is wrong, immortal; NULL if nothing is.
    const char *error;
} packing_zstd_step;

// `ends`: compressing, that no bytes come after these.
packing_zstd_step packing_zstd_run(
    packing_zstd *stream, const void *input, size_t input_size, void *output, size_t output_size, bool ends);

#endif
