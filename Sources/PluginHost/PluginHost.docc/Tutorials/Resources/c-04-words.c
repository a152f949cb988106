#include "Lines.h"

#include <ctype.h>

/* The number of words. [host] any thread; bytes are borrowed for the call */
static uint64_t count_words(const void *bytes, size_t count)
{
    const unsigned char *text = bytes;
    uint64_t words = 0;
    for (size_t i = 0; i < count; i++)
        words += !isspace(text[i]) && (i == 0 || isspace(text[i - 1]));
    return words;
}

#define TEXT(literal) {literal, sizeof(literal) - 1}

const plugin_function words_function = {
    .header = {sizeof(plugin_function), 1}, .name = TEXT("count_words"), .signature = TEXT("(bytes) -> uint64"),
    .code = (plugin_code)count_words};
