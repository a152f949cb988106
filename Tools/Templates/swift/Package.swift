// swift-tools-version: 6.3
import PackageDescription

// Use products of other packages and never targets, because host and plug-in must share one copy of each module.
let shared: [Target.Dependency] = [
    .product(name: "PluginHost", package: "__PLUGINHOST_PACKAGE__"),
    .product(name: "__API_PRODUCT__", package: "__API_PACKAGE__"),
]

// With these flags, the same sources give the same bytes in every folder: paths begin at the package, and nothing depends on
// the paths of object files.
let compiling: [SwiftSetting] = [
    .unsafeFlags([
        "-file-prefix-map", "\(Context.packageDirectory)=.", "-Xfrontend", "-no-clang-module-breadcrumbs",
        "-Xfrontend", "-disable-incremental-llvm-codegen",
    ])
]
let linking: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-soname=lib__NAME__.so"])]

let package = Package(
    name: "__NAME__",
    products: [.library(name: "__NAME__", type: .dynamic, targets: ["__NAME__"])],
    dependencies: [
        __PLUGINHOST_DEPENDENCY__,
        __TESTING_DEPENDENCY__,
        __API_DEPENDENCY__,
    ],
    targets: [
        .target(name: "__NAME__", dependencies: shared, swiftSettings: compiling, linkerSettings: linking),
        .testTarget(
            name: "__NAME__Tests",
            dependencies: [__TESTED_TARGET__.product(name: "PluginTesting", package: "PluginTesting")] + shared),
    ],
    swiftLanguageModes: [.v6]
)
