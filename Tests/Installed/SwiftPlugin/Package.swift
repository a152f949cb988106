// swift-tools-version: 6.3
import PackageDescription

// A plug-in that is compiled with the installed modules. The package manager compiles only this target and no code of
// the host. The plug-in is not linked against the library, because the process that loads it has the library.
let package = Package(
    name: "Loud",
    products: [.library(name: "Loud", type: .dynamic, targets: ["Loud"])],
    targets: [
        .systemLibrary(
            name: "CPluginHost", pkgConfig: "pluginhost-plugin", providers: [.apt(["libpluginhost-dev"])]),
        .target(name: "Loud", dependencies: ["CPluginHost"]),
    ],
    swiftLanguageModes: [.v6]
)
