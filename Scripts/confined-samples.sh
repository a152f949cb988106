#!/bin/bash
# Runs plug-ins of an installed or staged application in processes of their own. It is part of “make test-install”,
# “make test-stage” and “make test-deb”, and uses nothing of the checkout, so that it runs in another root file system too.
# Root runs everything as an ordinary user, too; its own confined processes have the user nobody.
#
#   Scripts/confined-samples.sh demo FOLDER DOCUMENT
#       the staged demonstration: each report is the same, wherever the plug-ins run, in each language
#   Scripts/confined-samples.sh bundles COMMAND HOST LIBRARIES BUNDLE…
#       the installed command and a host of Tests/Installed load and try each bundle. LIBRARIES is a folder for
#       LD_LIBRARY_PATH, or empty
set -euo pipefail

work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-confined.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
users=(self)
[ "$(id -u)" != 0 ] || users+=(nobody)

fail() {
    echo "confined-samples: $1" >&2
    exit 1
}

# Runs a command as a user who has only an empty home directory.
as() { # USER VARIABLE=VALUE… COMMAND…
    local change=() home=$work/$1
    if [ "$1" = nobody ]; then change=(setpriv "--reuid=$(id -u nobody)" "--regid=$(id -g nobody)" --clear-groups); fi
    if [ ! -d "$home" ]; then
        mkdir "$home"
        if [ "$1" = nobody ]; then chown nobody "$home"; fi
    fi
    shift
    (cd "$home" && "${change[@]}" env -i PATH=/usr/bin:/bin HOME="$home" TMPDIR=/tmp LC_ALL=C.UTF-8 "$@")
}

action=$1
shift
case $action in
demo)
    demo=$1
    cp "$2" "$work/document.md"
    for user in "${users[@]}"; do
        for language in en fr; do
            for execution in in-process isolated sandboxed; do
                report=$work/$user/$language-$execution.html
                as "$user" LANGUAGE=$language LC_ALL=$language "$demo/bin/demo-host" \
                    --plugins "$demo/lib/demo-host/plugins" "--isolate=$execution" --output "$report" \
                    "$work/document.md" > "$work/said" 2>&1 ||
                    fail "as $user, in $language, $execution, the demonstration fails: $(cat "$work/said")"
                # The line with the time differs. Not by /dev/fd, which another root file system need not have.
                grep -v 'class="date"' "$report" > "$report.text"
                diff "$work/$user/$language-in-process.html.text" "$report.text" > "$work/difference" ||
                    fail "as $user, in $language, the report is another one $execution: $(cat "$work/difference")"
            done
        done
    done
    ;;
bundles)
    command=$1 host=$2 libraries=$3
    shift 3
    variables=(LANGUAGE=fr)
    [ -z "$libraries" ] || variables+=("LD_LIBRARY_PATH=$libraries")
    for user in "${users[@]}"; do
        for bundle in "$@"; do
            as "$user" "${variables[@]}" "$command" load "$bundle" > "$work/said" 2>&1 ||
                fail "as $user, $bundle does not load: $(cat "$work/said")"
            # A bundle without code has nothing that could be isolated.
            [ -d "$bundle/Contents/Linux" ] || continue
            as "$user" "${variables[@]}" "$command" probe "$bundle" > "$work/said" 2>&1 ||
                fail "as $user, the probe of $bundle fails: $(cat "$work/said")"
            for execution in isolated sandboxed; do
                as "$user" "${variables[@]}" "$command" load "--$execution" "$bundle" > "$work/said" 2>&1 ||
                    fail "as $user, $bundle does not load $execution: $(cat "$work/said")"
            done
            for execution in in-process isolated sandboxed; do
                for probed in "" --probed; do
                    found=$(as "$user" "${variables[@]}" "$host" "--$execution" $probed "$bundle" 2>&1)
                    [[ $found == *" $execution" ]] || fail "as $user, a host ($execution $probed) of $bundle says: $found"
                done
            done
        done
    done
    ;;
*) fail "“$action” is not known: demo or bundles." ;;
esac
