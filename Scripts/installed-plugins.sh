#!/bin/bash
# Compiles the plug-ins and the host of Tests/Installed against an installed library, outside of this checkout and without
# using it: the compilers get only the options that pkg-config prints. PKG_CONFIG_PATH is the place of the installation. If
# that is below a directory that stands in for /, PKG_CONFIG_SYSROOT_DIR and PKG_CONFIG_LIBDIR name it instead.
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
# The options with which distributions compile packages, and every warning is an error. Only the header is installed.
# shellcheck disable=SC2046
"$compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -fPIC -shared -Wl,-z,defs $(pkg-config --cflags pluginhost-plugin) \
    CPlugin/plugin.c -o "$folder/twice.so"
assemble Twice CPlugin/Info.plist "$folder/twice.so"

swift build -c release --package-path SwiftPlugin > "$folder/build.log" || { cat "$folder/build.log" >&2; exit 1; }
assemble Loud SwiftPlugin/Info.plist SwiftPlugin/.build/release/libLoud.so

# A developer's machine uses the toolchain's runtime; a package uses the runtime that is installed with the library. The
# program runs where the directory that stands in for / is /.
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
