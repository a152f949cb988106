/*
 * __NAME__.h - the functions of the objects that the factory “line-counter” makes.
 *
 * If the plug-in is for an application, use the application's own header in place of this one.
 */
#ifndef PLUGIN___NAME___H
#define PLUGIN___NAME___H

#include "plugin_abi.h"

#define COUNTER_POINT "__IDENTIFIER__.counter"
#define COUNTER_VERSION 1

typedef struct counter_functions {
    plugin_header header;

    /* Takes the next bytes of the text.
     * [host] any thread, one at a time for one instance; bytes are borrowed for the call */
    void (*add)(void *instance, const void *bytes, size_t count);

    /* The number of lines so far.
     * [host] any thread, one at a time for one instance */
    uint64_t (*lines)(void *instance);
} counter_functions;

#endif /* PLUGIN___NAME___H */
