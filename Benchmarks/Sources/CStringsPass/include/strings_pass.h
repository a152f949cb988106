#pragma once
#include <stddef.h>
#include <stdint.h>

/* One pass over the text of a strings table that recognises its entries: the least that reading it costs in plain C.
It recognises comments, quoted strings, escapes, "=" and ";"; it stores, converts and checks nothing. */

/* The number of entries of a table in UTF-8; -1 for one that is not as expected. Any thread. */
long strings_pass_utf8(const uint8_t *text, size_t count);

/* The same for UTF-16 in the machine's byte order, with or without a mark; count is in units. Any thread. */
long strings_pass_utf16(const uint16_t *text, size_t count);
