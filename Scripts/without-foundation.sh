#!/bin/sh
# Builds the library without the trait FullFoundation, and fails if it needs full Foundation.
set -eu
cd "$(dirname "$0")/.."
swift build --disable-default-traits --product PluginHost --scratch-path .build-essentials -debug-info-format none
needed=$(readelf -d .build-essentials/debug/libPluginHost.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$needed" | grep -q '^libswiftCore.so$' || { echo "without-foundation: readelf found no libraries" >&2; exit 1; }
if echo "$needed" | grep -qx 'libFoundation.so'; then
    echo "without-foundation: libPluginHost.so needs libFoundation.so without the trait FullFoundation" >&2
    exit 1
fi
echo "without-foundation: libPluginHost.so needs no full Foundation"
