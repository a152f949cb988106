#!/bin/bash
# Builds an application, its plug-in API and a plug-in as packages outside of the project that depend on a tagged copy
# of it by a git URL, and loads the plug-in. Then builds the application against a later version, whose PluginABI has a
# requirement and a stored property more, and loads the same plug-in file again.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-outside.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "outside: making a repository with the tags 0.1.0 and 0.2.0"
mkdir "$work/PluginHost"
(cd "$project" && git ls-files -z --cached --others --exclude-standard -- Package.swift Sources | tar --null -T - -cf -) |
    tar -xf - -C "$work/PluginHost"
cd "$work/PluginHost"
git init -q && git add -A
commit() { git -c user.name=outside -c user.email=outside@example.org commit -qm "$1" && git tag "$1"; }
commit 0.1.0
abi=Sources/PluginABI
sed -i 's|^    /// Makes an object\.$|    /// Added in 0.2.0.\n    func retire() -> String\n\n&|' $abi/Plugin.swift
printf 'extension Plugin {\n    public func retire() -> String { "retired by default" }\n}\n' >> $abi/Plugin.swift
sed -i 's|^    let services: any PluginContextServices$|    let addedLater = [1, 2, 3]\n&|' $abi/PluginContext.swift
git diff --quiet -- $abi/PluginContext.swift && { echo "outside: the later version was not made" >&2; exit 1; }
grep -q 'func retire() -> String$' $abi/Plugin.swift
git add -A && commit 0.2.0
repository="file://$work/PluginHost"

package() { # package NAME VERSION PRODUCTS TARGETS: writes a Package.swift that depends on the library and the API
    mkdir -p "$1/Sources/$5"
    cat > "$1/Package.swift" <<END
// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "$1", products: [$3],
    dependencies: [.package(url: "$repository", $2)$4],
    targets: [$6], swiftLanguageModes: [.v6])
END
}
library='.product(name: "PluginHost", package: "PluginHost")'
api='.product(name: "GreeterAPI", package: "GreeterAPI")'
api_package=', .package(path: "../GreeterAPI")'

cd "$work"
package GreeterAPI '"0.1.0"..<"1.0.0"' '.library(name: "GreeterAPI", type: .dynamic, targets: ["GreeterAPI"])' '' GreeterAPI \
    ".target(name: \"GreeterAPI\", dependencies: [$library])"
cat > GreeterAPI/Sources/GreeterAPI/Greeter.swift <<'END'
public import PluginABI

public protocol Greeter: Plugin {
    func greeting(for name: String) -> String
}

extension ExtensionPoint where Interface == any Greeter {
    public static var greeter: Self { .init("org.example.greeter") }
}
END

package Polite 'exact: "0.1.0"' '.library(name: "Polite", type: .dynamic, targets: ["Polite"])' "$api_package" Polite \
    ".target(name: \"Polite\", dependencies: [$library, $api])"
cat > Polite/Sources/Polite/Polite.swift <<'END'
import GreeterAPI
import PluginABI

final class Polite: Greeter {
    private let host: String
    init(context: PluginContext) throws { host = context.hostName }
    func greeting(for name: String) -> String { "Good day, \(name), from \(host)." }
}

@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.register(Polite.self)
        plugin.provide(.greeter, named: "polite", Polite.init)
    }
}
END

host() { # host NAME VERSION LAST-LINES
    package "$1" "$2" '' "$api_package" "$1" ".executableTarget(name: \"$1\", dependencies: [$library, $api])"
    cat > "$1/Sources/$1/main.swift" <<'END'
import GreeterAPI
import PluginABI
import PluginHost

HostEnvironment.current.name = "the outside"
do {
    let bundle = try PluginBundle.open(path: CommandLine.arguments[1])
    try bundle.preflight()
    for provider in try bundle.providers(of: .greeter) { print(try provider.make().greeting(for: "world")) }
    let principal = try bundle.makePrincipal(as: (any Greeter).self)
    print(principal.greeting(for: "principal"))
END
    echo "$3" >> "$1/Sources/$1/main.swift"
    echo '} catch { print("error: \(error)") }' >> "$1/Sources/$1/main.swift"
}
host Salon 'exact: "0.1.0"' ''
host LaterSalon 'exact: "0.2.0"' 'print(principal.retire())'

expect() { # expect TEXT COMMAND...
    local wanted=$1 found
    shift
    found=$("$@" 2>&1) || true
    [ "$found" = "$wanted" ] || { printf 'outside: %s printed\n%s\nand not\n%s\n' "$*" "$found" "$wanted" >&2; exit 1; }
}

for name in Polite Salon; do
    echo "outside: building $name against 0.1.0"
    swift build --package-path $name -q 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
done
mkdir -p Polite.bundle/Contents/Linux
cp Polite/.build/debug/libPolite.so Polite.bundle/Contents/Linux/Polite
cat > Polite.bundle/Contents/Info.plist <<'END'
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>org.example.Polite</string>
<key>NSExecutable</key><string>Polite</string>
</dict></plist>
END
greetings='Good day, world, from the outside.
Good day, principal, from the outside.'
expect "$greetings" Salon/.build/debug/Salon Polite.bundle
echo "outside: an application and a plug-in outside of the project agree on their types"

rm -rf Salon/.build Polite/.build
echo "outside: building LaterSalon against 0.2.0"
swift build --package-path LaterSalon -q 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
expect "$greetings
retired by default" LaterSalon/.build/debug/LaterSalon Polite.bundle
echo "outside: a plug-in built against 0.1.0 runs with PluginABI 0.2.0"
