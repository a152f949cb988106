#include "packing_support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// This type and these numbers are copied from zlib.h, where they are stable since version 1.2.
typedef struct {
    const unsigned char *next_in;
    unsigned in_size;
    unsigned long in_total;
    unsigned char *next_out;
    unsigned out_size;
    unsigned long out_total;
    const char *message;
    void *state;
    void *allocate, *release, *opaque;
    int data_type;
    unsigned long check, reserved;
} zlib_stream;
enum { NO_FLUSH = 0, OK = 0, STREAM_END = 1, BUFFER_ERROR = -5, RAW = -15, GZIP = 15 + 16 };

static struct {
    int (*begin)(zlib_stream *, int, const char *, int);
    int (*run)(zlib_stream *, int);
    int (*reset)(zlib_stream *);
    int (*end)(zlib_stream *);
    unsigned long (*checksum)(unsigned long, const unsigned char *, unsigned);
} zlib;

static bool is_open;
static char failure[256] = "it lacks a function";

static void open_library(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return;
    }
    *(void **)&zlib.begin = dlsym(library, "inflateInit2_");
    *(void **)&zlib.run = dlsym(library, "inflate");
    *(void **)&zlib.reset = dlsym(library, "inflateReset");
    *(void **)&zlib.end = dlsym(library, "inflateEnd");
    *(void **)&zlib.checksum = dlsym(library, "crc32");
    is_open = zlib.begin && zlib.run && zlib.reset && zlib.end && zlib.checksum;
}

struct packing_zlib {
    zlib_stream stream;
    bool has_ended;
};

packing_zlib *packing_zlib_make(bool is_gzip) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    if (!is_open) return NULL;
    packing_zlib *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    if (zlib.begin(&stream->stream, is_gzip ? GZIP : RAW, "1.2.0", (int)sizeof stream->stream) != OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

const char *packing_zlib_failure(void) { return is_open ? "there is not enough memory" : failure; }

void packing_zlib_free(packing_zlib *stream) {
    zlib.end(&stream->stream);
    free(stream);
}

packing_step packing_zlib_run(
    packing_zlib *stream, const void *input, size_t input_size, void *output, size_t output_size) {
    packing_step step = {0, 0, stream->has_ended, NULL};
    if (input_size == 0 && stream->has_ended) return step;
    // Several members may follow each other (RFC 1952, section 2.2).
    if (stream->has_ended) zlib.reset(&stream->stream);
    stream->stream.next_in = input;
    stream->stream.in_size = (unsigned)input_size;
    stream->stream.next_out = output;
    stream->stream.out_size = (unsigned)output_size;
    int result = zlib.run(&stream->stream, NO_FLUSH);
    stream->has_ended = step.is_complete = result == STREAM_END;
    step.taken = input_size - stream->stream.in_size;
    step.written = output_size - stream->stream.out_size;
    if (result != OK && result != STREAM_END && result != BUFFER_ERROR)
        step.error = stream->stream.message ? stream->stream.message : "zlib cannot decompress it";
    return step;
}

uint32_t packing_checksum(uint32_t checksum, const void *bytes, size_t size) {
    return (uint32_t)zlib.checksum(checksum, bytes, (unsigned)size);
}
