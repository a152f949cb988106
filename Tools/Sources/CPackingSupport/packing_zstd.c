#include "packing_support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// These types and numbers are copied from zstd.h, where they are stable since version 1.4.
typedef struct { const void *bytes; size_t size, position; } in_buffer;
typedef struct { void *bytes; size_t size, position; } out_buffer;
enum { COMPRESSION_LEVEL = 100, CHECKSUM = 201, CONTINUE = 0, END = 2, LEVEL = 19 };

static struct {
    void *(*make_compressor)(void);
    size_t (*free_compressor)(void *);
    size_t (*set)(void *, int, int);
    size_t (*compress)(void *, out_buffer *, in_buffer *, int);
    void *(*make_decompressor)(void);
    size_t (*free_decompressor)(void *);
    size_t (*decompress)(void *, out_buffer *, in_buffer *);
    unsigned (*is_error)(size_t);
    const char *(*error_name)(size_t);
} zstd;

static bool is_open;
static char failure[256] = "it lacks a function";

static void open_library(void) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return;
    }
    *(void **)&zstd.make_compressor = dlsym(library, "ZSTD_createCCtx");
    *(void **)&zstd.free_compressor = dlsym(library, "ZSTD_freeCCtx");
    *(void **)&zstd.set = dlsym(library, "ZSTD_CCtx_setParameter");
    *(void **)&zstd.compress = dlsym(library, "ZSTD_compressStream2");
    *(void **)&zstd.make_decompressor = dlsym(library, "ZSTD_createDCtx");
    *(void **)&zstd.free_decompressor = dlsym(library, "ZSTD_freeDCtx");
    *(void **)&zstd.decompress = dlsym(library, "ZSTD_decompressStream");
    *(void **)&zstd.is_error = dlsym(library, "ZSTD_isError");
    *(void **)&zstd.error_name = dlsym(library, "ZSTD_getErrorName");
    is_open = zstd.make_compressor && zstd.free_compressor && zstd.set && zstd.compress && zstd.make_decompressor
        && zstd.free_decompressor && zstd.decompress && zstd.is_error && zstd.error_name;
}

struct packing_zstd {
    void *context;
    bool compresses;
};

packing_zstd *packing_zstd_make(bool compresses) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    if (!is_open) return NULL;
    packing_zstd *stream = malloc(sizeof *stream);
    if (stream == NULL) return NULL;
    stream->compresses = compresses;
    stream->context = compresses ? zstd.make_compressor() : zstd.make_decompressor();
    if (stream->context == NULL) {
        free(stream);
        return NULL;
    }
    if (compresses) {
        zstd.set(stream->context, COMPRESSION_LEVEL, LEVEL);
        zstd.set(stream->context, CHECKSUM, 1);
    }
    return stream;
}

const char *packing_zstd_failure(void) { return is_open ? "there is not enough memory" : failure; }

void packing_zstd_free(packing_zstd *stream) {
    if (stream->compresses) zstd.free_compressor(stream->context);
    else zstd.free_decompressor(stream->context);
    free(stream);
}

packing_step packing_zstd_run(
    packing_zstd *stream, const void *input, size_t input_size, void *output, size_t output_size, bool ends) {
    in_buffer in = {input, input_size, 0};
    out_buffer out = {output, output_size, 0};
    size_t left = stream->compresses ? zstd.compress(stream->context, &out, &in, ends ? END : CONTINUE)
                                     : zstd.decompress(stream->context, &out, &in);
    packing_step step = {in.position, out.position, left == 0, NULL};
    if (zstd.is_error(left)) step.error = zstd.error_name(left);
    return step;
}
