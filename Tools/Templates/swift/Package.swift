// swift-tools-version: 6.3
import PackageDescription

// Use products of other packages and never targets, because host and plug-in must share one copy of each module.
let shared: [Target.Dependency] = [
    .product(name: "PluginHost", package: "__PLUGINHOST_PACKAGE__"),
    .product(name: "__API_PRODUCT__", package: "__API_PACKAGE__"),
]

let package = Package(
    name: "__NAME__",
    products: [.library(name: "__NAME__", type: .dynamic, targets: ["__NAME__"])],
    dependencies: [
        __PLUGINHOST_DEPENDENCY__,
        __API_DEPENDENCY__,
    ],
    targets: [
        .target(name: "__NAME__", dependencies: shared),
        .testTarget(name: "__NAME__Tests", dependencies: ["__NAME__"] + shared),
    ],
    swiftLanguageModes: [.v6]
)
