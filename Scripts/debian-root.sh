#!/bin/bash
# Unpacks a fresh root file system of Debian and runs a command in it. It has this machine's release, and only the essential
# packages and apt. It comes from the mirror that apt uses here, and is kept in build/debian-root.tar.
#
#   Scripts/debian-root.sh make FOLDER          unpacks it as FOLDER
#   Scripts/debian-root.sh run FOLDER COMMAND…  runs COMMAND with FOLDER as its root directory
set -euo pipefail
cd "$(dirname "$0")/.."
kept=build/debian-root.tar

fail() {
    echo "debian-root: $1" >&2
    exit 2
}

[ $# -ge 2 ] || fail "usage: Scripts/debian-root.sh make FOLDER | run FOLDER COMMAND…"
[ "$(id -u)" = 0 ] || fail "only root may change the root directory of a process, and this is user $(id -un). Run it with sudo."

make_kept() {
    local release mirror
    [ -e /etc/debian_version ] && release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}") && [ -n "$release" ] ||
        fail "this machine does not run a release of Debian, so nobody knows which one to fetch."
    mirror=$(apt-get indextargets --format '$(LABEL) $(COMPONENT) $(CODENAME) $(REPO_URI)' |
        sed -n "s/^Debian main $release //p" | head -n 1)
    [ -n "$mirror" ] || fail "apt has no lists of Debian $release on this machine. Run: apt-get update"
    mkdir -p build
    echo "debian-root: fetching Debian $release from $mirror; it is kept in $kept" >&2
    if ! mmdebstrap --quiet --variant=minbase --format=tar "$release" "$kept.new" "$mirror"; then
        rm -f "$kept.new"
        fail "mmdebstrap could not make a root file system of Debian $release from $mirror. Is the network reachable? \
The first run needs it."
    fi
    mv "$kept.new" "$kept"
}

action=$1 folder=$2
shift 2
case $action in
make)
    [ -e $kept ] || make_kept
    mkdir -p "$folder"
    # Not every container allows making devices, and nothing here needs the ones in the file.
    tar -C "$folder" --numeric-owner --exclude './dev/*' -xf $kept
    for device in null zero urandom; do : > "$folder/dev/$device"; done
    ;;
run)
    # The command has its own mount namespace, so that nothing stays mounted. Swift programs read their arguments from /proc.
    export PROBE=$folder
    unshare --mount true 2>/dev/null ||
        fail "this container may not make a mount namespace. Start it with --cap-add=SYS_ADMIN."
    exec unshare --mount --propagation private bash -euc '
        mount --rbind /proc "$PROBE/proc"
        for device in null zero urandom; do mount --bind "/dev/$device" "$PROBE/dev/$device"; done
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            chroot "$PROBE" "$@"' bash "$@"
    ;;
*) fail "“$action” is not known: make or run." ;;
esac
