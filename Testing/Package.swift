// swift-tools-version: 6.3
import PackageDescription

// What authors of plug-ins use in their tests. It is a package of its own, so that hosts get neither the linter nor the
// test frameworks, and because it loads plug-ins: see docs/abi.md, “One copy of each module”.
let package = Package(
    name: "PluginTesting",
    products: [
        .library(name: "PluginTesting", targets: ["PluginTesting"]),
        .library(name: "PluginLinting", targets: ["PluginLinting"]),
        // The bundle under test in the kit's own tests.
        .library(name: "Greeter", type: .dynamic, targets: ["Greeter"]),
    ],
    dependencies: [.package(name: "PluginHost", path: "..")],
    targets: [
        .target(name: "PluginTesting", dependencies: ["PluginLinting"]),
        // The linter is not in the library, so hosts do not carry it. It imports PropertyLists, which is a part of the
        // product PluginHost and not a product of its own.
        .target(name: "PluginLinting"),
        .target(name: "Greeter", path: "Tests/Greeter/Sources"),
        .testTarget(name: "PluginTestingTests", dependencies: ["PluginTesting"]),
        .testTarget(name: "PluginLintingTests", dependencies: ["PluginLinting"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.dependencies.append(.product(name: "PluginHost", package: "PluginHost"))
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
