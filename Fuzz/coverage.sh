#!/bin/bash
# Fuzzes the readers with libFuzzer of the Swift toolchain, which keeps inputs that reach new branches, under the address
# sanitiser. Inputs that end it are saved in build/fuzz. Usage: Fuzz/coverage.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/fuzz/corpus
swiftc -O -wmo -parse-as-library -sanitize=fuzzer,address -swift-version 6 -module-name Coverage \
    -package-name pluginhost -enable-upcoming-feature ExistentialAny \
    Sources/PropertyLists/*.swift Fuzz/Coverage/*.swift -o build/fuzz/coverage
# Start with text of both kinds.
for list in Plugins/*/Info.plist; do { printf '\0'; cat "$list"; } > "build/fuzz/corpus/$(echo "$list" | tr / -)"; done
for table in Plugins/*/Resources/*/*.strings; do
    { printf '\1'; cat "$table"; } > "build/fuzz/corpus/$(echo "$table" | tr / -)"
done
build/fuzz/coverage -max_total_time="${1:-60}" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix=build/fuzz/ build/fuzz/corpus
