/*
 * A plug-in in C: factories whose objects are computations, and plain functions that the host calls by signature.
 * It needs plugin_abi.h, the application's demo_checksum.h, and a C compiler:
 *
 *     cc -std=c11 -O2 -shared -fPIC -I<headers> -o Checksum plugin.c checksums.c sha256.c
 */
#include "digests.h"
#include "plugin_abi.h"
#include "plugin_nib.h"

#include <stdlib.h>

/* A host reads this note before it loads the file, to see which ABI the file was built for. */
PLUGIN_DECLARE_NOTE;

/* ---- Objects: one computation each. update() and finish() of each kind, over one struct for all kinds. ---------- */

typedef struct computation {
    union {
        uint32_t word;
        uint64_t long_word;
        sha256 sha;
    };
} computation;

static void write_big_endian(uint64_t value, uint8_t *digest, int length)
{
    for (int i = 0; i < length; i++)
        digest[i] = (uint8_t)(value >> (8 * (length - 1 - i)));
}

static void crc32_update(void *instance, const uint8_t *bytes, size_t count)
{
    computation *self = instance;
    self->word = crc32_continue(self->word, bytes, count);
}

static void adler32_update(void *instance, const uint8_t *bytes, size_t count)
{
    computation *self = instance;
    self->word = adler32_continue(self->word, bytes, count);
}

static void word_finish(void *instance, uint8_t *digest)
{
    write_big_endian(((computation *)instance)->word, digest, 4);
}

static void fnv1a_update(void *instance, const uint8_t *bytes, size_t count)
{
    computation *self = instance;
    self->long_word = fnv1a_continue(self->long_word, bytes, count);
}

static void fnv1a_finish(void *instance, uint8_t *digest)
{
    write_big_endian(((computation *)instance)->long_word, digest, 8);
}

static void sha_update(void *instance, const uint8_t *bytes, size_t count)
{
    sha256_update(&((computation *)instance)->sha, bytes, count);
}

static void sha_finish(void *instance, uint8_t *digest)
{
    sha256_finish(&((computation *)instance)->sha, digest);
}

/* ---- Factories -------------------------------------------------------------------------------------------------- */

/* A factory's user_data points to the function that begins a computation of its kind. */
typedef void (*beginning)(computation *);
static void crc32_begin(computation *self) { self->word = CRC32_INITIAL; }
static void adler32_begin(computation *self) { self->word = ADLER32_INITIAL; }
static void fnv1a_begin(computation *self) { self->long_word = FNV1A_INITIAL; }
static void sha_begin(computation *self) { sha256_begin(&self->sha); }

typedef struct kind {
    beginning begin;
    demo_checksum_functions functions;
} kind;

/* Called on any thread, several at the same time: it uses only the new object. */
static plugin_status create(const plugin_factory *factory, const plugin_host *host, void **instance)
{
    computation *self = malloc(sizeof *self);
    if (self == NULL) {
        host->set_error(host, PLUGIN_STRING("org.example.Checksum"), 1, PLUGIN_STRING("No memory is left."),
                        PLUGIN_STRING("Close other documents and try again."));
        return PLUGIN_NO_MEMORY;
    }
    ((const kind *)factory->user_data)->begin(self);
    *instance = self;
    return PLUGIN_OK;
}

/* Each object has only one owner, so the factories have no retain function. */
static void release(void *instance)
{
    free(instance);
}

#define FUNCTIONS(display_title, length, update_function, finish_function)                                            \
    {                                                                                                                 \
        .header = {sizeof(demo_checksum_functions), DEMO_CHECKSUM_VERSION},                                           \
        .title = {display_title, sizeof(display_title) - 1}, .digest_length = length, .update = update_function,      \
        .finish = finish_function                                                                                     \
    }

static const kind kinds[] = {
    {crc32_begin, FUNCTIONS("CRC-32", 4, crc32_update, word_finish)},
    {adler32_begin, FUNCTIONS("Adler-32", 4, adler32_update, word_finish)},
    {fnv1a_begin, FUNCTIONS("FNV-1a", 8, fnv1a_update, fnv1a_finish)},
    {sha_begin, FUNCTIONS("SHA-256", 32, sha_update, sha_finish)},
};

#define FACTORY(factory_name, factory_order)                                                                          \
    {                                                                                                                 \
        .header = {sizeof(plugin_factory), 1}, .name = {factory_name, sizeof(factory_name) - 1},                      \
        .extension_point = {DEMO_CHECKSUM_POINT, sizeof(DEMO_CHECKSUM_POINT) - 1},                                    \
        .extension_version = DEMO_CHECKSUM_VERSION, .order = factory_order,                                           \
        .user_data = (void *)&kinds[factory_order], .functions = &kinds[factory_order].functions, .create = create,   \
        .release = release                                                                                            \
    }

/* Static, because the host keeps pointers to them until the process ends. */
static const plugin_factory factories[] = {
    FACTORY("crc-32", 0),
    FACTORY("adler-32", 1),
    FACTORY("fnv-1a", 2),
    FACTORY("sha-256", 3),
};

/* ---- Plain functions with their signatures, which are also in Info.plist under PHFunctions. ----------------------- */

static uint32_t crc32(const void *bytes, size_t count)
{
    return crc32_continue(CRC32_INITIAL, bytes, count);
}

/* A running checksum as in demo_checksum.h: without bytes it returns the initial value. */
static uint32_t adler32(uint32_t previous, const void *bytes, size_t count)
{
    return count == 0 ? ADLER32_INITIAL : adler32_continue(previous, bytes, count);
}

static uint64_t fnv1a(const void *bytes, size_t count)
{
    return fnv1a_continue(FNV1A_INITIAL, bytes, count);
}

static double entropy(const void *bytes, size_t count)
{
    return entropy_of(bytes, count);
}

#define FUNCTION(function_name, function_signature, function)                                                         \
    {                                                                                                                 \
        .header = {sizeof(plugin_function), 1}, .name = {function_name, sizeof(function_name) - 1},                   \
        .signature = {function_signature, sizeof(function_signature) - 1}, .code = (plugin_code)function              \
    }

static const plugin_function functions[] = {
    FUNCTION("crc32", "(bytes) -> uint32", crc32),
    FUNCTION("adler32", DEMO_CHECKSUM_SIGNATURE, adler32),
    FUNCTION("fnv1a", "(bytes) -> uint64", fnv1a),
    FUNCTION("entropy", "(bytes) -> double", entropy),
};

/* ---- A class for nibs ------------------------------------------------------------------------------------------- */

/* A nib makes an object by <customObject customClass="CRC32"/> and connects it to an outlet. Whoever has it calls its
 * functions: they are those of demo_checksum.h. */
static const plugin_factory crc32_factory = {
    .header = {sizeof(plugin_factory), 1}, .name = {"CRC32", 5}, .user_data = (void *)&kinds[0],
    .functions = &kinds[0].functions, .create = create, .release = release
};

static const plugin_nib_class crc32_class = {
    .header = {sizeof(plugin_nib_class), 1}, .factory = &crc32_factory
};

/* ---- The entry ---------------------------------------------------------------------------------------------------- */

plugin_status plugin_entry(const plugin_host *host)
{
    for (size_t i = 0; i < sizeof factories / sizeof factories[0]; i++) {
        plugin_status status = host->register_factory(host, &factories[i]);
        if (status != PLUGIN_OK)
            return status;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        plugin_status status = host->register_function(host, &functions[i]);
        if (status != PLUGIN_OK)
            return status;
    }
    /* A host without nibs has no such table, and uses everything else. */
    const plugin_nib *nib = host->get_extension(host, PLUGIN_STRING(PLUGIN_NIB_ID));
    if (nib != NULL) {
        plugin_status status = nib->register_class(host, &crc32_class);
        if (status != PLUGIN_OK)
            return status;
    }
    host->log(host, PLUGIN_LOG_DEBUG, PLUGIN_STRING("Registered four checksums and four functions."));
    return PLUGIN_OK;
}
