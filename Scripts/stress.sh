#!/bin/sh
# Runs random operations of the library on many threads. Fuzz/Sources/stress has the operations and the checks.
#
#   stress.sh [thread|address] [OPTION...]
#
# Without a sanitiser it uses the build folder of “make build”, otherwise a folder of its own. The options are those of
# the program.
set -eu
cd "$(dirname "$0")/.."

sanitizer=
case ${1:-} in
thread | address)
    sanitizer=$1
    shift
    ;;
esac
scratch=.build-all
set_up=
case $sanitizer in
thread)
    scratch=.build-stress-thread
    # See Sources/HostBasics/Threads/Lock.swift, and Bounds in Fuzz/Sources/stress/Figures.swift.
    set_up="--sanitize=thread -Xswiftc -DTHREAD_SANITIZER"
    export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
    ;;
address)
    scratch=.build-stress-address
    set_up="--sanitize=address -Xswiftc -DADDRESS_SANITIZER"
    # Keep freed memory for a while, to notice later uses of it; a small amount is enough.
    export ASAN_OPTIONS="quarantine_size_mb=16 detect_leaks=0 ${ASAN_OPTIONS:-}"
    ;;
esac
samples="pluginhost Reporter Typography Charts Checksum Template"
# A load compares the first bytes of the file with those of the image, including notes. In a plug-in that is built with
# the address sanitiser, these are variables with gaps between them, and the sanitiser reports reading the gaps.
if [ "$sanitizer" = address ]; then
    samples=
    set -- --products /nonexistent "$@"
fi
# One by one: the package manager takes one product at a time.
for product in stress $samples; do
    # shellcheck disable=SC2086
    swift build --package-path Tests/Integration --scratch-path "$scratch" -c release $set_up --product "$product"
done
exec "$scratch/release/stress" "$@"
