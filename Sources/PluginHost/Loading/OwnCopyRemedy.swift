/// What mends a module that stands in two images. The rule is docs/abi.md's, "One copy of each module".
enum OwnCopyRemedy {
    static let text =
        "In the Package.swift of whatever was linked with a copy of its own, depend on the library's product from a "
        + "package of its own, .product(name: \"PluginHost\", package: \"PluginHost\"), and make an application's API module a "
        + ".library(type: .dynamic) in a package of its own; a target dependency is linked statically."
}
