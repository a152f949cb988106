// swift-tools-version: 6.3
import PackageDescription

// The package that depends on all others. With one --scratch-path it builds the library, the sample plug-ins, the demo
// host, the tool, the benchmarks and these tests in one build folder, each module once.
let package = Package(
    name: "Integration",
    dependencies: [
        .package(name: "PluginHost", path: "../.."),
        .package(name: "SamplePlugins", path: "../../Plugins"),
        .package(name: "DemoAPI", path: "../../Examples/DemoAPI"),
        .package(name: "DemoHost", path: "../../Examples/DemoHost"),
        .package(name: "Tools", path: "../../Tools"),
        .package(name: "PluginTesting", path: "../../Testing"),
        .package(name: "Benchmarks", path: "../../Benchmarks"),
        .package(name: "Fuzz", path: "../../Fuzz"),
    ],
    targets: [
        // Builds bundles with a defect at test time.
        .target(name: "Fixtures"),
        // Makes each system call of the programs fail once: “make inject”.
        .executableTarget(name: "inject"),
        .testTarget(
            name: "LoadingTests",
            dependencies: [
                "Fixtures",
                .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "DemoAPI", package: "DemoAPI"),
                // Built but not linked: the tests run, assemble and load them.
                .product(name: "pluginhost", package: "Tools"),
                .product(name: "demo-host", package: "DemoHost"),
                .product(name: "Reporter", package: "SamplePlugins"),
                .product(name: "Typography", package: "SamplePlugins"),
                .product(name: "Charts", package: "SamplePlugins"),
                .product(name: "Checksum", package: "SamplePlugins"),
                .product(name: "Template", package: "SamplePlugins"),
                .product(name: "Misbehaving", package: "SamplePlugins"),
            ]),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "Fixtures", .product(name: "pluginhost", package: "Tools"),
                .product(name: "pluginhost-worker", package: "Tools"),
                .product(name: "demo-host", package: "DemoHost"),
                .product(name: "fuzz", package: "Fuzz"),
                .product(name: "PluginTesting", package: "PluginTesting"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Scripts/tsan.sh sets this. It runs the tests that load plug-ins; those of the command start processes.
if Context.environment["PLUGINHOST_SANITIZER"] == "thread" {
    package.targets.removeAll { ["ToolTests", "inject"].contains($0.name) }
}

for target in package.targets {
    // What is measured and installed is optimised; tests would only compile for longer.
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .unsafeFlags(["-Onone"], .when(configuration: .release)),
    ]
}
