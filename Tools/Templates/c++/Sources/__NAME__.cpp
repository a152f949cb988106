// A plug-in in C++, with explanations. It has three parts: this code, Info.plist, and Resources.
#include "__NAME__.h"
#include "plugin.hpp"

#include <algorithm>

namespace {

// An object of the factory. The host creates it on any thread, and releases it. If the constructor throws, making it
// fails with that error: plugin::failure has one sentence for what happened, and one for what the user can do.
class Counter {
public:
    Counter() = default;

    explicit Counter(const plugin_host *host)
    {
        // The user's choice, which Resources/Settings.bundle declares. An older host may have no settings.
        const auto *settings =
            static_cast<const plugin_settings *>(host->get_extension(host, PLUGIN_STRING(PLUGIN_SETTINGS_ID)));
        if (settings) settings->get_boolean(host, PLUGIN_STRING("countsRest"), &countsRest);
    }

    void add(const void *bytes, std::size_t count)
    {
        const auto *text = static_cast<const char *>(bytes);
        ends += static_cast<std::uint64_t>(std::count(text, text + count, '\n'));
        if (count > 0) isLineOpen = text[count - 1] != '\n';
    }

    std::uint64_t lines() const { return ends + (isLineOpen && countsRest ? 1 : 0); }

private:
    std::uint64_t ends = 0;
    // Whether there is text after the last line end.
    bool isLineOpen = false;
    // Whether that text is a line too.
    std::int32_t countsRest = 1;
};

const counter_functions functions = {
    {sizeof(counter_functions), COUNTER_VERSION}, plugin::method<&Counter::add>, plugin::method<&Counter::lines>};

// A function that the host calls by its signature, which follows from its type: “(bytes) -> uint64”.
std::uint64_t countLines(plugin::bytes text) noexcept
{
    Counter counter;
    counter.add(text.data, text.size);
    return counter.lines();
}

}  // namespace

// The only symbol that the host looks up. The host calls it once, after it has checked and loaded the file. Everything
// that it registers becomes visible when it returns. Info.plist declares the same name, point and version.
PLUGIN_ENTRY(registrar)
{
    registrar.factory<Counter>("line-counter", COUNTER_POINT, COUNTER_VERSION, &functions);
    registrar.function<&countLines>("count_lines");
}
