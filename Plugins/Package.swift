// swift-tools-version: 6.3
import PackageDescription

// Sample plug-ins, as an author outside of this repository would write them. Each is a separate dynamic library;
// “pluginhost pack” combines it with its Info.plist and resources into a bundle. The product PluginHost contains PluginABI,
// the only module of it that a plug-in imports, and the product DemoAPI contains the demo application's plug-in API.
// Both must be dynamic products of other packages, so that host and plug-ins share one copy.
let package = Package(
    name: "SamplePlugins",
    products: [
        .library(name: "Reporter", type: .dynamic, targets: ["Reporter"]),
        .library(name: "Typography", type: .dynamic, targets: ["Typography"]),
        .library(name: "Charts", type: .dynamic, targets: ["Charts"]),
        .library(name: "Checksum", type: .dynamic, targets: ["Checksum"]),
        .library(name: "Template", type: .dynamic, targets: ["Template"]),
        .library(name: "Misbehaving", type: .dynamic, targets: ["Misbehaving"]),
    ],
    dependencies: [
        .package(name: "PluginHost", path: ".."),
        .package(name: "DemoAPI", path: "../Examples/DemoAPI"),
        .package(name: "PluginTesting", path: "../Testing"),
    ],
    targets: [
        .target(name: "Reporter", path: "Reporter/Sources"),
        .target(name: "Typography", path: "Typography/Sources"),
        .target(name: "Charts", path: "Charts/Sources"),
        .target(name: "Checksum", path: "Checksum/Sources", publicHeadersPath: "."),
        .target(name: "Template", path: "Template/Sources/Template"),
        .target(name: "Misbehaving", path: "Misbehaving/Sources"),
        // It depends on no plug-in: it loads the libraries that are built beside it.
        .testTarget(
            name: "SampleTests", dependencies: [.product(name: "PluginTesting", package: "PluginTesting")],
            path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.dependencies += [
        .product(name: "PluginHost", package: "PluginHost"), .product(name: "DemoAPI", package: "DemoAPI"),
    ]
    if target.name != "Checksum" {
        target.swiftSettings = [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
    }
}
