#!/bin/bash
# Compiles the plug-ins and the host of Tests/Installed against an installed library, outside of this checkout and with
# nothing of it: what pkg-config states is all that they know. PKG_CONFIG_PATH says where it is installed, and where that is
# below a directory that plays the root, PKG_CONFIG_SYSROOT_DIR and PKG_CONFIG_LIBDIR do.
#
#   Scripts/installed-plugins.sh FOLDER
set -euo pipefail
sources=$(cd "$(dirname "$0")/../Tests/Installed" && pwd)
folder=$1
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cp -R "$sources" "$folder/sources"
cd "$folder/sources"

assemble() { # NAME INFO-LIST SHARED-OBJECT
    mkdir -p "$folder/$1.bundle/Contents/Linux"
    cp "$2" "$folder/$1.bundle/Contents/Info.plist"
    cp "$3" "$folder/$1.bundle/Contents/Linux/$1"
}

compiler=$(command -v cc || command -v clang)
# As a distribution's packages are compiled, and with every warning an error: the header is all that there is.
# shellcheck disable=SC2046
"$compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -fPIC -shared -Wl,-z,defs $(pkg-config --cflags pluginhost-plugin) \
    CPlugin/plugin.c -o "$folder/twice.so"
assemble Twice CPlugin/Info.plist "$folder/twice.so"

swift build -c release --package-path SwiftPlugin > "$folder/build.log" || { cat "$folder/build.log" >&2; exit 1; }
assemble Loud SwiftPlugin/Info.plist SwiftPlugin/.build/release/libLoud.so

# On the developer's machine the toolchain's runtime serves; a package names the one that comes with the library. The program
# runs where the directory that plays the root is the root.
within() { # VARIABLE
    local path
    path=$(pkg-config --variable="$1" pluginhost)
    echo "${path#"${PKG_CONFIG_SYSROOT_DIR:-}"}"
}
# shellcheck disable=SC2046
swiftc -O $(pkg-config --cflags --libs pluginhost) SwiftHost/main.swift -o "$folder/host"
# shellcheck disable=SC2046
swiftc -O $(pkg-config --cflags --libs pluginhost) SwiftHost/main.swift -o "$folder/host-packaged" \
    -no-toolchain-stdlib-rpath -Xlinker -rpath="$(within runtimedir)" -Xlinker -rpath="$(within libdir)"
