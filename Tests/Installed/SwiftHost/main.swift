// Compiled with the installed module: swiftc $(pkg-config --cflags --libs pluginhost).
import Glibc
import PluginABI
import PluginHost

// host [--in-process | --isolated | --sandboxed] [--probed] BUNDLE…
var paths = Array(CommandLine.arguments.dropFirst())

/// Whether an option is among the arguments; it is removed from them.
func takes(_ option: String) -> Bool {
    guard let place = paths.firstIndex(of: option) else { return false }
    paths.remove(at: place)
    return true
}

let execution = PluginExecution.allCases.first { takes("--\($0)") }
if let execution {
    HostEnvironment.current.isolation.execution = { _ in execution }
}
// Root cannot be confined.
if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
let requiresProbe = takes("--probed")

for path in paths {
    do {
        let bundle = try PluginBundle.open(path: path)
        if requiresProbe {
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            let catalog = PluginCatalog(
                searchPaths: ["/" + folder], options: .init(index: .none, requiresProbe: true))
            _ = try catalog.activate(bundle.bundleIdentifier ?? "")
        }
        try bundle.loadAndReturnError()
        if let execution {
            // Whether the code is in this process.
            let isHere = bundle.executablePath.map { dlopen($0, RTLD_LAZY | RTLD_NOLOAD) != nil } ?? false
            print(bundle.bundleIdentifier ?? "", isHere == (execution == .inProcess) ? "\(execution)" : "elsewhere")
            continue
        }
        // The cast succeeds only if the host and the plug-in share one PluginABI.
        print(bundle.bundleIdentifier ?? "", bundle.principalClass is any Plugin.Type ? "Swift" : "C")
    } catch {
        print(error)
    }
}
