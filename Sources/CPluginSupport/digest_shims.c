#pragma GCC visibility push(protected)
#include "digest_shims.h"
#pragma GCC visibility pop

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Source: FIPS 180-4, sections 4 to 6. The constants are the first bits of the fractions of square roots (the initial
// state) and cube roots (the rounds) of the first primes.
static const uint32_t initial[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

enum { BLOCK = 64, BUFFER = 32 * 1024 };

static uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void take_block(uint32_t state[8], const uint8_t *block) {
    uint32_t schedule[64], v[8];
    for (int i = 0; i < 16; i++) schedule[i] = big_endian(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t early = schedule[i - 15], late = schedule[i - 2];
        schedule[i] = schedule[i - 16] + (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) + schedule[i - 7] +
                      (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        // Each round moves the eight words by one place. This code moves the places instead of the words.
        uint32_t *a = v + (64 - i) % 8, *e = v + (68 - i) % 8, *h = v + (71 - i) % 8;
        uint32_t b = v[(65 - i) % 8], c = v[(66 - i) % 8], f = v[(69 - i) % 8], g = v[(70 - i) % 8];
        uint32_t first = *h + (rotated(*e, 6) ^ rotated(*e, 11) ^ rotated(*e, 25)) + ((*e & f) ^ (~*e & g)) +
                         rounds[i] + schedule[i];
        uint32_t second =
            (rotated(*a, 2) ^ rotated(*a, 13) ^ rotated(*a, 22)) + ((*a & b) ^ (*a & c) ^ (b & c));
        v[(67 - i) % 8] += first;
        *h = first + second;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

int phs_digest_file(int descriptor, uint64_t most, uint8_t digest[PHS_DIGEST_SIZE]) {
    uint32_t state[8];
    uint8_t buffer[BUFFER + BLOCK + 8];
    size_t held = 0;
    uint64_t length = 0;
    memcpy(state, initial, sizeof state);
    for (;;) {
        size_t room = BUFFER - held;
        if (room > most - length) room = (size_t)(most - length);
        ssize_t count = room == 0 ? 0 : pread(descriptor, buffer + held, room, (off_t)length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        if (count == 0) break;
        length += (uint64_t)count;
        held += (size_t)count;
        size_t taken = 0;
        for (; held - taken >= BLOCK; taken += BLOCK) take_block(state, buffer + taken);
        memmove(buffer, buffer + taken, held - taken);
        held -= taken;
    }
    // The padding: one 1 bit, zeros up to eight bytes before the end of a block, and the length in bits.
    buffer[held++] = 0x80;
    while (held % BLOCK != BLOCK - 8) buffer[held++] = 0;
    for (int shift = 56; shift >= 0; shift -= 8) buffer[held++] = (uint8_t)(length * 8 >> shift);
    for (size_t at = 0; at < held; at += BLOCK) take_block(state, buffer + at);
    for (int i = 0; i < PHS_DIGEST_SIZE; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
    return 0;
}
