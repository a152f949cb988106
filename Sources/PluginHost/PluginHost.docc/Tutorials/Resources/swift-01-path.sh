export PLUGINHOST="${PLUGINHOST:-$PWD}"
export PATH="$PLUGINHOST/.build-all/release:$PATH"
