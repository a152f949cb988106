// Compiled with the installed module: swiftc $(pkg-config --cflags --libs pluginhost).
import PluginABI
import PluginHost

for path in CommandLine.arguments.dropFirst() {
    do {
        let bundle = try PluginBundle.open(path: path)
        try bundle.loadAndReturnError()
        // The cast succeeds only if the host and the plug-in share one PluginABI.
        print(bundle.bundleIdentifier ?? "", bundle.principalClass is any Plugin.Type ? "Swift" : "C")
    } catch {
        print(error)
    }
}
