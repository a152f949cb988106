// swift-tools-version: 6.3
import PackageDescription

// The test kit for plug-ins, as in the sources of PluginHost, with the installed library.
let package = Package(
    name: "PluginTesting",
    products: [.library(name: "PluginTesting", targets: ["PluginTesting"])],
    dependencies: [.package(name: "PluginHost", path: "..")],
    targets: [
        .target(
            name: "PluginTesting",
            dependencies: ["PluginLinting", .product(name: "PluginHost", package: "PluginHost")]),
        .target(name: "PluginLinting", dependencies: [.product(name: "PluginHost", package: "PluginHost")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
