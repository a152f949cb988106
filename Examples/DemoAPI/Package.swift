// swift-tools-version: 6.3
import PackageDescription

// The application's plug-in API is a package of its own with one dynamic product, never a target beside the executable.
// Two Swift types are equal only if they come from the same copy of a module, so the host and every plug-in must
// share this one. See docs/abi.md, "One copy of each module".
let package = Package(
    name: "DemoAPI",
    products: [
        .library(name: "DemoAPI", type: .dynamic, targets: ["DemoAPI", "CDemoAPI"])
    ],
    dependencies: [
        .package(name: "PluginHost", path: "../..")
    ],
    targets: [
        // The header that a plug-in in C includes, and a check that it compiles on its own; no code.
        .target(name: "CDemoAPI", dependencies: [.product(name: "PluginHost", package: "PluginHost")]),
        .target(
            name: "DemoAPI",
            dependencies: ["CDemoAPI", .product(name: "PluginHost", package: "PluginHost")],
            swiftSettings: [
                // Library evolution: plug-ins that are compiled now work with later versions of this module, which may move
                // and add declarations. See docs/abi.md, "Library evolution".
                .unsafeFlags(["-enable-library-evolution", "-no-verify-emitted-module-interface"]),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
