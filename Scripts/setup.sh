#!/bin/sh
# Makes sure that the build has what it needs: a Swift toolchain and libffi's header and library.
set -eu

fail() {
    echo "setup: $1" >&2
    exit 2
}

command -v swift >/dev/null 2>&1 || fail "there is no swift in PATH. Install Swift 6.3 or later for your distribution."

# The compiler's own answer: the header may stand in any of its directories.
has_libffi() {
    printf '#include <ffi.h>\nint main(void) { return ffi_type_void.type; }\n' |
        "$(compiler)" -x c - -lffi -o /dev/null 2>/dev/null
}

compiler() {
    if command -v clang >/dev/null 2>&1; then
        command -v clang
    else
        echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang"
    fi
}

has_libffi && exit 0
command -v apt-get >/dev/null 2>&1 || fail "libffi is missing. Install its development package (libffi-devel, libffi)."

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=sudo
else
    fail "libffi-dev is missing. Run: sudo apt-get install libffi-dev"
fi
echo "setup: installing libffi-dev with apt-get" >&2
export DEBIAN_FRONTEND=noninteractive
if ! $as_root apt-get install -y --no-install-recommends libffi-dev >&2; then
    # A new machine may have no package lists yet.
    $as_root apt-get update >&2 && $as_root apt-get install -y --no-install-recommends libffi-dev >&2 ||
        fail "apt-get could not install libffi-dev. Run: sudo apt-get update && sudo apt-get install libffi-dev"
fi
has_libffi || fail "libffi-dev is installed, but the compiler does not find ffi.h or libffi."
