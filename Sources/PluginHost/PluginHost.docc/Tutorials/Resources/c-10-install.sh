pluginhost install Lines-1.0.tar.zst --application workbench
pluginhost list --application workbench
