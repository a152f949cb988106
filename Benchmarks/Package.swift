// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Benchmarks",
    products: [
        .executable(name: "load-benchmark", targets: ["LoadBenchmark"]),
        .executable(name: "bundle-benchmark", targets: ["BundleBenchmark"]),
        .executable(name: "catalog-benchmark", targets: ["CatalogBenchmark"]),
        .executable(name: "call-benchmark", targets: ["CallBenchmark"]),
        .executable(name: "start-reference", targets: ["StartReference"]),
        .executable(name: "nib-benchmark", targets: ["NibBenchmark"]),
        .executable(name: "settings-benchmark", targets: ["SettingsBenchmark"]),
        .library(name: "BenchmarkPlugin", type: .dynamic, targets: ["BenchmarkPlugin"]),
        .library(name: "SettingsPlugin", type: .dynamic, targets: ["SettingsPlugin"]),
        .library(name: "RecordedPlugin", type: .dynamic, targets: ["RecordedPlugin"]),
    ],
    dependencies: [
        .package(name: "PluginHost", path: ".."),
        .package(name: "RecordedAPI", path: "RecordedAPI"),
    ],
    targets: [
        .executableTarget(
            name: "LoadBenchmark", dependencies: ["Measuring", .product(name: "PluginHost", package: "PluginHost")]),
        .executableTarget(
            name: "BundleBenchmark",
            dependencies: ["CStringsPass", "Measuring", .product(name: "PluginHost", package: "PluginHost")]),
        .executableTarget(
            name: "CatalogBenchmark", dependencies: ["Measuring", .product(name: "PluginHost", package: "PluginHost")]),
        .executableTarget(
            name: "CallBenchmark",
            dependencies: ["CBareCalls", "Measuring", .product(name: "PluginHost", package: "PluginHost")]),
        .executableTarget(
            name: "NibBenchmark",
            dependencies: ["CHeap", "Measuring", .product(name: "PluginHost", package: "PluginHost")]),
        .executableTarget(
            name: "SettingsBenchmark",
            dependencies: ["CBareCalls", "Measuring", .product(name: "PluginHost", package: "PluginHost")]),
        // Calls of plug-ins' C functions are compared with this target.
        .target(name: "CBareCalls", linkerSettings: [.linkedLibrary("ffi")]),
        // Starts of workers are compared with the start of this program.
        .executableTarget(
            name: "StartReference", dependencies: [.product(name: "PluginHost", package: "PluginHost")]),
        // Figures, and the processes that measure them.
        .target(name: "Measuring"),
        // What the process has allocated.
        .target(name: "CHeap"),
        // The reference for the first string of a large table.
        .target(name: "CStringsPass"),
        // The plug-in that is loaded: the smallest one with a class and a provider.
        .target(name: "BenchmarkPlugin", dependencies: [.product(name: "PluginHost", package: "PluginHost")]),
        // The plug-in that notes when it sees a change of its settings.
        .target(name: "SettingsPlugin", dependencies: [.product(name: "PluginHost", package: "PluginHost")]),
        // The plug-in whose interface is recorded.
        .target(
            name: "RecordedPlugin",
            dependencies: [
                .product(name: "PluginHost", package: "PluginHost"),
                .product(name: "RecordedAPI", package: "RecordedAPI"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets { target.swiftSettings = [.enableUpcomingFeature("ExistentialAny")] }
