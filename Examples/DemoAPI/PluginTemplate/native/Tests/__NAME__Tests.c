/*
 * Tests the plug-in without a host: calls it as a host does, with a table of the ABI that keeps the registrations.
 * “make test” runs it.
 */
#include "demo_checksum.h"

#include <assert.h>
#include <stdio.h>

static const plugin_factory *the_factory;

static plugin_status take_factory(const plugin_host *host, const plugin_factory *factory)
{
    (void)host;
    the_factory = factory;
    return PLUGIN_OK;
}

int main(void)
{
    plugin_host host = {.header = {sizeof host, 1}, .magic = PLUGIN_ABI_MAGIC, .abi_major = PLUGIN_ABI_MAJOR,
                        .abi_minor = PLUGIN_ABI_MINOR, .register_factory = take_factory};
    assert(plugin_entry(&host) == PLUGIN_OK);

    const demo_checksum_functions *functions = the_factory->functions;
    void *sum = NULL;
    uint8_t digest[2];
    assert(the_factory->create(the_factory, &host, &sum) == PLUGIN_OK);
    functions->update(sum, (const uint8_t *)"\xFF\xFF", 2);
    functions->update(sum, (const uint8_t *)"\x03", 1);
    functions->finish(sum, digest);
    the_factory->release(sum);
    assert(digest[0] == 0x02 && digest[1] == 0x01);
    puts("All tests passed.");
    return 0;
}
