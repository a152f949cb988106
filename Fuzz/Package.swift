// swift-tools-version: 6.3
import PackageDescription

// Feeds the readers with millions of damaged files. It is a package of its own, because users of the library do not build
// it.
let package = Package(
    name: "Fuzz",
    products: [
        .executable(name: "fuzz", targets: ["fuzz"]),
        .executable(name: "stress", targets: ["stress"]),
    ],
    dependencies: [
        .package(name: "PluginHost", path: ".."), .package(name: "DemoAPI", path: "../Examples/DemoAPI"),
        .package(name: "Tools", path: "../Tools"),
    ],
    targets: [
        // fork(), which Swift does not offer, and a count of the memory in use.
        .target(name: "CFuzz", cSettings: [.define("_GNU_SOURCE")]),
        // PropertyLists is a part of the product PluginHost and not a product of its own. So the fuzzed code is
        // the code that applications run.
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzz", .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "PluginLinting", package: "Tools"),
            ]),
        // Random operations on many threads at once, and a check of the process's resources.
        .executableTarget(
            name: "stress",
            dependencies: [
                .product(name: "PluginHost", package: "PluginHost"),
                // The API that the sample plug-ins are written for.
                .product(name: "DemoAPI", package: "DemoAPI"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .executable {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
