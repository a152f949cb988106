// SHA-256 of a file. Why C: the rounds are arithmetic on 32-bit words that must wrap, and a debug build of Swift checks
// each step. Why not a library: it is needed for one thing, to see whether a file is the one that was noted.
#ifndef PHS_DIGEST_SHIMS_H
#define PHS_DIGEST_SHIMS_H

#include <stdint.h>

enum { PHS_DIGEST_SIZE = 32 };

// Computes the SHA-256 of the first `most` bytes that an open file has, from its beginning. Returns 0, or the error
// number of read(). Threads: any. Cost: reads the file.
int phs_digest_file(int descriptor, uint64_t most, uint8_t digest[PHS_DIGEST_SIZE]);

#endif
