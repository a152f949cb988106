/* A plug-in in C, with explanations. It has three parts: this code, Info.plist, and Resources. */
#include "Lines.h"

#include <stdlib.h>

/* States the ABI that the file was built for, so that a host can check it before it loads the file. */
PLUGIN_DECLARE_NOTE;

/* ---- Objects ------------------------------------------------------------------------------------------------------ */

typedef struct counter {
    uint64_t ends;       /* line ends so far */
    int is_line_open;    /* whether there is text after the last line end */
    int32_t counts_rest; /* whether that text is a line too */
} counter;

static void add(void *instance, const void *bytes, size_t count)
{
    counter *self = instance;
    const char *text = bytes;
    for (size_t i = 0; i < count; i++)
        self->ends += text[i] == '\n';
    if (count > 0)
        self->is_line_open = text[count - 1] != '\n';
}

static uint64_t lines(void *instance)
{
    const counter *self = instance;
    return self->ends + (self->is_line_open && self->counts_rest ? 1 : 0);
}

/* ---- The factory -------------------------------------------------------------------------------------------------- */

/* The host calls it on any thread, also several times at once. So it changes only the new object. */
static plugin_status create(const plugin_factory *factory, const plugin_host *host, void **instance)
{
    (void)factory;
    counter *self = calloc(1, sizeof(counter));
    if (self == NULL) {
        /* What happened, and what the user can do. */
        host->set_error(host, PLUGIN_STRING("org.example.Lines"), 1, PLUGIN_STRING("There is no memory left."),
                        PLUGIN_STRING("Close other documents and try again."));
        return PLUGIN_NO_MEMORY;
    }
    /* The user's choice, which Resources/Settings.bundle declares. An older host may have no settings. */
    const plugin_settings *settings = host->get_extension(host, PLUGIN_STRING(PLUGIN_SETTINGS_ID));
    self->counts_rest = 1;
    if (settings != NULL)
        settings->get_boolean(host, PLUGIN_STRING("countsRest"), &self->counts_rest);
    *instance = self;
    return PLUGIN_OK;
}

/* Objects have one owner, so the factory has no retain. */
static void release(void *instance)
{
    free(instance);
}

static const counter_functions functions = {
    .header = {sizeof(counter_functions), COUNTER_VERSION}, .add = add, .lines = lines};

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* Static, because the host keeps pointers to it until the process ends. Info.plist declares the same name, point and
 * version. */
static const plugin_factory factory = {
    .header = {sizeof(plugin_factory), 1}, .name = TEXT("line-counter"), .extension_point = TEXT(COUNTER_POINT),
    .extension_version = COUNTER_VERSION, .functions = &functions, .create = create, .release = release};

/* ---- A function that the host calls by its signature -------------------------------------------------------------- */

static uint64_t count_lines(const void *bytes, size_t count)
{
    counter whole = {.counts_rest = 1};
    add(&whole, bytes, count);
    return lines(&whole);
}

static const plugin_function function = {
    .header = {sizeof(plugin_function), 1}, .name = TEXT("count_lines"), .signature = TEXT("(bytes) -> uint64"),
    .code = (plugin_code)count_lines};

/* In words.c. */
extern const plugin_function words_function;

/* ---- The entry ---------------------------------------------------------------------------------------------------- */

/* The only symbol that the host looks up. The host calls it once, after it has checked and loaded the file. */
plugin_status plugin_entry(const plugin_host *host)
{
    /* If a registration is refused, the load fails. All of them become visible together when the entry returns. */
    plugin_status status = host->register_factory(host, &factory);
    if (status == PLUGIN_OK)
        status = host->register_function(host, &function);
    return status == PLUGIN_OK ? host->register_function(host, &words_function) : status;
}
