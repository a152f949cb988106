// swift-tools-version: 6.3
import PackageDescription

// The linter is in the package for authors' tests, which use it too.
let linting = Target.Dependency.product(name: "PluginLinting", package: "PluginTesting")

// The command-line tool. It is a package of its own, because everything that loads plug-ins must depend on the library's
// dynamic product from outside of the library's package. See docs/abi.md, "One copy of each module".
let package = Package(
    name: "Tools",
    products: [
        .executable(name: "pluginhost", targets: ["pluginhost"]),
        .executable(name: "pluginhost-worker", targets: ["pluginhost-worker"]),
        .library(name: "PluginPacking", targets: ["PluginPacking"]),
        .library(name: "PluginTranslating", targets: ["PluginTranslating"]),
    ],
    dependencies: [
        .package(name: "PluginHost", path: ".."),
        .package(name: "PluginTesting", path: "../Testing"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "CChildProcess"),
        .target(name: "CPackingSupport"),
        .target(name: "CTemplates"),
        .executableTarget(
            name: "pluginhost",
            dependencies: [
                "CChildProcess", "PluginPacking", "PluginTranslating", linting,
                .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // Runs plug-ins outside of the process of an application.
        .executableTarget(
            name: "pluginhost-worker", dependencies: [.product(name: "PluginHost", package: "PluginHost")]),
        // Makes bundles, and installs them.
        .target(
            name: "PluginPacking",
            dependencies: [
                "CPackingSupport", "CTemplates", linting, .product(name: "PluginHost", package: "PluginHost"),
            ]),
        // Makes strings tables from sources, and converts tables and property lists.
        .target(
            name: "PluginTranslating",
            dependencies: [linting, .product(name: "PluginHost", package: "PluginHost")]),
        .testTarget(
            name: "PluginTranslatingTests",
            dependencies: ["PluginTranslating", .product(name: "PluginHost", package: "PluginHost")]),
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

// The command's own code is words around calls of the library and of the modules above, which are optimised. To optimise it too
// takes 65 s of the 330 s of “make tool” on two cores, and makes a list of 10,000 plug-ins faster by a fifth.
package.targets.first { $0.name == "pluginhost" }?.swiftSettings?.append(
    .unsafeFlags(["-Onone"], .when(configuration: .release)))
