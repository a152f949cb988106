// swift-tools-version: 6.3
import PackageDescription

// What plug-ins see of the application: one dynamic product, in a package that authors of plug-ins depend on too.
let package = Package(
    name: "__NAME__API",
    products: [.library(name: "__NAME__API", type: .dynamic, targets: ["__NAME__API"])],
    dependencies: [__PLUGINHOST_DEPENDENCY_BELOW__],
    targets: [
        .target(name: "__NAME__API", dependencies: [.product(name: "PluginHost", package: "__PLUGINHOST_PACKAGE__")])
    ],
    swiftLanguageModes: [.v6]
)
