/* Compiled with only the installed header: cc $(pkg-config --cflags pluginhost-plugin). */
#include <plugin_abi.h>

PLUGIN_DECLARE_NOTE;

static int32_t twice(int32_t number) { return 2 * number; }

PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
    plugin_function function = {{sizeof function, 1}, PLUGIN_STRING("twice"), PLUGIN_STRING("(int32) -> int32"),
        (plugin_code)twice};
    return host->register_function(host, &function);
}
