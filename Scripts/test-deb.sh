#!/bin/bash
# Installs the packages of build/deb in a fresh root file system of Debian that has no compiler: “make test-deb”. Loads
# plug-ins there that were compiled with only the installed header and modules. Then removes the packages.
#
#   Scripts/test-deb.sh [--keep]
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-deb.XXXXXX")
if [ "${1:-}" = --keep ]; then echo "test-deb: the directory is $work"; else trap 'rm -rf "$work"' EXIT; fi
root=$work/root

fail() {
    echo "test-deb: $1" >&2
    exit 1
}

inside() { Scripts/debian-root.sh run "$root" "$@"; }

Scripts/debian-root.sh make "$root"
for program in swiftc swift cc gcc clang; do
    ! inside sh -c "command -v $program" > /dev/null || fail "the root file system has $program: it is not fresh"
done

echo "test-deb: plug-ins, compiled with what the packages have"
for package in build/deb/libpluginhost*.deb; do dpkg-deb -x "$package" "$work/developer"; done
machine=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
PKG_CONFIG_SYSROOT_DIR=$work/developer PKG_CONFIG_PATH=$work/developer/usr/lib/$machine/pkgconfig \
    Scripts/installed-plugins.sh "$work/made"

dpkg-deb -x build/deb/pluginhost_*.deb "$work/command"
Scripts/pages.py check "$work/command/usr/share/doc/pluginhost" || fail "the pages of the package lack something"

echo "test-deb: installing"
mkdir "$root/packages" "$root/made"
cp build/deb/*.deb "$root/packages"
cp -R "$work/made"/*.bundle "$work/made/host-packaged" "$root/made"
inside sh -c 'dpkg -i /packages/*.deb' > "$work/dpkg.log" 2>&1 || fail "dpkg refuses the packages: $(cat "$work/dpkg.log")"
[ "$(inside pluginhost --version | head -n 1)" = "pluginhost $(Scripts/version.sh)" ] || fail "the command does not start"
inside pluginhost load /made/Twice.bundle /made/Loud.bundle > "$work/loaded" || fail "loading fails: $(cat "$work/loaded")"
grep -q "function  *twice" "$work/loaded" && grep -q "Loud.Loud" "$work/loaded" ||
    fail "the plug-ins register nothing: $(cat "$work/loaded")"
found=$(inside /made/host-packaged /made/Twice.bundle /made/Loud.bundle)
[ "$found" = "org.example.Twice C
org.example.Loud Swift" ] || fail "the application that uses the library's package says: $found"

echo "test-deb: the staged demonstration"
.build-all/release/pluginhost stage .build-all/release/demo-host --plugins build/Plugins --output "$root/opt/demo" \
    > "$work/staged" || fail "the demonstration cannot be staged: $(cat "$work/staged")"
cp README.md "$root/made"
inside /opt/demo/bin/demo-host --plugins /opt/demo/lib/demo-host/plugins --output /made/report.html /made/README.md \
    > "$work/printed" || fail "the staged demonstration fails: $(cat "$work/printed")"
grep -q "</html>" "$root/made/report.html" || fail "the staged demonstration writes no report"

echo "test-deb: plug-ins in processes of their own"
chmod 755 "$work"
mkdir "$root/made/api" "$root/made/samples"
cp .build-all/release/libDemoAPI.so "$root/made/api"
ln -s "/usr/lib/$machine/libPluginHost.so.$(Scripts/version.sh interface)" "$root/made/api/libPluginHost.so"
cp -R build/Plugins/*.bundle "$root/made/samples"
cp Scripts/confined-samples.sh "$root/made"
inside bash /made/confined-samples.sh demo /opt/demo /made/README.md
inside bash -c '/made/confined-samples.sh bundles /usr/bin/pluginhost /made/host-packaged "" /made/*.bundle'
inside bash -c '/made/confined-samples.sh bundles /usr/bin/pluginhost /made/host-packaged /made/api \
    /made/samples/*.bundle /made/*.bundle'

echo "test-deb: removing"
inside sh -c 'dpkg --purge $(dpkg-query -W -f "\${Package} " "*pluginhost*")' > "$work/dpkg.log" 2>&1 ||
    fail "dpkg does not remove the packages: $(cat "$work/dpkg.log")"
left=$(find "$root/usr" -iname '*pluginhost*')
[ -z "$left" ] || fail "the packages leave: $left"
echo "test-deb: the packages install, work and go on Debian without a compiler"
