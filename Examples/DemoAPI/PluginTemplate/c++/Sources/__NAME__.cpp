// A checksum for the demo application in C++, with explanations. A plug-in has three parts: this code, Info.plist,
// and Resources.
#include "demo_checksum.h"
#include "plugin.hpp"

#include <numeric>

namespace {

// One computation. The host creates it on any thread, and releases it. If the constructor throws, making it fails with
// that error: plugin::failure has one sentence for what happened, and one for what the user can do.
class Sum {
public:
    void update(const std::uint8_t *bytes, std::size_t count)
    {
        value = static_cast<std::uint16_t>(std::accumulate(bytes, bytes + count, std::uint32_t{value}));
    }

    // Most significant byte first.
    void finish(std::uint8_t *digest) const
    {
        digest[0] = static_cast<std::uint8_t>(value >> 8);
        digest[1] = static_cast<std::uint8_t>(value);
    }

private:
    std::uint16_t value = 0;
};

const demo_checksum_functions functions = {
    {sizeof(demo_checksum_functions), DEMO_CHECKSUM_VERSION}, PLUGIN_STRING("SUM-16"), 2,
    plugin::method<&Sum::update>, plugin::method<&Sum::finish>};

}  // namespace

// The only symbol that the host looks up. The host calls it once, after it has checked and loaded the file. Everything
// that it registers becomes visible when it returns. Info.plist declares the same name, point and version.
PLUGIN_ENTRY(registrar)
{
    registrar.factory<Sum>("sum-16", DEMO_CHECKSUM_POINT, DEMO_CHECKSUM_VERSION, &functions);
}
