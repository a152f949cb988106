pluginhost check --host "$(command -v demo-host)" Numbers.bundle
LD_LIBRARY_PATH="$PLUGINHOST/.build-all/release" pluginhost load Numbers.bundle
