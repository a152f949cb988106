// What the test programs share: each prints one line for each fact, "holds: …" or "FAILS: …", and a test in Swift reads
// the lines. Why C programs: a test of confinement needs a process that is confined, and one that dies.
#ifndef FACTS_H
#define FACTS_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

// Writes the line at once: a process that dies later must not lose it.
__attribute__((format(printf, 2, 3))) static inline bool fact(bool holds, const char *format, ...) {
    char line[512];
    int start = snprintf(line, sizeof line, "%s: ", holds ? "holds" : "FAILS");
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + start, sizeof line - (size_t)start - 1, format, arguments);
    va_end(arguments);
    size_t end = (size_t)start + (size_t)length;
    if (end > sizeof line - 2) end = sizeof line - 2;
    line[end] = '\n';
    if (write(STDOUT_FILENO, line, end + 1) < 0) abort();
    if (!holds) failures += 1;
    return holds;
}

#endif
