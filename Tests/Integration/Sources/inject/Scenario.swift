import Foundation

/// One use of a program.
struct Scenario {
    let name: String
    let arguments: [String]
    var environment: [String: String] = [:]
    /// Whether processes that it starts are traced too.
    var followsChildren = true
    /// It is the child of “pluginhost load”, which reports on its descriptor 3.
    var isChild = false
    /// A file that it writes, as a path in the root.
    var output: String?
    /// Whether it changes ``WorkPlace/tree``.
    var changesTree = false

    static let mark = String(repeating: "5", count: 32)

    static func all(products: String, in place: WorkPlace) -> [Scenario] {
        let tool = "\(products)/pluginhost"
        let host = "\(products)/demo-host"
        let bundle = "\(place.plugins)/Reporter.bundle"
        let usual = [
            "LD_LIBRARY_PATH": products, "XDG_CACHE_HOME": place.cache, "LC_ALL": "C.UTF-8", "LANGUAGE": "",
            "HOME": place.root.path, "SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin",
        ]
        return [
            Scenario(name: "list", arguments: [tool, "list", place.plugins], environment: usual),
            Scenario(name: "scan", arguments: [tool, "scan", "--explain", place.plugins], environment: usual),
            Scenario(
                name: "check", arguments: [tool, "check", "--host", host, place.plugins], environment: usual),
            // Nibs with their tables, images and classes, which the linter reads without running code.
            Scenario(name: "lint", arguments: [tool, "lint", bundle], environment: usual),
            // The child runs without failures here and has its own scenario: one failure at a time.
            Scenario(
                name: "load", arguments: [tool, "load", "--timeout", "5", place.plugins], environment: usual,
                followsChildren: false),
            Scenario(
                name: "load-in-child", arguments: [tool, "load-in-child", "--mark", mark, bundle], environment: usual,
                isChild: true),
            Scenario(
                name: "demo-list", arguments: [host, "--plugins", place.plugins, "--list"], environment: usual),
            Scenario(
                name: "demo",
                arguments: [host, "--plugins", place.plugins, "--output", place.report, place.document],
                environment: usual, output: "out/report.html"),
            Scenario(
                name: "pack",
                arguments: [
                    tool, "pack", "--executable", place.code, "--archive", "--output", place.tree, place.source,
                ], environment: usual, changesTree: true),
            Scenario(
                name: "install", arguments: [tool, "install", "--in", place.tree, place.archive], environment: usual,
                changesTree: true),
            Scenario(
                name: "rollback", arguments: [tool, "rollback", "--in", place.tree, "Checksum"], environment: usual,
                changesTree: true),
            Scenario(
                name: "uninstall", arguments: [tool, "uninstall", "--in", place.tree, "Checksum"], environment: usual,
                changesTree: true),
        ]
    }
}
