// A checksum for the demo application in C++, with explanations. A plug-in has three parts: this code, Info.plist,
// and Resources.
#include "demo_checksum.h"

#include <exception>
#include <new>
#include <numeric>
#include <string_view>

// States the ABI that the file was built for, so that a host can check it before it loads the file.
PLUGIN_DECLARE_NOTE;

namespace {

// ---- Objects: one computation each. ----------------------------------------------------------------------------------

class Sum {
public:
    void update(const uint8_t *bytes, size_t count)
    {
        value = static_cast<uint16_t>(std::accumulate(bytes, bytes + count, uint32_t{value}));
    }

    // Most significant byte first.
    void finish(uint8_t *digest) const
    {
        digest[0] = static_cast<uint8_t>(value >> 8);
        digest[1] = static_cast<uint8_t>(value);
    }

private:
    uint16_t value = 0;
};

void update(void *instance, const uint8_t *bytes, size_t count) { static_cast<Sum *>(instance)->update(bytes, count); }

void finish(void *instance, uint8_t *digest) { static_cast<const Sum *>(instance)->finish(digest); }

// ---- The factory -----------------------------------------------------------------------------------------------------

constexpr plugin_string text(std::string_view literal) { return {literal.data(), literal.size()}; }

// The host calls it on any thread, also several times at once. No exception may leave a function that the host calls.
// Instead, pass on an error: one sentence for what happened, and one for what the user can do.
plugin_status create(const plugin_factory *, const plugin_host *host, void **instance)
{
    try {
        *instance = new Sum;
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

void release(void *instance) { delete static_cast<Sum *>(instance); }

const demo_checksum_functions functions = {
    {sizeof(demo_checksum_functions), DEMO_CHECKSUM_VERSION}, text("SUM-16"), 2, update, finish};

// Never destroyed, because the host keeps pointers to it until the process ends. Info.plist declares the same name,
// point and version.
const plugin_factory factory = [] {
    plugin_factory factory{};
    factory.header = {sizeof(plugin_factory), 1};
    factory.name = text("sum-16");
    factory.extension_point = text(DEMO_CHECKSUM_POINT);
    factory.extension_version = DEMO_CHECKSUM_VERSION;
    factory.functions = &functions;
    factory.create = create;
    factory.release = release;
    return factory;
}();

}  // namespace

// ---- The entry -------------------------------------------------------------------------------------------------------

// The only symbol that the host looks up. The host calls it once, after it has checked and loaded the file.
plugin_status plugin_entry(const plugin_host *host) { return host->register_factory(host, &factory); }
