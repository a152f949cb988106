// swift-tools-version: 6.3
import PackageDescription

// The demo application. It links the two dynamic products that its plug-ins link too, and no plug-in.
let package = Package(
    name: "DemoHost",
    products: [
        .executable(name: "demo-host", targets: ["demo-host"])
    ],
    dependencies: [
        .package(name: "PluginHost", path: "../.."),
        .package(name: "DemoAPI", path: "../DemoAPI"),
    ],
    targets: [
        .executableTarget(
            name: "demo-host",
            dependencies: [
                .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "DemoAPI", package: "DemoAPI"),
            ],
            // The program's own strings: a bundle like any other.
            resources: [.copy("DemoHost.bundle")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
