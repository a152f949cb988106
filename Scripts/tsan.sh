#!/bin/sh
# Runs the tests under the thread sanitiser: the library's own, and those that load plug-ins from many threads.
set -eu
cd "$(dirname "$0")/.."

# A report must fail the run, also where a test only forks or exits.
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
# What the fixtures' compiler is told, so that what they link fits.
export FIXTURE_FLAGS="-sanitize=thread"

# See Sources/PluginHost/Locking/Lock.swift.
sanitize="--sanitize=thread -Xswiftc -DTHREAD_SANITIZER"
# Left out are the tests that read hundreds of thousands of damaged files on one thread, and those that measure the memory
# and the time of one reader, which the sanitiser multiplies; and the one that limits the size of files, in which the
# sanitiser keeps its own memory.
swift test $sanitize --scratch-path .build-tsan --skip Mutation --skip Damage --skip BudgetFaults "$@"
swift test $sanitize --scratch-path .build-tsan-all --package-path Tests/Integration --filter LoadingTests \
    --skip fault286_aReport "$@"
