#!/bin/bash
# Installs the library, the command pluginhost, and everything that is needed to build against the library; or removes them:
# “make install” and “make uninstall”. docs/installing.md lists the files and gives the reasons for their places.
#
#   Scripts/install.sh install|uninstall PRODUCTS
#
# PRODUCTS is the directory with the package manager's products. The environment has PREFIX, DESTDIR and LIBDIR. The library
# and the command are linked again from the object files of the build, so the compiled code is the code that the tests ran.
# Why: only the linker sets a soname and another search path without moving parts of a finished file.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
action=${1:-}
products=$(realpath -m "${2:-$here/.build-all/release}")

fail() {
    echo "install: $1" >&2
    exit 2
}

prefix=${PREFIX:-/usr/local}
[[ $prefix == /* ]] || fail "PREFIX must be an absolute path, and is “$prefix”."
prefix=${prefix%/}
root=${DESTDIR:-}
root=${root%/}
if [ -z "${LIBDIR:-}" ]; then
    LIBDIR=$prefix/lib
    # The same rule as CMake's GNUInstallDirs: Debian's packages use a directory for each architecture, /usr/local does not.
    if [ "$prefix" = /usr ] && triplet=$(gcc -print-multiarch 2>/dev/null || dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null)
    then
        LIBDIR=$prefix/lib/$triplet
    fi
fi
[[ $LIBDIR == /* ]] || fail "LIBDIR must be an absolute path, and is “$LIBDIR”."
bin=$prefix/bin
# Where the library looks for its worker program.
libexec=$(dirname "$LIBDIR")/libexec/pluginhost
include=$prefix/include/pluginhost
# The library as a package for the package manager, with which “pluginhost new” makes projects.
package=$LIBDIR/pluginhost/PluginHost
manual=$prefix/share/man/man1
pages=$prefix/share/doc/pluginhost
if [ "$prefix" = /usr ]; then
    # The directories for packages of a distribution. site-functions and completions.d are for the administrator.
    zsh=$prefix/share/zsh/vendor-completions
else
    zsh=$prefix/share/zsh/site-functions
fi
bash=$prefix/share/bash-completion/completions
fish=$prefix/share/fish/vendor_completions.d

version=$("$here/Scripts/version.sh")

# The files of this version for any compiler, so that an uninstall needs neither a build nor a compiler.
uninstall() {
    local interface=${version%.*}
    rm -f "$root$LIBDIR/libPluginHost.so" "$root$LIBDIR/libPluginHost.so.$interface-swift"* \
        "$root$LIBDIR/pkgconfig/pluginhost.pc" "$root$LIBDIR/pkgconfig/pluginhost-plugin.pc" \
        "$root$bin/pluginhost" "$root$libexec/pluginhost-worker" "$root$manual/pluginhost.1" "$root$manual/pluginhost-"*.1 \
        "$root$bash/pluginhost" "$root$zsh/_pluginhost" "$root$fish/pluginhost.fish" "$root$pages"/*.md
    rm -rf "$root$pages/articles" "$root$LIBDIR/pluginhost/modules" "$root$LIBDIR/pluginhost/$interface-swift"* "$root$include" \
        "$root$package"
    rmdir "$root$LIBDIR/pluginhost" 2>/dev/null || true
    rmdir "$root$pages" 2>/dev/null || true
    rmdir "$root$libexec" "$root${libexec%/*}" 2>/dev/null || true
}

if [ "$action" = uninstall ]; then
    uninstall
    exit 0
fi
[ "$action" = install ] || fail "usage: Scripts/install.sh install|uninstall PRODUCTS"

for file in PluginHost.product/Objects.LinkFileList pluginhost.product/Objects.LinkFileList \
    pluginhost-worker.product/Objects.LinkFileList Modules/PluginHost.swiftmodule pluginhost; do
    [ -e "$products/$file" ] || fail "there is no $products/$file. Run first: make tool"
done
# The library's name contains the compiler's version, and the link adds code of that compiler's runtime.
[ "$(cat "$products"/swift-version-*.txt)" = "$(swiftc --version 2>/dev/null)" ] ||
    fail "another compiler than the swiftc in PATH made $products. Run: make clean tool"
interface=$("$here/Scripts/version.sh" interface)
target=$(swiftc -print-target-info | sed -n 's/.*"moduleTriple": "\(.*\)".*/\1/p')
runtime=$(swiftc -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["paths"]["runtimeLibraryPaths"][0])')
[ -e "$runtime/libswiftCore.so" ] || fail "the Swift runtime is not in $runtime, where swiftc says that it is."

work=$(mktemp -d "${TMPDIR:-/tmp}/pluginhost-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
private=pluginhost/$interface
soname=libPluginHost.so.$interface

# Debug information is removed, because it names folders of the build. A debugger finds it in the build.
link() {
    swiftc -no-toolchain-stdlib-rpath -Xlinker --gc-sections -Xlinker --build-id=sha1 -Xlinker --strip-debug "$@"
}
# The object files of a product, without the descriptions of modules for debuggers, which name folders of the build too.
objects() {
    grep -v '\.swiftmodule\.o$' "$products/$1.product/Objects.LinkFileList" > "$work/$1.objects"
    echo "@$work/$1.objects"
}
link -emit-library -module-name PluginHost -o "$work/$soname" "$(objects PluginHost)" \
    -lffi -ldl -lstdc++ -Xlinker -soname="$soname" -Xlinker -rpath="\$ORIGIN/$private"
ln -s "$soname" "$work/libPluginHost.so"
# The command finds the runtime by its own search path, because the library's search path is only for what the library needs.
# If the library is in /usr/lib, the dynamic linker finds it there.
fromBin=$(realpath -m --relative-to="$bin" "$LIBDIR")
search="\$ORIGIN/$fromBin/$private"
[ "$prefix" = /usr ] || search="\$ORIGIN/$fromBin:$search"
link -emit-executable -module-name pluginhost -o "$work/pluginhost" \
    "$(objects pluginhost)" -L"$work" -lPluginHost \
    -Xlinker --defsym -Xlinker main=pluginhost_main -Xlinker -rpath="$search"
fromLibexec=$(realpath -m --relative-to="$libexec" "$LIBDIR")
link -emit-executable -module-name pluginhost_worker -o "$work/pluginhost-worker" \
    "$(objects pluginhost-worker)" -L"$work" -lPluginHost \
    -Xlinker --defsym -Xlinker main=pluginhost_worker_main \
    -Xlinker -rpath="\$ORIGIN/$fromLibexec:\$ORIGIN/$fromLibexec/$private"

needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'; }
# The parts of the runtime that the library and the command need, directly or not. A process shares them, so they are in one
# directory.
parts=()
queue=("$work/$soname" "$work/pluginhost" "$work/pluginhost-worker")
while [ ${#queue[@]} -gt 0 ]; do
    file=${queue[0]}
    queue=("${queue[@]:1}")
    for name in $(needed "$file"); do
        [ -e "$runtime/$name" ] || continue
        [[ " ${parts[*]} " == *" $name "* ]] && continue
        parts+=("$name")
        queue+=("$runtime/$name")
    done
done

mkdir "$work/man"
"$here/Scripts/pages.py" copy "$work/pages"
"$here/Scripts/manual.py" "$products/pluginhost" "$work/man"
# A shell reads this file and does not run it, so the file does not need a #! line.
for shell in bash zsh fish; do
    "$products/pluginhost" --generate-completion-script $shell | sed '1{/^#!/d}' > "$work/completion.$shell"
done

# The files of an earlier installation, which may differ from the new ones.
uninstall

put() { # MODE DIRECTORY FILE… [as NAME]
    local mode=$1 directory=$root$2
    shift 2
    mkdir -p "$directory"
    if [ "${2:-}" = as ]; then
        install -m "$mode" "$1" "$directory/$3"
    else
        install -m "$mode" -t "$directory" "$@"
    fi
}

put 644 "$LIBDIR" "$work/$soname"
ln -sf "$soname" "$root$LIBDIR/libPluginHost.so"
for part in "${parts[@]}"; do put 644 "$LIBDIR/$private" "$runtime/$part"; done
put 755 "$bin" "$work/pluginhost"
put 755 "$libexec" "$work/pluginhost-worker"

# C and C++ authors include headers that need no others. Compilers that read the Swift modules also need those of the shims
# and of CSandbox.
for header in "$here/Sources/CPluginSupport/include"/*.h*; do
    case $header in
    *_shims.h) put 644 "$include/shims" "$header" ;;
    *) put 644 "$include" "$header" ;;
    esac
done
put 644 "$include/sandbox" "$here/Sources/CSandbox/include"/*.h
{
    sed 's|header "\(.*_shims\.h\)"|header "shims/\1"|' "$here/Sources/CPluginSupport/include/module.modulemap"
    sed 's|header "|header "sandbox/|' "$here/Sources/CSandbox/include/module.modulemap"
} > "$work/module.modulemap"
put 644 "$include" "$work/module.modulemap"

# The rooms below PluginHost are no API, but the compiler needs them for the layout of PluginHost's types. Textual interfaces are not
# installed: another compiler would accept them, and the host would refuse the compiled plug-in only when it loads it.
for module in PluginHost PluginABI PropertyLists HostBasics HostLogging InterfaceRecords BundleReading ForeignCalls ELFImages DependencyResolution \
    NibReading SettingsReading PluginWorkers HostRecords CatalogIndexing; do
    for kind in swiftmodule swiftdoc; do
        put 644 "$LIBDIR/pluginhost/modules/$module.swiftmodule" "$products/Modules/$module.$kind" as "$target.$kind"
    done
done

packageFile() { # NAME DESCRIPTION LIBS
    cat << END
prefix=$prefix
libdir=${LIBDIR/#$prefix\//\$\{prefix\}/}
includedir=\${prefix}/include/pluginhost
modulesdir=\${libdir}/pluginhost/modules
runtimedir=\${libdir}/$private
toolchain=${interface#*-swift}

Name: $1
Description: $2
Version: $version
Cflags: -I\${includedir} -I\${modulesdir}
END
    [ -z "$3" ] || echo "Libs: $3"
}
packageFile PluginHost "Loads plug-ins: for applications" "-L\${libdir} -lPluginHost" > "$work/pluginhost.pc"
packageFile "PluginHost (plug-ins)" "The headers and modules that plug-ins are compiled with; nothing to link" "" \
    > "$work/pluginhost-plugin.pc"
put 644 "$LIBDIR/pkgconfig" "$work/pluginhost.pc" "$work/pluginhost-plugin.pc"

# The package has the commands and the test kit as sources, and finds everything else by paths that begin at itself.
cp -R "$here/Packaging/package" "$work/package"
cp -R "$here/Sources/BundlePlugin" "$here/Sources/RemotePlugin" "$work/package"
cp -R "$here/Testing/Sources" "$work/package/Testing"
sed -i -e "s|@VERSION@|$version|; s|@LIBDIR@|$(realpath -m --relative-to="$package" "$LIBDIR")|" \
    -e "s|@INCLUDE@|$(realpath -m --relative-to="$package" "$include")|" \
    "$work/package/Package.swift" "$work/package/Library/pluginhost.pc"
(cd "$work/package" && find . -type f) | while read -r file; do
    put 644 "$package/$(dirname "${file#./}")" "$work/package/$file"
done

put 644 "$manual" "$work/man"/*.1
put 644 "$pages" "$work/pages"/*.md
put 644 "$pages/articles" "$work/pages/articles"/*.md
put 644 "$pages/articles/Resources" "$work/pages/articles/Resources"/*
put 644 "$bash" "$work/completion.bash" as pluginhost
put 644 "$zsh" "$work/completion.zsh" as _pluginhost
put 644 "$fish" "$work/completion.fish" as pluginhost.fish

if [ -z "$root" ] && [ "$(id -u)" = 0 ]; then ldconfig; fi
echo "install: PluginHost $version is in $root$prefix; the library is $LIBDIR/$soname"
