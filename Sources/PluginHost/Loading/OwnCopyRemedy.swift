/// The remedy for a module that two ELF files contain; the rule is in docs/abi.md, "One copy of each module".
enum OwnCopyRemedy {
    static let text =
        "In the Package.swift of the library or program that contains its own copy, depend on the library's product from a "
        + "separate package, .product(name: \"PluginHost\", package: \"PluginHost\"), and make an application's API module a "
        + ".library(type: .dynamic) in a separate package; a target dependency is linked statically."
}
