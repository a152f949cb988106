pluginhost pack --build --configuration debug --host "$(command -v demo-host)"
