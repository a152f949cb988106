make check
pluginhost pack --products build --archive .
