/* The computations of the plug-in Checksum. Nothing here leaves the shared object: only plugin_entry() is exported. */
#ifndef DIGESTS_H
#define DIGESTS_H

#include <stddef.h>
#include <stdint.h>

#include "demo_checksum.h"

#pragma GCC visibility push(hidden)

/* Each continues a checksum: it takes its result for the previous bytes, or the initial value. */
#define ADLER32_INITIAL 1u
#define CRC32_INITIAL 0u
#define FNV1A_INITIAL 0xcbf29ce484222325ull
uint32_t adler32_continue(uint32_t previous, const uint8_t *bytes, size_t count);
uint32_t crc32_continue(uint32_t previous, const uint8_t *bytes, size_t count);
uint64_t fnv1a_continue(uint64_t previous, const uint8_t *bytes, size_t count);

/* Shannon's entropy, in bits per byte: 0 for one repeated byte, 8 for noise. */
double entropy_of(const uint8_t *bytes, size_t count);

typedef struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes processed so far */
    uint8_t block[64];
} sha256;
void sha256_begin(sha256 *hash);
void sha256_update(sha256 *hash, const uint8_t *bytes, size_t count);
void sha256_finish(sha256 *hash, uint8_t digest[32]);

#pragma GCC visibility pop

#endif /* DIGESTS_H */
