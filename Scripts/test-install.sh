#!/bin/bash
# Installs into an empty directory, and uses the installed files like a packager, a plug-in author and an application
# developer; then removes them: “make test-install”. It checks each claim of docs/installing.md about “make install”.
#
#   Scripts/test-install.sh [--keep]
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD

work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-installed.XXXXXX")
# Workers of root's tests run as nobody, and must reach the library.
chmod 755 "$work"
if [ "${1:-}" = --keep ]; then echo "test-install: the directory is $work"; else trap 'rm -rf "$work"' EXIT; fi
prefix=$work/prefix

fail() {
    echo "test-install: $1" >&2
    exit 1
}

make --no-print-directory install PREFIX="$prefix" > /dev/null
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
interface=$(Scripts/version.sh interface)
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")

echo "test-install: the files"
library=$prefix/lib/libPluginHost.so.$interface
[ "$(readlink "$prefix/lib/libPluginHost.so")" = "libPluginHost.so.$interface" ] || fail "the development link leads elsewhere"
readelf -dW "$library" | grep "SONAME.*\[libPluginHost.so.$interface\]" > /dev/null || fail "the soname is not libPluginHost.so.$interface"
while read -r file; do
    readelf -hW "$file" > /dev/null 2>&1 || continue
    path=$(readelf -dW "$file" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/\2/p')
    [ -z "$path" ] || echo "$path" | tr : '\n' | while read -r element; do
        [[ $element =~ ^\$ORIGIN(/|$) ]] || fail "$file is searched for libraries in “$element”, which is of this machine"
        [ -d "$(dirname "$file")${element#\$ORIGIN}" ] || fail "$file names “$element”, where there is no directory"
    done
    # Everything that it needs comes from the installed directory or the system.
    ldd "$file" | while read -r name arrow path _; do
        [ "$arrow" = "=>" ] || continue
        [[ $path == "$prefix"/* || $path == /lib/* || $path == /usr/lib/* || $path == /lib64/* || $path == "(0x"* ]] ||
            fail "$file gets $name from $path"
        [[ $path != "$toolchain"/* ]] || fail "$file gets $name from the toolchain, $path"
    done
done < <(find "$prefix" -type f)
for path in "$here" "$toolchain/"; do
    ! grep -rlF -e "$path" "$prefix" || fail "these files name $path, a folder of this machine"
done
[ "$(find "$prefix" -type d -name pluginhost -path '*/include/*' | wc -l)" = 1 ] || fail "there is no folder of headers"

echo "test-install: the worker program"
worker=$prefix/libexec/pluginhost/pluginhost-worker
said=$(env -i "$worker" 2>&1) && fail "the worker program runs by itself"
[[ $said == pluginhost-worker* ]] || fail "the worker program says: $said"
# By this note an application finds the runtime of a toolchain.
[[ $(readelf -nW "$worker") == *PluginHost* ]] || fail "the worker program has no note of its toolchain"

echo "test-install: pages and completions"
for command in "" $("$prefix/bin/pluginhost" help | sed -n '/^SUBCOMMANDS/,$ s/^  \([a-z][a-z-]*\) .*/-\1/p'); do
    page=$prefix/share/man/man1/pluginhost$command.1
    [ -s "$page" ] || fail "the command pluginhost$command has no manual page"
    said=$(LC_ALL=C.UTF-8 groff -man -Tutf8 -ww -z "$page" 2>&1)
    [ -z "$said" ] || fail "groff says of $page: $said"
    LC_ALL=C.UTF-8 groff -man -Tutf8 -P-cbou "$page" | grep "EXIT STATUS" > /dev/null || fail "$page has no exit status"
done
[ ! -e "$prefix/share/man/man1/pluginhost-load-in-child.1" ] || fail "a command that is hidden has a page"
Scripts/pages.py check "$prefix/share/doc/pluginhost" || fail "the pages in share/doc lack something"
bash -n "$prefix/share/bash-completion/completions/pluginhost"
zsh -n "$prefix/share/zsh/site-functions/_pluginhost"
fish -n "$prefix/share/fish/vendor_completions.d/pluginhost.fish"

echo "test-install: plug-ins and a host, in an empty directory"
Scripts/installed-plugins.sh "$work/made"
env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$prefix/bin/pluginhost" load "$work/made/Twice.bundle" "$work/made/Loud.bundle" \
    > "$work/loaded" || fail "the installed command does not load the plug-ins: $(cat "$work/loaded")"
grep -q "function  *twice" "$work/loaded" || fail "the plug-in in C registers nothing: $(cat "$work/loaded")"
grep -q "Loud.Loud" "$work/loaded" || fail "the plug-in in Swift registers nothing: $(cat "$work/loaded")"
found=$(LD_LIBRARY_PATH=$prefix/lib "$work/made/host" "$work/made/Twice.bundle" "$work/made/Loud.bundle")
[ "$found" = "org.example.Twice C
org.example.Loud Swift" ] || fail "the host that was compiled against the installed module says: $found"
# Linked as a packager does it: the file has no path of the toolchain.
! ldd "$work/made/host-packaged" | grep "$toolchain" > /dev/null || fail "a packaged host gets the runtime from the toolchain"
[ "$("$work/made/host-packaged" "$work/made/Loud.bundle")" = "org.example.Loud Swift" ] || fail "a packaged host does not run"
# The plug-ins run in a host with the library of another build, because they do not name this project's library.
for name in Twice Loud; do
    ! readelf -dW "$work/made/$name.bundle/Contents/Linux/$name" | grep "NEEDED.*PluginHost" > /dev/null ||
        fail "$name needs the library by its name"
    .build-all/release/pluginhost load "$work/made/$name.bundle" > /dev/null || fail "$name loads in the installed command only"
done

echo "test-install: the page about the first application, and a project of a plug-in"
Scripts/tutorials.py --installed "$prefix/bin"
(cd "$work" && "$prefix/bin/pluginhost" new Second > /dev/null)
PATH=$prefix/bin:$PATH swift test --package-path "$work/Second" > "$work/tested" 2>&1 || fail "its tests fail: $(cat "$work/tested")"
! grep -q "Compiling PluginHost" "$work/tested" || fail "a project of an installed pluginhost compiles the library"

echo "test-install: plug-ins in processes of their own"
# The libraries of the application are not among those of the command, so the user names them. The package manager linked them
# to the library by the name that is only for developers where it is installed.
mkdir "$work/api" "$work/samples"
cp -R build/Plugins/*.bundle "$work/samples"
cp .build-all/release/libDemoAPI.so "$work/api"
ln -s "$library" "$work/api/libPluginHost.so"
Scripts/confined-samples.sh bundles "$prefix/bin/pluginhost" "$work/made/host-packaged" "" "$work/made/"*.bundle
Scripts/confined-samples.sh bundles "$prefix/bin/pluginhost" "$work/made/host-packaged" "$work/api" \
    "$work/samples/"*.bundle "$work/made/"*.bundle

echo "test-install: a plug-in of another Swift toolchain"
# This toolchain by another name: the same bytes but for the name that the notes and the library have.
mkdir "$work/other"
cp -R "$prefix/lib" "$prefix/libexec" "$work/other"
cp -R "$work/made/Loud.bundle" "$work/Foreign.bundle"
mv "$work/Foreign.bundle/Contents/Linux/Loud" "$work/Foreign.bundle/Contents/Linux/Foreign"
sed -i 's/Loud</Foreign</' "$work/Foreign.bundle/Contents/Info.plist"
python3 - "$work/other/lib/libPluginHost.so.$interface" "$work/other/libexec/pluginhost/pluginhost-worker" \
    "$work/Foreign.bundle/Contents/Linux/Foreign" << 'END' || fail "the name of the toolchain is not in the files"
import re, sys
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    changed = re.sub(rb"Clang (\d+\.\d+\.\d+ \(https)", rb"Klang \1", data)
    assert changed != data, path
    open(path, "wb").write(changed)
END
load() { env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$prefix/bin/pluginhost" load --json "$work/Foreign.bundle" > "$work/loaded"; }
! load || fail "code of another toolchain is loaded into the command"
grep -q '"toolchainMismatch"' "$work/loaded" || fail "the missing runtime is not reported: $(cat "$work/loaded")"
# As docs/isolation.md says: the directory libexec/pluginhost of the other toolchain's prefix.
mkdir "$prefix/lib/pluginhost/runtimes"
ln -s "$work/other/libexec/pluginhost" "$prefix/lib/pluginhost/runtimes/other"
load || fail "the plug-in does not run in its runtime: $(cat "$work/loaded")"
grep -qF '"'"$work/other/libexec/pluginhost"'"' "$work/loaded" || fail "it does not say in which: $(cat "$work/loaded")"
rm -r "$prefix/lib/pluginhost/runtimes"

mv "$prefix" "$work/moved"
env -i "$work/moved/bin/pluginhost" load "$work/made/Loud.bundle" > "$work/loaded" ||
    fail "it does not work where it was moved to: $(cat "$work/loaded")"
mv "$work/moved" "$prefix"

echo "test-install: uninstall"
make --no-print-directory uninstall PREFIX="$prefix"
left=$(find "$prefix" ! -type d; find "$prefix" -name 'pluginhost*')
[ -z "$left" ] || fail "uninstall leaves: $left"
# For a packager: the same files below DESTDIR. None of them contains that path.
make --no-print-directory install PREFIX=/usr DESTDIR="$work/root" LIBDIR=/usr/lib/elsewhere > /dev/null
[ -e "$work/root/usr/lib/elsewhere/libPluginHost.so.$interface" ] || fail "LIBDIR is not obeyed"
! grep -rlF "$work" "$work/root" || fail "these files name DESTDIR"
mkdir "$work/elsewhere"
TMPDIR=$work/elsewhere make --no-print-directory install PREFIX=/usr DESTDIR="$work/again" LIBDIR=/usr/lib/elsewhere > /dev/null
diff -r "$work/root" "$work/again" || fail "two installations of one build differ"
make --no-print-directory uninstall PREFIX=/usr DESTDIR="$work/root" LIBDIR=/usr/lib/elsewhere
[ -z "$(find "$work/root" ! -type d)" ] || fail "uninstall with DESTDIR leaves files"
echo "test-install: everything that is installed is used and is removed"

echo "test-install: the library without the optimiser, and an application that is staged with it"
make --no-print-directory tool install CONFIGURATION=debug PREFIX="$prefix" > "$work/said" 2>&1 ||
    fail "it is not installed: $(cat "$work/said")"
! grep -rlF -e "$here" -e "$toolchain/" "$prefix" || fail "these files name a folder of this machine"
export PATH=$prefix/bin:$PATH
cd "$work"
{ pluginhost new --application Quick && cd Quick && swift package bundle; } > "$work/said" 2>&1 ||
    fail "its application is not built: $(cat "$work/said")"
# So that the text is in one line.
stage() { COLUMNS=2000 pluginhost stage .build/debug/quick --plugins .build/debug/Plugins --output "$1" > "$work/said"; }
stage "$work/unoptimised" || fail "it is not staged: $(cat "$work/said")"
grep -q "without the optimiser" "$work/said" || fail "nothing says that the staged library is not optimised: $(cat "$work/said")"
env -i "$work/unoptimised/bin/quick" > "$work/said" || fail "it does not run: $(cat "$work/said")"
# The optimised library takes its place, and nothing is built again.
make --no-print-directory -C "$here" install PREFIX="$prefix" > /dev/null
stage "$work/optimised" || fail "it is not staged again: $(cat "$work/said")"
! grep "without the optimiser" "$work/said" || fail "the optimised library is not there"
env -i "$work/optimised/bin/quick" | cmp - <(env -i "$work/unoptimised/bin/quick") || fail "the two staged programs differ"
