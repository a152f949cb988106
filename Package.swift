// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "PluginHost",
    products: [
        // One dynamic library, because a Swift type equals itself only within one copy of its module:
        // the host and every plug-in must share this one. See docs/abi.md, "One copy of each module".
        .library(name: "PluginHost", type: .dynamic, targets: ["PluginHost", "PluginABI", "CPluginSupport"]),
        // They add the commands “swift package bundle” and “swift package remote-interfaces” to each package that depends
        // on this one.
        .plugin(name: "BundlePlugin", targets: ["BundlePlugin"]),
        .plugin(name: "RemotePlugin", targets: ["RemotePlugin"]),
    ],
    traits: [
        .default(enabledTraits: ["FullFoundation"]),
        .trait(
            name: "FullFoundation",
            description:
                "Posts PluginBundle.didLoadNotification to Foundation's NotificationCenter and links full Foundation."),
    ],
    targets: [
        .systemLibrary(
            name: "CLibFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"]), .yum(["libffi-devel"])]),
        .target(
            name: "CPluginSupport", dependencies: ["CLibFFI"],
            cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [.linkedLibrary("ffi"), .linkedLibrary("dl")]),
        .target(name: "CSandbox", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "PluginABI", dependencies: ["CPluginSupport"]),
        .target(name: "PropertyLists"),
        .target(name: "HostBasics", dependencies: ["CPluginSupport", "PropertyLists"]),
        .target(name: "InterfaceRecords", dependencies: ["HostBasics", "PropertyLists"]),
        .target(
            name: "BundleReading", dependencies: ["PluginABI", "HostBasics", "PropertyLists", "InterfaceRecords"]),
        .target(name: "HostLogging", dependencies: ["PluginABI", "HostBasics"]),
        .target(
            name: "ForeignCalls",
            dependencies: ["PluginABI", "CPluginSupport", "HostBasics", "HostLogging", "BundleReading"]),
        .target(
            name: "ELFImages", dependencies: ["HostBasics", "CPluginSupport", "PropertyLists", "InterfaceRecords"]),
        .target(name: "DependencyResolution", dependencies: ["HostBasics"]),
        .target(name: "NibReading", dependencies: ["HostBasics", "PluginABI", "PropertyLists"]),
        .target(name: "SettingsReading", dependencies: ["HostBasics", "PluginABI", "PropertyLists"]),
        .target(
            name: "PluginWorkers",
            dependencies: [
                "PluginABI", "CPluginSupport", "CSandbox", "HostBasics", "BundleReading", "ELFImages",
            ]),
        .target(
            name: "HostRecords",
            dependencies: [
                "PluginABI", "CPluginSupport", "CSandbox", "PropertyLists", "HostBasics", "HostLogging",
                "BundleReading", "ELFImages",
            ]),
        .target(
            name: "CatalogIndexing",
            dependencies: [
                "CPluginSupport", "PropertyLists", "HostBasics", "BundleReading", "ELFImages", "DependencyResolution",
                "HostRecords",
            ]),
        .target(
            name: "PluginHost",
            dependencies: [
                "PluginABI", "CPluginSupport", "CSandbox", "PropertyLists", "HostBasics", "HostLogging",
                "BundleReading", "ForeignCalls", "ELFImages", "DependencyResolution", "NibReading", "SettingsReading",
                "PluginWorkers", "HostRecords", "CatalogIndexing", "InterfaceRecords",
            ]),
        .plugin(
            name: "BundlePlugin",
            capability: .command(
                intent: .custom(verb: "bundle", description: "Builds plug-ins and makes bundles of them.")),
            path: "Sources/BundlePlugin"),
        .plugin(
            name: "RemotePlugin",
            capability: .command(
                intent: .custom(
                    verb: "remote-interfaces", description: "Writes the proxies of an application's plug-in API.")),
            path: "Sources/RemotePlugin"),
        .target(
            name: "TestSupport", dependencies: ["BundleReading", "HostBasics", "CPluginSupport"],
            path: "Tests/TestSupport"),
        .testTarget(name: "CPluginSupportTests", dependencies: ["CPluginSupport", "TestSupport"]),
        .testTarget(name: "CSandboxTests", dependencies: ["CSandbox", "TestSupport"], exclude: ["Programs"]),
        .testTarget(name: "PropertyListsTests", dependencies: ["PropertyLists"], exclude: ["Fixtures"]),
        .testTarget(name: "HostBasicsTests", dependencies: ["HostBasics", "CPluginSupport", "TestSupport"]),
        .testTarget(
            name: "BundleReadingTests", dependencies: ["BundleReading", "HostBasics", "PropertyLists", "TestSupport"],
            exclude: ["Fixtures"]),
        .testTarget(name: "ForeignCallsTests", dependencies: ["ForeignCalls", "BundleReading", "TestSupport"]),
        .testTarget(
            name: "InterfaceRecordsTests", dependencies: ["InterfaceRecords", "HostBasics", "PropertyLists"]),
        .testTarget(
            name: "ELFImagesTests",
            dependencies: ["ELFImages", "InterfaceRecords", "HostBasics", "PropertyLists", "TestSupport"]),
        .testTarget(
            name: "DependencyResolutionTests", dependencies: ["DependencyResolution", "HostBasics", "TestSupport"]),
        .testTarget(
            name: "NibReadingTests", dependencies: ["NibReading", "HostBasics", "PluginABI", "TestSupport"]),
        .testTarget(
            name: "SettingsReadingTests",
            dependencies: ["SettingsReading", "HostBasics", "PluginABI", "PropertyLists", "TestSupport"]),
        .testTarget(
            name: "PluginWorkersTests",
            dependencies: [
                "PluginWorkers", "PluginABI", "HostBasics", "BundleReading", "CSandbox", "TestSupport",
            ]),
        .testTarget(
            name: "HostRecordsTests", dependencies: ["HostRecords", "HostBasics", "CSandbox", "TestSupport"]),
        .testTarget(
            name: "PluginHostTests",
            dependencies: [
                "PluginHost", "CatalogIndexing", "ForeignCalls", "HostRecords", "PluginWorkers", "SettingsReading",
                "PropertyLists", "CPluginSupport", "CSandbox", "TestSupport",
            ],
            exclude: ["Fixtures"],
            // Plug-ins of the tests call it: see GadgetPlugin.swift.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=pluginhost_tests_entry"])]),
        // One file against Foundation's Bundle, twice: as it was, and moved to PluginBundle. See BundleUser.swift.
        .testTarget(name: "MovedFileTests", dependencies: ["PluginHost"]),
        .testTarget(name: "FoundationFileTests"),
    ],
    swiftLanguageModes: [.v6]
)

// Scripts/tsan.sh sets this. The tests of these modules start no thread, and those in the folder start worker processes from
// their own executable, where the sanitiser needs more memory than a worker may have and takes the signals. So neither need be
// compiled a second time.
if Context.environment["PLUGINHOST_SANITIZER"] == "thread" {
    let threadless = [
        "PropertyListsTests", "ForeignCallsTests", "InterfaceRecordsTests", "ELFImagesTests",
        "DependencyResolutionTests", "NibReadingTests", "MovedFileTests", "FoundationFileTests",
    ]
    package.targets.removeAll { threadless.contains($0.name) }
    package.targets.first { $0.name == "PluginHostTests" }?.exclude.append("Workers")
}

// The settings every Swift target shares stand here once.
for target in package.targets where target.type == .regular || target.type == .test {
    var settings = target.swiftSettings ?? []
    settings += [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if target.name == "PluginABI" {
        // A plug-in built against an older PluginABI must run with a newer one. The emitted interface is not
        // verified because that step does not know the C module's path (a limit of the package manager).
        settings.append(
            .unsafeFlags(["-enable-library-evolution", "-no-verify-emitted-module-interface"]))
    }
    target.swiftSettings = settings
}
