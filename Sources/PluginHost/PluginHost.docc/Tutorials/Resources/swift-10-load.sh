pluginhost check --host "$(command -v demo-host)" Numbers.bundle
LD_LIBRARY_PATH="$PLUGINHOST/.build/debug" pluginhost load Numbers.bundle
