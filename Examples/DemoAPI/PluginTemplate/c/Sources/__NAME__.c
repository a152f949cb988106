/* A checksum for the demo application in C, with explanations. A plug-in has three parts: this code, Info.plist, and
 * Resources. */
#include "demo_checksum.h"

#include <stdlib.h>

/* States the ABI that the file was built for, so that a host can check it before it loads the file. */
PLUGIN_DECLARE_NOTE;

/* ---- Objects: one computation each. ------------------------------------------------------------------------------- */

static void update(void *instance, const uint8_t *bytes, size_t count)
{
    uint16_t *sum = instance;
    for (size_t i = 0; i < count; i++)
        *sum = (uint16_t)(*sum + bytes[i]);
}

/* Most significant byte first. */
static void finish(void *instance, uint8_t *digest)
{
    const uint16_t *sum = instance;
    digest[0] = (uint8_t)(*sum >> 8);
    digest[1] = (uint8_t)*sum;
}

/* ---- The factory -------------------------------------------------------------------------------------------------- */

/* The host calls it on any thread, also several times at once. So it changes only the new object. */
static plugin_status create(const plugin_factory *factory, const plugin_host *host, void **instance)
{
    (void)factory;
    *instance = calloc(1, sizeof(uint16_t));
    if (*instance != NULL)
        return PLUGIN_OK;
    /* What happened, and what the user can do. */
    host->set_error(host, PLUGIN_STRING("__IDENTIFIER__"), 1, PLUGIN_STRING("There is no memory left."),
                    PLUGIN_STRING("Close other documents and try again."));
    return PLUGIN_NO_MEMORY;
}

/* Objects have one owner, so the factory has no retain. */
static void release(void *instance)
{
    free(instance);
}

#define TEXT(literal) {literal, sizeof(literal) - 1}

static const demo_checksum_functions functions = {
    .header = {sizeof(demo_checksum_functions), DEMO_CHECKSUM_VERSION}, .title = TEXT("SUM-16"), .digest_length = 2,
    .update = update, .finish = finish};

/* Static, because the host keeps pointers to it until the process ends. Info.plist declares the same name, point and
 * version. */
static const plugin_factory factory = {
    .header = {sizeof(plugin_factory), 1}, .name = TEXT("sum-16"), .extension_point = TEXT(DEMO_CHECKSUM_POINT),
    .extension_version = DEMO_CHECKSUM_VERSION, .functions = &functions, .create = create, .release = release};

/* ---- The entry ---------------------------------------------------------------------------------------------------- */

/* The only symbol that the host looks up. The host calls it once, after it has checked and loaded the file. */
plugin_status plugin_entry(const plugin_host *host)
{
    return host->register_factory(host, &factory);
}
