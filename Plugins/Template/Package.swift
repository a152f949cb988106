// swift-tools-version: 6.3
import PackageDescription

// Use products of other packages and never targets, because host and plug-in must share one copy of each module.
let shared: [Target.Dependency] = [
    .product(name: "PluginHost", package: "PluginHost"),
    .product(name: "DemoAPI", package: "DemoAPI"),
]

// With these flags, the same sources give the same bytes in every folder: paths begin at the package, and nothing depends on
// the paths of object files.
let compiling: [SwiftSetting] = [
    .unsafeFlags([
        "-file-prefix-map", "\(Context.packageDirectory)=.", "-Xfrontend", "-no-clang-module-breadcrumbs",
        "-Xfrontend", "-disable-incremental-llvm-codegen",
    ])
]
let linking: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-soname=libTemplate.so"])]

let package = Package(
    name: "Template",
    products: [.library(name: "Template", type: .dynamic, targets: ["Template"])],
    dependencies: [
        .package(name: "PluginHost", path: "../.."),
        .package(name: "PluginTesting", path: "../../Testing"),
        .package(name: "DemoAPI", path: "../../Examples/DemoAPI"),
    ],
    targets: [
        .target(name: "Template", dependencies: shared, swiftSettings: compiling, linkerSettings: linking),
        // It does not depend on the plug-in's target, because it loads the library that is built beside it.
        .testTarget(
            name: "TemplateTests",
            dependencies: [.product(name: "PluginTesting", package: "PluginTesting")] + shared),
    ],
    swiftLanguageModes: [.v6]
)
