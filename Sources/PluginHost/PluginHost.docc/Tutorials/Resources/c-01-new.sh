pluginhost new Lines --language c
cd Lines
