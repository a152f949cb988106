export PLUGINHOST="${PLUGINHOST:-$PWD}"
export PATH="$PLUGINHOST/.build/debug:$PATH"
