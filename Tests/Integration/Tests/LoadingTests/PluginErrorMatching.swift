import Fixtures
import PluginHost
import Testing

/// Loads a bundle that must fail, and returns the error.
func loadError(_ fixture: BundleFixture, sourceLocation: SourceLocation = #_sourceLocation) throws -> PluginError {
    let bundle = try PluginBundle.open(path: fixture.path)
    let error = #expect(throws: PluginError.self, sourceLocation: sourceLocation) { try bundle.loadAndReturnError() }
    // What is true after every failed load.
    #expect(!bundle.isLoaded, sourceLocation: sourceLocation)
    #expect(bundle.registrations.map(\.name).isEmpty, sourceLocation: sourceLocation)
    #expect(bundle.loadError == error, sourceLocation: sourceLocation)
    #expect(error?.bundlePath == fixture.path, sourceLocation: sourceLocation)
    return try #require(error, sourceLocation: sourceLocation)
}

/// C sources that several fixtures share.
enum Source {
    /// A factory that counts its objects.
    static let factory = """
        #include <stdlib.h>
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
            (void)f; (void)h; *out = malloc(1); return *out ? PLUGIN_OK : PLUGIN_NO_MEMORY;
        }
        static void release(void *p) { free(p); }
        #define FACTORY(id, text) static const plugin_factory id = \\
            {{sizeof(plugin_factory), 1}, {text, sizeof(text) - 1}, {0, 0}, 1, 0, 0, 0, create, 0, release}
        #define FACTORY_AT(id, text, point) static const plugin_factory id = \\
            {{sizeof(plugin_factory), 1}, {text, sizeof(text) - 1}, {point, sizeof(point) - 1}, 1, 0, 0, 0, create, 0, release}

        """

    /// An entry that registers one factory and counts its calls, with a function to read the count.
    static let good =
        factory + """
            FACTORY(thing, "Thing");
            static int calls;
            static unsigned entry_calls(void) { return calls; }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
                plugin_function count = {{sizeof count, 1}, PLUGIN_STRING("entry_calls"), PLUGIN_STRING("() -> uint32"),
                    (plugin_code)entry_calls};
                plugin_status status = host->register_function(host, &count);
                return status ? status : host->register_factory(host, &thing);
            }
            """

    /// An entry that calls a C function of the test, by its address.
    static func calling(_ function: @convention(c) () -> Void) -> String {
        let address = UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self))
        return factory + """
            FACTORY(thing, "Thing");
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                ((void (*)(void))\(address)ul)();
                return host->register_factory(host, &thing);
            }
            """
    }
}
