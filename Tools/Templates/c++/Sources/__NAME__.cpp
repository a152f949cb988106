// A plug-in in C++, with explanations. It has three parts: this code, Info.plist, and Resources.
#include "__NAME__.h"

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>

// States the ABI that the file was built for, so that a host can check it before it loads the file.
PLUGIN_DECLARE_NOTE;

namespace {

// ---- Objects ---------------------------------------------------------------------------------------------------------

class Counter {
public:
    void add(std::string_view text)
    {
        ends += static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
        if (!text.empty()) isLineOpen = text.back() != '\n';
    }

    uint64_t lines() const { return ends + (isLineOpen ? 1 : 0); }

private:
    uint64_t ends = 0;
    // Whether there is text after the last line end.
    bool isLineOpen = false;
};

void add(void *instance, const void *bytes, size_t count)
{
    static_cast<Counter *>(instance)->add({static_cast<const char *>(bytes), count});
}

uint64_t lines(void *instance) { return static_cast<const Counter *>(instance)->lines(); }

// ---- The factory -----------------------------------------------------------------------------------------------------

constexpr plugin_string text(std::string_view literal) { return {literal.data(), literal.size()}; }

// The host calls it on any thread, also several times at once. No exception may leave a function that the host calls.
// Instead, pass on an error: one sentence for what happened, and one for what the user can do.
plugin_status create(const plugin_factory *, const plugin_host *host, void **instance)
{
    try {
        *instance = new Counter;
        return PLUGIN_OK;
    } catch (const std::bad_alloc &) {
        host->set_error(host, text("__IDENTIFIER__"), 1, text("There is no memory left."),
                        text("Close other documents and try again."));
        return PLUGIN_NO_MEMORY;
    } catch (const std::exception &error) {
        host->set_error(host, text("__IDENTIFIER__"), 2, text(error.what()), text(""));
        return PLUGIN_FAILED;
    }
}

void release(void *instance) { delete static_cast<Counter *>(instance); }

const counter_functions functions = {{sizeof(counter_functions), COUNTER_VERSION}, add, lines};

// Never destroyed, because the host keeps pointers to it until the process ends. Info.plist declares the same name,
// point and version.
const plugin_factory factory = [] {
    plugin_factory factory{};
    factory.header = {sizeof(plugin_factory), 1};
    factory.name = text("line-counter");
    factory.extension_point = text(COUNTER_POINT);
    factory.extension_version = COUNTER_VERSION;
    factory.functions = &functions;
    factory.create = create;
    factory.release = release;
    return factory;
}();

// ---- A function that the host calls by its signature -----------------------------------------------------------------

uint64_t countLines(const void *bytes, size_t count)
{
    Counter counter;
    counter.add({static_cast<const char *>(bytes), count});
    return counter.lines();
}

const plugin_function function = {
    {sizeof(plugin_function), 1}, text("count_lines"), text("(bytes) -> uint64"),
    reinterpret_cast<plugin_code>(countLines)};

}  // namespace

// ---- The entry -------------------------------------------------------------------------------------------------------

// The only symbol that the host looks up. The host calls it once, after it has checked and loaded the file.
plugin_status plugin_entry(const plugin_host *host)
{
    // If a registration is refused, the load fails. All of them become visible together when the entry returns.
    const plugin_status status = host->register_factory(host, &factory);
    return status == PLUGIN_OK ? host->register_function(host, &function) : status;
}
