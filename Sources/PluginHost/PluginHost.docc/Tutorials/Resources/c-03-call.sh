pluginhost call Lines.bundle count_lines @README.md
