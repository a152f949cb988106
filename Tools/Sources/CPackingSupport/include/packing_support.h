// Functions of Linux that packing and installing need and that Swift's module Glibc lacks, each with the reason.
#ifndef PACKING_SUPPORT_H
#define PACKING_SUPPORT_H

// Renames a file or directory to a free name. Why: renameat2() needs _GNU_SOURCE.
// Returns 0 or an error number: EEXIST if the name is in use.
int packing_rename_to_free(const char *from, const char *to);

// Exchanges two files or directories in one step, so that both names exist at any time. Why: as above.
// Returns 0 or an error number: EINVAL if the file system cannot do that.
int packing_exchange(const char *one, const char *other);

// Writes all pending changes of a file system to the disk. Why: syncfs() needs _GNU_SOURCE.
// Returns 0 or an error number.
int packing_flush(int descriptor);

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The result of one step.
typedef struct packing_step {
    size_t taken, written;
    // When decompressing: whether a frame or member ended here. When compressing with `ends`: whether everything was
    // written.
    bool is_complete;
    // The library's description of an error, which is never freed; NULL if there is no error.
    const char *error;
} packing_step;

// Compression and decompression with Zstandard, as a stream. libzstd.so.1, which every distribution has, is opened at
// the first use, so the tool also runs without it. Why C: the library's functions are called through pointers.
typedef struct packing_zstd packing_zstd;

// Returns NULL if the library cannot be loaded or there is not enough memory. `compresses`: false for decompression.
packing_zstd *packing_zstd_make(bool compresses);
// Why packing_zstd_make() returned NULL. Never freed.
const char *packing_zstd_failure(void);
void packing_zstd_free(packing_zstd *stream);

// `ends`: when compressing, whether these are the last bytes.
packing_step packing_zstd_run(
    packing_zstd *stream, const void *input, size_t input_size, void *output, size_t output_size, bool ends);

// Decompression of gzip files (RFC 1952), or of the raw data in a ZIP archive (RFC 1951). libz.so.1, which every
// distribution has, is opened at the first use. Why C: as above.
typedef struct packing_zlib packing_zlib;

// Returns NULL if the library cannot be loaded or there is not enough memory.
packing_zlib *packing_zlib_make(bool is_gzip);
// Why packing_zlib_make() returned NULL. Never freed.
const char *packing_zlib_failure(void);
void packing_zlib_free(packing_zlib *stream);
packing_step packing_zlib_run(
    packing_zlib *stream, const void *input, size_t input_size, void *output, size_t output_size);

// Continues a CRC-32 with more bytes. `checksum` is the result for the bytes before them, or 0. Call it only while a
// packing_zlib exists.
uint32_t packing_checksum(uint32_t checksum, const void *bytes, size_t size);

#endif
