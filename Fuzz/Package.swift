// swift-tools-version: 6.3
import PackageDescription

// Feeds the readers with damaged files, millions of them. A package of its own, because nobody who uses the library
// builds it.
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
        // PropertyLists is no product; it is imported as the part of PluginHost that it is, so that what is fuzzed is
        // the code that applications run.
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzz", .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "PluginLinting", package: "Tools"),
            ]),
        // Random operations on many threads at once, and a look at what the process holds.
        .executableTarget(
            name: "stress",
            dependencies: [
                .product(name: "PluginHost", package: "PluginHost"),
                // What the sample plug-ins are written for.
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
