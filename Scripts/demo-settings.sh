#!/bin/sh
# Shows settings of a sample plug-in: Scripts/demo-settings.sh PRODUCTS BUNDLES DOCUMENT…
#
# Changes two settings of Charts in a directory of its own, not the user's, and writes the report with Charts in the
# application's process, isolated and sandboxed. Then sets one for a single run, and writes the page of all settings.
set -eu
products=$1 bundles=$2
shift 2
export XDG_CONFIG_HOME="$PWD/build/configuration"
rm -rf "$XDG_CONFIG_HOME"

settings() { DEMO_HOST_PLUGIN_PATH="$PWD/$bundles" "$products/pluginhost" settings "$@" --application demo-host; }
report() {
    file=build/settings-$1.html
    shift
    "$products/demo-host" --plugins "$bundles" --output "$file" "$@" >build/settings.log ||
        { cat build/settings.log >&2; exit 1; }
    # All but the line with the time.
    grep -v 'class="date"' "$file" >"$file.same"
}

echo
echo "Charts has settings:"
report usual "$@"
settings set org.example.Charts order smallest
settings set org.example.Charts numbers no
settings list org.example.Charts
report in-process "$@"
report isolated --isolate "$@"
report sandboxed --isolate=sandboxed "$@"
cmp build/settings-in-process.html.same build/settings-isolated.html.same
cmp build/settings-in-process.html.same build/settings-sandboxed.html.same
if cmp -s build/settings-usual.html.same build/settings-in-process.html.same; then
    echo "The settings have changed nothing in the report." >&2
    exit 1
fi
report run --setting org.example.Charts.numbers=yes --isolate=sandboxed "$@"
if cmp -s build/settings-run.html.same build/settings-in-process.html.same; then
    echo "The setting of one run has changed nothing in the report." >&2
    exit 1
fi
"$products/demo-host" --plugins "$bundles" --settings build/settings.html
rm -f build/settings-*.html.same build/settings.log
echo "In build/settings-in-process.html the bars begin with the smallest, without numbers. It is the same with Charts in a"
echo "process of its own, isolated or sandboxed. build/settings-run.html has the numbers again, by --setting, for one run."
