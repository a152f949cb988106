#!/bin/sh
# Runs the tests under the thread sanitiser: the library's own, and those that load plug-ins from many threads.
set -eu
cd "$(dirname "$0")/.."

# A report must fail the run, even if a test only forks or exits.
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
# Options for the fixtures' compiler, so that their code links with the sanitiser.
export FIXTURE_FLAGS="-sanitize=thread"

# See Sources/HostBasics/Threads/Lock.swift.
sanitize="--sanitize=thread -Xswiftc -DTHREAD_SANITIZER"
# Package.swift leaves out the tests of modules that know no thread, and those that start workers. These are left out too: those
# that read hundreds of thousands of damaged files; those that measure the memory and the time of one reader, which the sanitiser
# multiplies; and three that start workers beside tests that do not.
export PLUGINHOST_SANITIZER=thread
Scripts/replan.sh .build-tsan
swift test $sanitize --scratch-path .build-tsan --skip Mutation --skip Damage --skip BudgetFaults \
    --skip aWorkerReportsTheChangesOfItsPlugin --skip aLoadWithALinkAsADevice --skip aPluginThatGrowsAsFastAsItCan "$@"
# In the same build folder, which has the library already.
Scripts/replan.sh .build-tsan
swift test $sanitize --scratch-path .build-tsan --package-path Tests/Integration --filter LoadingTests \
    --skip aReportThatCannotBeWritten --skip CrashJournals --skip HostilePlugins --skip DemoIsolation \
    --skip DemoSettings "$@"
