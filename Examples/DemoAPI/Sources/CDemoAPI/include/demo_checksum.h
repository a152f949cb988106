/*
 * demo_checksum.h - what a plug-in of the demo application provides at the extension point org.example.checksum.
 *
 * A C plug-in includes plugin_abi.h and this header, and registers one plugin_factory for each kind of checksum:
 * extension_point is DEMO_CHECKSUM_POINT, extension_version is DEMO_CHECKSUM_VERSION, functions points to a
 * demo_checksum_functions. An object from the factory's create() is one computation: the host passes it the document piece
 * by piece and requests the digest once.
 *
 * A checksum of 32 bits needs no objects: a plain function of the signature DEMO_CHECKSUM_SIGNATURE is enough. Info.plist
 * names it under PHFunctions, and under PHFactories at the extension point DEMO_CHECKSUM_FUNCTION_POINT. It takes the value
 * for the bytes so far and some more bytes, and returns the value for all of them. Without bytes, it returns the initial
 * value.
 */
#ifndef DEMO_CHECKSUM_H
#define DEMO_CHECKSUM_H

#include "plugin_abi.h"

#define DEMO_CHECKSUM_POINT "org.example.checksum"
#define DEMO_CHECKSUM_FUNCTION_POINT "org.example.checksum-function"
#define DEMO_CHECKSUM_VERSION 1

/* No digest is longer than this. */
#define DEMO_CHECKSUM_MAX_DIGEST 64

#define DEMO_CHECKSUM_SIGNATURE "(uint32, bytes) -> uint32"

typedef struct demo_checksum_functions {
    plugin_header header;

    /* The name beside the digest, such as "SHA-256". Immortal. */
    plugin_string title;

    /* How many bytes finish() writes: 1 to DEMO_CHECKSUM_MAX_DIGEST. */
    size_t digest_length;

    /* Adds the document's next bytes to the computation.
     * [host] any thread, one at a time for one instance; bytes are borrowed for the call */
    void (*update)(void *instance, const uint8_t *bytes, size_t count);

    /* Writes the digest, most significant byte first. The instance takes no more bytes afterwards.
     * [host] any thread, once for an instance; digest has room for digest_length bytes and belongs to the host */
    void (*finish)(void *instance, uint8_t *digest);
} demo_checksum_functions;

#if UINTPTR_MAX == 0xffffffffffffffffu
PLUGIN_STATIC_ASSERT(sizeof(demo_checksum_functions) == 48, "demo_checksum_functions");
PLUGIN_STATIC_ASSERT(offsetof(demo_checksum_functions, title) == 8, "demo_checksum_functions.title");
PLUGIN_STATIC_ASSERT(offsetof(demo_checksum_functions, digest_length) == 24, "demo_checksum_functions.digest_length");
PLUGIN_STATIC_ASSERT(offsetof(demo_checksum_functions, update) == 32, "demo_checksum_functions.update");
PLUGIN_STATIC_ASSERT(offsetof(demo_checksum_functions, finish) == 40, "demo_checksum_functions.finish");
#endif

#endif /* DEMO_CHECKSUM_H */
