#include "swift_runtime_shims.h"

#include <string.h>

#define WEAK __attribute__((weak))

// The layout of the struct in the runtime's header MetadataSections.h, up to the last field used here. New fields are
// only ever appended.
struct range {
    uintptr_t start;
    size_t length;
};
struct metadata_sections {
    uintptr_t version;
    const void *base_address;
    void *unused0, *unused1;
    struct range protocols;
    struct range conformances;
    struct range types;
};

// base_address exists since version 3; without it, the library of the sections is unknown.
enum { first_version_with_base_address = 3 };

extern void swift_enumerateAllMetadataSections(
    bool (*body)(const struct metadata_sections *sections, void *context), void *context) WEAK;
extern const void *swift_getTypeContextDescriptor(const void *metadata) WEAK;
extern char *swift_demangle(
    const char *name, size_t length, char *buffer, size_t *buffer_size, uint32_t flags) WEAK;
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) WEAK;

struct each_swift_image {
    bool (*body)(const phs_swift_library *, void *);
    void *context;
};

static bool one_swift_image(const struct metadata_sections *sections, void *context) {
    if (sections->version < first_version_with_base_address) return true;
    struct each_swift_image *each = context;
    phs_swift_library image = {
        .header = sections->base_address,
        .types = (const void *)sections->types.start,
        .types_length = sections->types.length,
        .protocols = (const void *)sections->protocols.start,
        .protocols_length = sections->protocols.length,
        .conformances = (const void *)sections->conformances.start,
        .conformances_length = sections->conformances.length,
    };
    return each->body(&image, each->context);
}

void phs_each_swift_library(bool (*body)(const phs_swift_library *, void *), void *context) {
    if (swift_enumerateAllMetadataSections == NULL) return;
    struct each_swift_image each = {body, context};
    swift_enumerateAllMetadataSections(one_swift_image, &each);
}

// MetadataResponse of the Swift ABI. The request 0 waits for the complete metadata.
struct metadata_response {
    const void *metadata;
    size_t state;
};
typedef __attribute__((swiftcall)) struct metadata_response (*metadata_accessor)(size_t request);

const void *phs_call_metadata_accessor(const void *accessor) {
    return ((metadata_accessor)accessor)(0).metadata;
}

const void *phs_type_context_descriptor(const void *metadata) {
    return swift_getTypeContextDescriptor ? swift_getTypeContextDescriptor(metadata) : NULL;
}

static bool begins_with(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

char *phs_demangle(const char *name) {
    if (begins_with(name, "$s") || begins_with(name, "$S") || begins_with(name, "_T0"))
        return swift_demangle ? swift_demangle(name, strlen(name), NULL, NULL, 0) : NULL;
    if (begins_with(name, "_Z")) return __cxa_demangle ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
    return NULL;
}
