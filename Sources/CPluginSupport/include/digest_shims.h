// SHA-256 of a file. Why C: the rounds are arithmetic on 32-bit words that must wrap, and a debug build of Swift checks
// each step. Why not a library: it has only one use, to check whether a file is the recorded one.
#ifndef PHS_DIGEST_SHIMS_H
#define PHS_DIGEST_SHIMS_H

#include <stdint.h>

enum { PHS_DIGEST_SIZE = 32 };

// Computes the SHA-256 of an open file from its beginning, of at most `most` bytes. Returns 0, or the error number of
// pread(). Threads: any. Cost: reads the file.
int phs_digest_file(int descriptor, uint64_t most, uint8_t digest[PHS_DIGEST_SIZE]);

#endif
