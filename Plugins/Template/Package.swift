// swift-tools-version: 6.3
import PackageDescription

// Use products of other packages and never targets, because host and plug-in must share one copy of each module.
let shared: [Target.Dependency] = [
    .product(name: "PluginHost", package: "PluginHost"),
    .product(name: "DemoAPI", package: "DemoAPI"),
]

let package = Package(
    name: "Template",
    products: [.library(name: "Template", type: .dynamic, targets: ["Template"])],
    dependencies: [
        .package(name: "PluginHost", path: "../.."),
        .package(name: "DemoAPI", path: "../../Examples/DemoAPI"),
    ],
    targets: [
        .target(name: "Template", dependencies: shared),
        .testTarget(name: "TemplateTests", dependencies: ["Template"] + shared),
    ],
    swiftLanguageModes: [.v6]
)
