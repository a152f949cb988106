// swift-tools-version: 6.3
import PackageDescription

// The command-line tool. It is a package of its own, because everything that loads plug-ins must depend on the library's
// dynamic product from outside of the library's package. See docs/abi.md, "One copy of each module".
let package = Package(
    name: "Tools",
    products: [
        .executable(name: "pluginhost", targets: ["pluginhost"]),
        .library(name: "PluginLinting", targets: ["PluginLinting"]),
        .library(name: "PluginPacking", targets: ["PluginPacking"]),
    ],
    dependencies: [
        .package(name: "PluginHost", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "CChildProcess"),
        .target(name: "CPackingSupport"),
        .target(name: "CTemplates"),
        .executableTarget(
            name: "pluginhost",
            dependencies: [
                "CChildProcess", "PluginLinting", "PluginPacking",
                .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // The linter is not in the library, so hosts do not carry it. It imports PropertyLists, which is a part of the
        // product PluginHost and not a product of its own.
        .target(name: "PluginLinting", dependencies: [.product(name: "PluginHost", package: "PluginHost")]),
        // Makes bundles, and installs them.
        .target(
            name: "PluginPacking",
            dependencies: [
                "CPackingSupport", "CTemplates", "PluginLinting", .product(name: "PluginHost", package: "PluginHost"),
            ]),
        .testTarget(
            name: "PluginLintingTests",
            dependencies: ["PluginLinting", .product(name: "PluginHost", package: "PluginHost")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
