// swift-tools-version: 6.3
import PackageDescription

// The installed library as a package, which “make install” puts into LIBDIR/pluginhost/PluginHost. It has the same name
// and products as the library's sources, but nothing in it is compiled: the product adds the search paths of the installed
// modules, and links with the installed library. “make install” replaces @LIBDIR@.
let package = Package(
    name: "PluginHost",
    products: [
        .library(name: "PluginHost", targets: ["CPluginHostSearch"]),
        .plugin(name: "BundlePlugin", targets: ["BundlePlugin"]),
        .plugin(name: "RemotePlugin", targets: ["RemotePlugin"]),
    ],
    targets: [
        // The search paths of the installed modules, which reach everything that depends on the product.
        .systemLibrary(
            name: "CPluginHost", path: "Library", pkgConfig: "\(Context.packageDirectory)/Library/pluginhost.pc"),
        // No code. With its setting, a program finds the library at run time, wherever that is installed.
        .target(
            name: "CPluginHostSearch", dependencies: ["CPluginHost"], path: "Search",
            linkerSettings: [.unsafeFlags(["-Xlinker", "-rpath=\(Context.packageDirectory)/@LIBDIR@"])]),
        .plugin(
            name: "BundlePlugin",
            capability: .command(
                intent: .custom(verb: "bundle", description: "Builds plug-ins and makes bundles of them.")),
            path: "BundlePlugin"),
        .plugin(
            name: "RemotePlugin",
            capability: .command(
                intent: .custom(
                    verb: "remote-interfaces", description: "Writes the proxies of an application's plug-in API.")),
            path: "RemotePlugin"),
    ]
)
