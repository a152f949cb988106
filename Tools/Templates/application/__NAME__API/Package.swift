// swift-tools-version: 6.3
import PackageDescription

// With library evolution, compiled plug-ins keep working when declarations are moved, or added with a default. The package
// manager has no setting of its own for it; with these tools, packages with flags can also be used by version. After adding or
// removing the flags, delete the build folder.
let evolution: [SwiftSetting] = [
    .unsafeFlags(["-enable-library-evolution", "-no-verify-emitted-module-interface"])
]

// What plug-ins see of the application: one dynamic product, in a package that authors of plug-ins depend on too.
let package = Package(
    name: "__NAME__API",
    products: [.library(name: "__NAME__API", type: .dynamic, targets: ["__NAME__API"])],
    dependencies: [__PLUGINHOST_DEPENDENCY_BELOW__],
    targets: [
        .target(
            name: "__NAME__API", dependencies: [.product(name: "PluginHost", package: "__PLUGINHOST_PACKAGE__")],
            swiftSettings: evolution)
    ],
    swiftLanguageModes: [.v6]
)
