#!/bin/sh
# Makes sure that the build has what it needs: a Swift toolchain and libffi's header and library. With the argument
# “strace” it also needs a strace that works; with “shells”, the shells in which the tests complete command lines; with
# “packaging”, the programs that read and make installed files and packages; with “root”, what makes a root file system.
set -eu

fail() {
    echo "setup: $1" >&2
    exit 2
}

# Installs a package of Debian, or says how to.
install() {
    command -v apt-get >/dev/null 2>&1 || fail "$1 is missing. $2"
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=sudo
    else
        fail "$1 is missing. Run: sudo apt-get install $1"
    fi
    echo "setup: installing $1 with apt-get" >&2
    export DEBIAN_FRONTEND=noninteractive
    if ! $as_root apt-get install -y --no-install-recommends "$1" >&2; then
        # A new machine may have no package lists yet.
        $as_root apt-get update >&2 && $as_root apt-get install -y --no-install-recommends "$1" >&2 ||
            fail "apt-get could not install $1. Run: sudo apt-get update && sudo apt-get install $1"
    fi
}

if [ "${1:-}" = strace ]; then
    command -v strace >/dev/null 2>&1 || install strace "Install it with your distribution's package manager."
    strace -qq -o /dev/null true 2>/dev/null ||
        fail "strace may not trace here. In a container, start it with --cap-add=SYS_PTRACE;
elsewhere run: sudo sysctl kernel.yama.ptrace_scope=1"
    exit 0
fi

# Installs the packages of missing programs. Each argument is “program” or “program:package”.
programs() {
    for pair; do
        command -v "${pair%:*}" >/dev/null 2>&1 ||
            install "${pair#*:}" "Install it with your distribution's package manager."
    done
}

if [ $# -gt 0 ]; then
    for purpose; do
        case $purpose in
        shells) programs zsh fish ;;
        packaging)
            programs cc:gcc pkg-config readelf:binutils groff patchelf dpkg-buildpackage:dpkg-dev dh:debhelper lintian zstd ;;
        root) programs mmdebstrap ;;
        *) fail "“$purpose” is not known: strace, shells, packaging or root." ;;
        esac
    done
    exit 0
fi

command -v swift >/dev/null 2>&1 || fail "there is no swift in PATH. Install Swift 6.3 or later for your distribution."

# Ask the compiler, because the header may be in any of its directories.
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
install libffi-dev "Install its development package (libffi-devel, libffi)."
has_libffi || fail "libffi-dev is installed, but the compiler does not find ffi.h or libffi."
