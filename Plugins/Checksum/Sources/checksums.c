#include "digests.h"

/* The largest number of bytes for which the sums of Adler-32 cannot overflow 32 bits (NMAX in zlib). */
#define ADLER_RUN 5552u
#define ADLER_MODULUS 65521u

uint32_t adler32_continue(uint32_t previous, const uint8_t *bytes, size_t count)
{
    uint32_t low = previous & 0xffff, high = previous >> 16;
    while (count > 0) {
        size_t run = count < ADLER_RUN ? count : ADLER_RUN;
        count -= run;
        while (run-- > 0) {
            low += *bytes++;
            high += low;
        }
        low %= ADLER_MODULUS;
        high %= ADLER_MODULUS;
    }
    return high << 16 | low;
}

/*
 * CRC-32 of IEEE 802.3, as used by zlib and gzip, eight bytes per step: table[k][b] is the remainder of byte b with
 * k zero bytes after it. The tables are filled before any other code of the plug-in runs, so no lock is needed.
 */
static uint32_t table[8][256];

__attribute__((constructor)) static void fill_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t remainder = byte;
        for (int bit = 0; bit < 8; bit++)
            remainder = remainder >> 1 ^ (remainder & 1 ? 0xedb88320u : 0);
        table[0][byte] = remainder;
    }
    for (int zeros = 1; zeros < 8; zeros++)
        for (int byte = 0; byte < 256; byte++)
            table[zeros][byte] = table[zeros - 1][byte] >> 8 ^ table[0][table[zeros - 1][byte] & 0xff];
}

uint32_t crc32_continue(uint32_t previous, const uint8_t *bytes, size_t count)
{
    uint32_t crc = ~previous;
    for (; count >= 8; bytes += 8, count -= 8) {
        crc ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        crc = table[7][crc & 0xff] ^ table[6][crc >> 8 & 0xff] ^ table[5][crc >> 16 & 0xff] ^ table[4][crc >> 24] ^
              table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
    }
    while (count-- > 0)
        crc = crc >> 8 ^ table[0][(crc ^ *bytes++) & 0xff];
    return ~crc;
}

uint64_t fnv1a_continue(uint64_t previous, const uint8_t *bytes, size_t count)
{
    uint64_t hash = previous;
    while (count-- > 0)
        hash = (hash ^ *bytes++) * 0x100000001b3ull;
    return hash;
}

/* log2() of a number from 0 to 1, without libm: the exponent by halving, the fraction by squaring. */
static double binary_logarithm(double x)
{
    double result = 0, digit = 0.5;
    for (; x < 1; x *= 2)
        result -= 1;
    for (int i = 0; i < 40; i++, digit /= 2) {
        x *= x;
        if (x >= 2) {
            x /= 2;
            result += digit;
        }
    }
    return result;
}

double entropy_of(const uint8_t *bytes, size_t count)
{
    size_t occurrences[256] = {0};
    for (size_t i = 0; i < count; i++)
        occurrences[bytes[i]]++;
    double entropy = 0;
    for (int value = 0; value < 256; value++) {
        if (occurrences[value] == 0)
            continue;
        double share = (double)occurrences[value] / (double)count;
        entropy -= share * binary_logarithm(share);
    }
    return entropy;
}
