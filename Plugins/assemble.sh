#!/bin/sh
# Puts the built sample plug-ins together as bundles.
#
#   assemble.sh BUILD_DIR OUT_DIR
#
# BUILD_DIR is where the package manager put lib<Name>.so (swift build --show-bin-path). For every directory beside
# this script that has an Info.plist, OUT_DIR/<Name>.bundle is written:
#
#   Contents/Info.plist
#   Contents/Linux/<Name>       the library, where the plug-in has code
#   Contents/Resources/
#
# A bundle is built beside its place and then renamed, so that a host never sees half of one. A bundle that would not
# change is left alone. Exits with 1 if a library is missing, 2 for wrong arguments.
set -eu

if [ $# -ne 2 ] || [ ! -d "$1" ]; then
    echo "usage: ${0##*/} BUILD_DIR OUT_DIR" >&2
    exit 2
fi
build=$1
out=$2
samples=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p -- "$out"

stage=
trap '[ -z "$stage" ] || rm -rf -- "$stage"' EXIT
trap 'exit 129' HUP INT TERM

for plist in "$samples"/*/Info.plist; do
    sample=${plist%/Info.plist}
    name=${sample##*/}
    bundle=$out/$name.bundle
    # On the same file system as the bundle, with a name that a scan of OUT_DIR does not take for a bundle.
    stage=$(mktemp -d -- "$out/.$name.XXXXXX")
    chmod 755 "$stage"
    mkdir -p "$stage/Contents"
    cp -- "$plist" "$stage/Contents/Info.plist"
    [ ! -d "$sample/Resources" ] || cp -R -- "$sample/Resources" "$stage/Contents/Resources"
    if [ -d "$sample/Sources" ]; then
        if [ ! -f "$build/lib$name.so" ]; then
            echo "${0##*/}: $build/lib$name.so is missing; build the product $name first." >&2
            exit 1
        fi
        mkdir "$stage/Contents/Linux"
        cp -- "$build/lib$name.so" "$stage/Contents/Linux/$name"
        chmod 755 "$stage/Contents/Linux/$name"
    fi
    if [ -d "$bundle" ] && diff -rq -- "$stage" "$bundle" >/dev/null; then
        rm -rf -- "$stage"
    else
        old=
        if [ -e "$bundle" ]; then
            old=$(mktemp -d -- "$out/.old.XXXXXX")
            mv -- "$bundle" "$old/"
        fi
        mv -- "$stage" "$bundle"
        [ -z "$old" ] || rm -rf -- "$old"
    fi
    stage=
done
