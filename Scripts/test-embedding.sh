#!/bin/bash
# Shows that an application which embeds the library runs plug-ins in processes of their own without any code for it:
# “make test-embedding”. The package is made in an empty directory, as an application developer would write it. It is built
# in the build folder of the unit tests, which has the library already.
#
#   Scripts/test-embedding.sh [--keep]
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD

work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-embedding.XXXXXX")
if [ "${1:-}" = --keep ]; then echo "test-embedding: the directory is $work"; else trap 'rm -rf "$work"' EXIT; fi

fail() {
    echo "test-embedding: $1" >&2
    exit 1
}

mkdir -p "$work/Sources/embedding-host" "$work/Sources/Whereabouts" "$work/Whereabouts.bundle/Contents/Linux"
cat > "$work/Package.swift" << EOF
// swift-tools-version: 6.3
import PackageDescription

let shared: [Target.Dependency] = [
    .product(name: "PluginHost", package: "PluginHost"), .product(name: "DemoAPI", package: "DemoAPI"),
]
let package = Package(
    name: "Embedding",
    products: [.library(name: "Whereabouts", type: .dynamic, targets: ["Whereabouts"])],
    dependencies: [
        .package(name: "PluginHost", path: "$here"), .package(name: "DemoAPI", path: "$here/Examples/DemoAPI"),
    ],
    targets: [
        .executableTarget(name: "embedding-host", dependencies: shared),
        .target(name: "Whereabouts", dependencies: shared),
    ],
    swiftLanguageModes: [.v6]
)
EOF
cat > "$work/Sources/Whereabouts/Whereabouts.swift" << 'EOF'
import DemoAPI
import Glibc
public import PluginABI

/// Replaces a text by the process that runs this code, and by its program.
final class Whereabouts: TextFilter {
    init(context: PluginContext) {}

    func filter(_ passage: String) -> String {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        return "\(getpid()) \(String(decoding: path.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    }
}

@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { $0.provide(.textFilter, named: "whereabouts", Whereabouts.init) }
}
EOF
cat > "$work/Sources/embedding-host/main.swift" << 'EOF'
import DemoAPI
import Foundation
import PluginHost

// No word about workers: Info.plist of the plug-in demands one.
print("main \(getpid())")
let bundle = try PluginBundle.open(path: CommandLine.arguments[1])
for provider in try bundle.providers(of: .textFilter) { print("plug-in \(try provider.make().filter(""))") }
EOF
cat > "$work/Whereabouts.bundle/Contents/Info.plist" << 'EOF'
{
    CFBundleIdentifier = "org.example.Whereabouts";
    NSExecutable = Whereabouts;
    PHExecution = isolated;
    PHFactories = ({ name = whereabouts; extensionPoint = "org.example.text-filter"; version = 2; });
}
EOF

for product in embedding-host Whereabouts; do
    swift build --quiet --package-path "$work" --scratch-path .build --product "$product"
done
cp .build/debug/libWhereabouts.so "$work/Whereabouts.bundle/Contents/Linux/Whereabouts"

said=$(cd "$work" && "$here/.build/debug/embedding-host" Whereabouts.bundle)
[[ $said =~ ^"main "([0-9]+)$'\n'"plug-in "([0-9]+)" "([^$'\n']+)$ ]] || fail "the application printed: $said"
[ "${BASH_REMATCH[1]}" != "${BASH_REMATCH[2]}" ] || fail "the plug-in ran in the application's process"
[ "${BASH_REMATCH[3]}" = "$(realpath .build/debug/embedding-host)" ] ||
    fail "the worker is not the application's own executable, but ${BASH_REMATCH[3]}"
for _ in {1..100}; do
    kill -0 "${BASH_REMATCH[2]}" 2> /dev/null || break
    sleep 0.1
done
! kill -0 "${BASH_REMATCH[2]}" 2> /dev/null || fail "the worker outlives the application"
echo "test-embedding: the plug-in ran in a process of its own, which the application's executable started"
