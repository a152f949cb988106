#!/bin/sh
# Prints the version of the library, or a form of it. Only LibraryVersion.swift contains the version.
#
#   Scripts/version.sh            0.1.0-dev
#   Scripts/version.sh debian     0.1.0~dev: in Debian's order a development version comes before its release
#   Scripts/version.sh interface  0.1-swift6.3.1: the version in the soname, see docs/installing.md
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "version: $1" >&2
    exit 2
}

file=Sources/HostBasics/Versions/LibraryVersion.swift
version=$(sed -n 's/.*PluginVersion(reading: "\(.*\)").*/\1/p' $file)
echo "$version" | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?' || fail "$file has no version such as 0.1.0 or 0.1.0-dev."

case ${1:-} in
'') echo "$version" ;;
debian) echo "$version" | sed 's/-/~/' ;;
interface)
    # “swift-6.3.1-RELEASE” gives 6.3.1. The tag of a snapshot is kept as a whole, because snapshots are not compatible.
    tag=$(swiftc -print-target-info 2>/dev/null | sed -n 's/.*"swiftCompilerTag": "\(.*\)".*/\1/p')
    [ -n "$tag" ] || tag=$(swiftc --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
    [ -n "$tag" ] || fail "there is no swiftc in PATH that states its version."
    compiler=$(echo "$tag" | tr '[:upper:]' '[:lower:]' | sed 's/^swift-//; s/-release$//; s/[^a-z0-9.+]/./g')
    echo "$version" | sed "s/^\([0-9]*\.[0-9]*\).*/\1-swift$compiler/"
    ;;
*) fail "“$1” is not known: debian or interface." ;;
esac
