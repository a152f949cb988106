#include "strings_pass.h"

/* The same code for bytes and for units of two bytes. */
#define PASS(NAME, UNIT)                                                                                              \
    static size_t NAME##_blanks(const UNIT *text, size_t count, size_t at) {                                          \
        for (;;) {                                                                                                    \
            while (at < count && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) at++;                   \
            if (at + 1 >= count || text[at] != '/') return at;                                                        \
            if (text[at + 1] == '*') {                                                                                \
                at += 2;                                                                                              \
                while (at + 1 < count && !(text[at] == '*' && text[at + 1] == '/')) at++;                             \
                at += 2;                                                                                              \
            } else if (text[at + 1] == '/') {                                                                         \
                while (at < count && text[at] != '\n' && text[at] != '\r') at++;                                      \
            } else {                                                                                                  \
                return at;                                                                                            \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static size_t NAME##_string(const UNIT *text, size_t count, size_t at) {                                          \
        if (at >= count || text[at] != '"') return 0;                                                                 \
        for (at++; at < count; at++) {                                                                                \
            if (text[at] == '"') return at + 1;                                                                       \
            if (text[at] == '\\') at++;                                                                               \
        }                                                                                                             \
        return 0;                                                                                                     \
    }                                                                                                                 \
    long NAME(const UNIT *text, size_t count) {                                                                       \
        long entries = 0;                                                                                             \
        size_t at = 0;                                                                                                \
        while ((at = NAME##_blanks(text, count, at)) < count) {                                                       \
            if (!(at = NAME##_string(text, count, at))) return -1;                                                    \
            at = NAME##_blanks(text, count, at);                                                                      \
            if (at >= count || text[at] != '=') return -1;                                                            \
            at = NAME##_blanks(text, count, at + 1);                                                                  \
            if (!(at = NAME##_string(text, count, at))) return -1;                                                    \
            at = NAME##_blanks(text, count, at);                                                                      \
            if (at >= count || text[at] != ';') return -1;                                                            \
            at++;                                                                                                     \
            entries++;                                                                                                \
        }                                                                                                             \
        return entries;                                                                                               \
    }

PASS(pass8, uint8_t)
PASS(pass16, uint16_t)

long strings_pass_utf8(const uint8_t *text, size_t count) {
    size_t mark = count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0;
    return pass8(text + mark, count - mark);
}

long strings_pass_utf16(const uint16_t *text, size_t count) {
    size_t mark = count >= 1 && text[0] == 0xFEFF;
    return pass16(text + mark, count - mark);
}
