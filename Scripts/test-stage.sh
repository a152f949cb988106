#!/bin/bash
# Stages the demonstration, and programs with one fault each, and then checks and runs the results: “make test-stage”.
# Scripts/test-deb.sh runs the staged demonstration on Debian without a compiler.
#
#   Scripts/test-stage.sh [--keep]
set -euo pipefail
cd "$(dirname "$0")/.."
products=$PWD/.build-all/release
tool=$products/pluginhost

work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-stage.XXXXXX")
if [ "${1:-}" = --keep ]; then echo "test-stage: the directory is $work"; else trap 'rm -rf "$work"' EXIT; fi

fail() {
    echo "test-stage: $1" >&2
    exit 1
}

stage() { # STATUS ARGUMENTS…
    local wanted=$1 status=0
    shift
    COLUMNS=2000 "$tool" stage "$@" > "$work/said" 2>&1 || status=$?
    [ "$status" = "$wanted" ] || fail "stage $* ends with $status and says: $(cat "$work/said")"
}

# The tool wraps its text, so line breaks count as spaces.
says() { tr -s ' \n' ' ' < "$work/said" | grep -qF -e "$1" || fail "“$1” is not in: $(cat "$work/said")"; }

bundle() { # NAME SHARED-OBJECT [INFO-LIST]
    mkdir -p "$work/$1.bundle/Contents/Linux"
    sed "s/Twice/$1/" "${3:-Tests/Installed/CPlugin/Info.plist}" > "$work/$1.bundle/Contents/Info.plist"
    cp "$2" "$work/$1.bundle/Contents/Linux/$1"
}

compiler=$(command -v cc || command -v clang)
shared() { # OUTPUT SOURCE ARGUMENTS…
    local output=$1 source=$2
    shift 2
    "$compiler" -fPIC -shared -ISources/CPluginSupport/include -x c "$source" -x none -o "$output" "$@"
}

echo "test-stage: the demonstration"
stage 0 "$products/demo-host" --plugins build/Plugins --output "$work/built"
says "libPluginHost.so"
says "libc.so.6"
# Moves the tree away from the place where it was made.
mv "$work/built" "$work/moved"
while read -r file; do
    readelf -hW "$file" > /dev/null 2>&1 || continue
    path=$(readelf -dW "$file" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/\2/p')
    [[ -z $path || $path =~ ^(:?\$ORIGIN[^:]*)+$ ]] || fail "$file has the search path $path"
done < <(find "$work/moved" -type f)
for file in "$work/moved/bin/demo-host" "$work/moved/lib"/*.so; do
    ldd "$file" | while read -r name arrow path _; do
        [ "$arrow" = "=>" ] || continue
        [[ $path == "$work/moved"/* || $path == /lib/* || $path == /usr/lib/* || $path == /lib64/* ]] ||
            fail "the staged $file gets $name from $path"
    done
done
for library in "$work/moved/lib"/*.so; do
    name=${library##*/}
    readelf -dW "$work/moved/bin/demo-host" "$work/moved/lib"/*.so "$work/moved/lib/demo-host/plugins"/*/Contents/Linux/* |
        grep "NEEDED.*\[$name\]" > /dev/null || fail "nothing needs $name"
done
env -i LC_ALL=fr_FR.UTF-8 LANGUAGE=fr "$work/moved/bin/demo-host" --plugins "$work/moved/lib/demo-host/plugins" \
    --output "$work/report.html" README.md > "$work/printed" || fail "the staged demonstration fails: $(cat "$work/printed")"
grep -q "Lecture de README.md" "$work/printed" || fail "the program does not find its resources: $(cat "$work/printed")"
env -i LC_ALL=fr_FR.UTF-8 LANGUAGE=fr "$products/demo-host" --plugins build/Plugins --output "$work/usual.html" README.md \
    > /dev/null
cmp "$work/usual.html" "$work/report.html" || fail "the staged demonstration writes another report"

echo "test-stage: the demonstration with its plug-ins in processes of their own"
# The workers of root have the user nobody.
chmod 755 "$work"
Scripts/confined-samples.sh demo "$work/moved" README.md

echo "test-stage: what is wrong"
stage 1 "$products/demo-host" --plugins build/Plugins --output "$work/moved"
says "exists"
stage 0 "$products/demo-host" --plugins build/Plugins --output "$work/moved" --replace
[ -z "$(find "$work" -maxdepth 1 -name '*.stage-*')" ] || fail "a temporary directory stays"

echo 'int gone(void) { return 1; }' > "$work/gone.c"
shared "$work/libgone.so" "$work/gone.c"
shared "$work/needy.so" Tests/Installed/CPlugin/plugin.c -L"$work" -Wl,--no-as-needed -lgone
mv "$work/libgone.so" "$work/elsewhere.so"
bundle Needy "$work/needy.so"
stage 1 "$tool" --plugins "$work/Needy.bundle" --output "$work/needy"
says "dependencyMissing"
says "Linux/Needy” needs the library “libgone.so”, which was not found"
[ ! -e "$work/needy" ] || fail "a directory with a missing library is made"

stage 2 "$products/none" --output "$work/none"
says "cannot be found"
stage 1 README.md --output "$work/none"
says "not an ELF file"
PATH=/nonexistent stage 1 "$products/demo-host" --output "$work/none"
says "apt-get install patchelf"

make --no-print-directory install PREFIX="$work/prefix" > /dev/null
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
# shellcheck disable=SC2046
swiftc -O -static-stdlib $(pkg-config --cflags --libs pluginhost) -Xlinker -rpath="$work/prefix/lib" \
    Tests/Installed/SwiftHost/main.swift -o "$work/static"
swiftc -O -emit-library -module-name Loud $(pkg-config --cflags pluginhost-plugin) \
    Tests/Installed/SwiftPlugin/Sources/Loud/Loud.swift -o "$work/loud.so"
bundle Loud "$work/loud.so" Tests/Installed/SwiftPlugin/Info.plist
stage 1 "$work/static" --plugins "$work/Loud.bundle" --output "$work/none"
says "duplicateABI"
says "has the Swift runtime linked into it"
# Such a host finds the plug-in, but its cast fails without a message.
found=$("$work/static" "$work/Loud.bundle")
[ "$found" = "org.example.Loud C" ] || fail "a host with a runtime of its own says “$found”: the page about shipping is wrong"

echo "test-stage: a host of an installed library, and a plug-in that names the one of the package manager"
# shellcheck disable=SC2046
swiftc -O $(pkg-config --cflags --libs pluginhost) -Xlinker -rpath="$work/prefix/lib" Tests/Installed/SwiftHost/main.swift \
    -o "$work/dynamic"
# shellcheck disable=SC2046
swiftc -O -emit-library -module-name Loud $(pkg-config --cflags pluginhost-plugin) -L"$products" -lPluginHost \
    Tests/Installed/SwiftPlugin/Sources/Loud/Loud.swift -o "$work/loud.so"
bundle Loud "$work/loud.so" Tests/Installed/SwiftPlugin/Info.plist
stage 0 "$work/dynamic" --plugins "$work/Loud.bundle" --output "$work/mixed"
make --no-print-directory uninstall PREFIX="$work/prefix"
found=$(env -i "$work/mixed/bin/dynamic" "$work/mixed/lib/dynamic/plugins/Loud.bundle")
[ "$found" = "org.example.Loud Swift" ] || fail "the mixture says “$found”"

echo "test-stage: libraries that only a plug-in needs"
mkdir "$work/libraries"
mv "$work/elsewhere.so" "$work/libraries/libgone.so"
shared "$work/bringer.so" Tests/Installed/CPlugin/plugin.c -L"$work/libraries" -Wl,--no-as-needed -lgone \
    -Wl,-rpath="$work/libraries"
bundle Bringer "$work/bringer.so"
stage 0 "$tool" --plugins "$work/Bringer.bundle" --output "$work/bringer" --with libffi.so.8
[ -e "$work/bringer/lib/libffi.so.8" ] || fail "--with does not copy the library"
rm -r "$work/libraries"
staged=$work/bringer/lib/pluginhost/plugins/Bringer.bundle
[ -e "$staged/Contents/Frameworks/libgone.so" ] || fail "the plug-in does not carry the library that it alone needs"
env -i "$work/bringer/bin/pluginhost" load "$staged" > "$work/said" 2>&1 || fail "it does not load: $(cat "$work/said")"
readelf -nW "$staged/Contents/Linux/Bringer" | grep "PluginHost" > /dev/null || fail "the plug-in lost its note"
echo "test-stage: what is staged runs elsewhere, and what is missing is named"
