/*
 * Tests the plug-in without a host: calls it as a host does, with a table of the ABI that keeps the registrations.
 * “make test” runs it.
 */
#include "Lines.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const plugin_factory *the_factory;
static plugin_function functions[2];
static size_t function_count;

static plugin_status take_factory(const plugin_host *host, const plugin_factory *factory)
{
    (void)host;
    the_factory = factory;
    return PLUGIN_OK;
}

static plugin_status take_function(const plugin_host *host, const plugin_function *function)
{
    (void)host;
    functions[function_count++] = *function;
    return PLUGIN_OK;
}

/* The host's settings, which have one value for every key. */
static int32_t setting = 1;

static plugin_status get_boolean(const plugin_host *host, plugin_string key, int32_t *value)
{
    (void)host, (void)key;
    *value = setting;
    return PLUGIN_OK;
}

static const plugin_settings settings = {.header = {sizeof settings, 1}, .get_boolean = get_boolean};

static const void *get_extension(const plugin_host *host, plugin_string id)
{
    (void)host;
    return strncmp(id.ptr, PLUGIN_SETTINGS_ID, id.len) == 0 ? &settings : NULL;
}

int main(void)
{
    plugin_host host = {.header = {sizeof host, 1}, .magic = PLUGIN_ABI_MAGIC, .abi_major = PLUGIN_ABI_MAJOR,
                        .abi_minor = PLUGIN_ABI_MINOR, .register_factory = take_factory,
                        .register_function = take_function, .get_extension = get_extension};
    assert(plugin_entry(&host) == PLUGIN_OK);

    const counter_functions *table = the_factory->functions;
    void *counter = NULL;
    assert(the_factory->create(the_factory, &host, &counter) == PLUGIN_OK);
    table->add(counter, "one\ntw", 6);
    table->add(counter, "o", 1);
    assert(table->lines(counter) == 2);
    the_factory->release(counter);

    setting = 0;
    assert(the_factory->create(the_factory, &host, &counter) == PLUGIN_OK);
    table->add(counter, "one\ntwo", 7);
    assert(table->lines(counter) == 1);
    the_factory->release(counter);

    uint64_t (*count_lines)(const void *, size_t) = (uint64_t (*)(const void *, size_t))functions[0].code;
    assert(strncmp(functions[0].name.ptr, "count_lines", functions[0].name.len) == 0);
    assert(count_lines("one\ntwo\n", 8) == 2);
    assert(count_lines("", 0) == 0);

    uint64_t (*count_words)(const void *, size_t) = (uint64_t (*)(const void *, size_t))functions[1].code;
    assert(strncmp(functions[1].name.ptr, "count_words", functions[1].name.len) == 0);
    assert(count_words(" one  two\n", 10) == 2);
    assert(count_words("", 0) == 0);
    puts("All tests passed.");
    return 0;
}
