#!/bin/bash
# Builds the documentation of the library as web pages, with nothing but the Swift toolchain. The compiler extracts the
# public symbols and their comments, and docc combines them with the articles of the catalogue. The build fails if docc
# warns of anything, such as a broken link, or if no topic lists a public symbol (Scripts/topics.py).
#
#   Scripts/docs.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."

fail() {
    echo "docs: $1" >&2
    exit 2
}

toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
docc=$toolchain/docc
[ -x "$docc" ] || docc=$(command -v docc) || fail "the toolchain in $toolchain has no docc. Install a toolchain of swift.org; \
some distributions leave docc out of theirs."
[ -e "$(dirname "$(readlink -f "$docc")")/../share/docc/render/index.html" ] ||
    fail "docc has no page template (share/docc/render beside its bin folder). Install a toolchain of swift.org."

# Only modules, without linking tests or products.
swift build --target PluginHost
modules=$(swift build --show-bin-path)/Modules
work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-docs.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/symbols"
target=$("$toolchain/swiftc" -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
for module in PluginHost PluginABI HostBasics HostLogging BundleReading ForeignCalls ELFImages NibReading SettingsReading PluginWorkers HostRecords CatalogIndexing; do
    swift symbolgraph-extract -module-name $module -target "$target" -I "$modules" \
        -Xcc "-fmodule-map-file=$PWD/Sources/CPluginSupport/include/module.modulemap" \
        -Xcc "-fmodule-map-file=$PWD/Sources/CSandbox/include/module.modulemap" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$work/symbols"
done
Scripts/reexported.py "$work/symbols"

cp -R Sources/PluginHost/PluginHost.docc "$work/PluginHost.docc"
Scripts/articles.py "$work/PluginHost.docc" "$work/symbols"
# The article about the C header ends with the headers themselves.
{
    for header in plugin_abi plugin_nib; do
        printf '\n```c\n'
        cat "Sources/CPluginSupport/include/$header.h"
        printf '```\n'
    done
} >> "$work/PluginHost.docc/TheCHeader.md"
Scripts/topics.py Sources/PluginHost/PluginHost.docc "$work/symbols"

rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
"$docc" convert "$work/PluginHost.docc" --additional-symbol-graph-dir "$work/symbols" \
    --fallback-display-name PluginHost --fallback-bundle-identifier org.pluginhost.PluginHost \
    --warnings-as-errors --output-dir "$folder"
# docc's own start page only says that there is no page.
cat > "$folder/index.html" <<'END'
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=documentation/pluginhost/">
<title>PluginHost</title>
<a href="documentation/pluginhost/">PluginHost</a>
<a href="tutorials/tutorials/">Your first plug-in</a>
END
echo "docs: The pages are in $folder. To read them:"
echo "docs:   python3 -m http.server --directory $folder 8000"
echo "docs: and open http://localhost:8000 in a browser. Any web server for plain files will do."
