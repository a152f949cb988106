// swift-tools-version: 6.3
import PackageDescription

// The command-line tool. A package of its own, because whatever loads plug-ins depends on the library's dynamic product
// from outside of the library's package. See docs/abi.md, "One copy of each module".
let package = Package(
    name: "Tools",
    products: [
        .executable(name: "pluginhost", targets: ["pluginhost"])
    ],
    dependencies: [
        .package(name: "PluginHost", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "CChildProcess"),
        .executableTarget(
            name: "pluginhost",
            dependencies: [
                "CChildProcess",
                .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
