#!/bin/bash
# Builds the packages for Debian in build/deb and checks them with lintian: “make deb”. The same commit, compiler and
# SOURCE_DATE_EPOCH give the same bytes. If SOURCE_DATE_EPOCH is not set, it is the time of the last commit.
#
#   Scripts/deb.sh
#
# DEBFULLNAME and DEBEMAIL name the maintainer of the packages, as for debchange(1).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
output=$here/build/deb
source=$output/source

Scripts/setup.sh packaging
interface=$(Scripts/version.sh interface)
version=$(Scripts/version.sh debian)
maintainer="${DEBFULLNAME:-PluginHost contributors} <${DEBEMAIL:-pluginhost@packages.debian.org}>"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

rm -rf "$output"
mkdir -p "$source"
cp -R Packaging/debian "$source/debian"
cd "$source/debian"
mv control.in control
# debhelper finds the files for a package by its name. The name of the library's package contains the interface version.
mv libpluginhost.install "libpluginhost$interface.install"
sed -i "s|@INTERFACE@|$interface|g; s|@MAINTAINER@|$maintainer|" control rules ./*.install
cat > changelog << END
pluginhost ($version) unstable; urgency=medium

  * See CHANGELOG.md of the project.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END

cd "$source"
# -d skips the check of build dependencies: the compiler of swift.org is not a package; Scripts/setup.sh installs the others.
if ! SOURCE=$here dpkg-buildpackage --build=binary --unsigned-changes --unsigned-buildinfo -d > "$output/build.log" 2>&1; then
    cat "$output/build.log" >&2
    echo "deb: dpkg-buildpackage failed" >&2
    exit 1
fi
lintian --fail-on error,warning --tag-display-limit 0 "$output"/*.changes
cd "$output"
echo "deb: in build/deb:"
du -h --apparent-size ./*.deb | sed 's|\./||'
