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
# Package.swift leaves out the tests of modules that know no thread. These are left out too: those that read hundreds of
# thousands of damaged files; those that measure the memory and the time of one reader, which the sanitiser multiplies; the
# one that limits the size of files, because the sanitiser keeps its own memory in files; and those that start worker
# processes from the tests' own executable, or let processes crash: the sanitiser in such a process needs more memory than a
# worker may have, and takes the signals.
export PLUGINHOST_SANITIZER=thread
Scripts/replan.sh .build-tsan
swift test $sanitize --scratch-path .build-tsan --skip Mutation --skip Damage --skip BudgetFaults --skip ControlGroupTests \
    --skip PluginWorkerTests --skip WorkerFaultTests --skip WorkerSupervisorTests --skip WorkerLoadingTests \
    --skip WorkerObjectTests --skip WorkerRuntimeTests --skip CTableTests --skip PluginProbeTests \
    --skip SettingsEverywhereTests --skip aWorkerReportsTheChangesOfItsPlugin \
    --skip OwnNamesWorkerTests --skip RequiredProbeTests --skip SandboxRefusalTests --skip StateDirectoryTests \
    --skip WorkerDebuggerTests --skip ApplicationBundleTests --skip ExecutionDemandTests \
    --skip aLoadWithALinkAsADevice --skip aPluginThatGrowsAsFastAsItCan "$@"
# In the same build folder, which has the library already.
Scripts/replan.sh .build-tsan
swift test $sanitize --scratch-path .build-tsan --package-path Tests/Integration --filter LoadingTests \
    --skip aReportThatCannotBeWritten --skip CrashJournals --skip HostilePlugins --skip DemoIsolation \
    --skip DemoSettings "$@"
