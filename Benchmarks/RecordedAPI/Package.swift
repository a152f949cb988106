// swift-tools-version: 6.3
import PackageDescription

// The plug-in API of the benchmark of records: without library evolution, because then a load compares the most. It is a package
// of its own, as an application's API must be.
let package = Package(
    name: "RecordedAPI",
    products: [.library(name: "RecordedAPI", type: .dynamic, targets: ["RecordedAPI"])],
    dependencies: [.package(name: "PluginHost", path: "../..")],
    targets: [
        .target(
            name: "RecordedAPI", dependencies: [.product(name: "PluginHost", package: "PluginHost")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
