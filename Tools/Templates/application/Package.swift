// swift-tools-version: 6.3
import PackageDescription

/// The plug-ins that come with the application: each is a folder of Plugins.
let plugins: [String] = ["Signature"]

// Use products of other packages and never targets, because host and plug-ins must share one copy of each module.
let shared: [Target.Dependency] = [
    .product(name: "PluginHost", package: "__PLUGINHOST_PACKAGE__"),
    .product(name: "__NAME__API", package: "__NAME__API"),
]
let kit: Target.Dependency = .product(name: "PluginTesting", package: "__TESTING_PACKAGE__")

// The application and its plug-ins are one package, so one build has all of them, and the library is compiled once.
let package = Package(
    name: "__NAME__",
    defaultLocalization: "en",
    products: [.executable(name: "__PROGRAM__", targets: ["__PROGRAM__"])]
        + plugins.map { .library(name: $0, type: .dynamic, targets: [$0]) },
    dependencies: [
        __PLUGINHOST_DEPENDENCY__,
        __TESTING_DEPENDENCY__,
        .package(name: "__NAME__API", path: "__NAME__API"),
    ],
    targets: [
        .executableTarget(name: "__PROGRAM__", dependencies: shared, resources: [.process("Resources")]),
        .testTarget(name: "__TESTING_TARGET__", dependencies: shared + [kit]),
    ] + plugins.map { .target(name: $0, dependencies: shared, path: "Plugins/\($0)/Sources") },
    swiftLanguageModes: [.v6]
)
