make test
pluginhost call Lines.bundle count_words "two words"
