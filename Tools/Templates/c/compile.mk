$(LIBRARY): $(wildcard Sources/*.c) $(HEADERS) Makefile
	@mkdir -p build
	$(CC) -std=c11 -shared $(FLAGS) $(CPPFLAGS) $(CFLAGS) -o $@ $(filter %.c,$^) $(LDFLAGS)

build/tests: $(wildcard Sources/*.c Tests/*.c) $(HEADERS) Makefile
	@mkdir -p build
	$(CC) -std=c11 $(FLAGS) $(CPPFLAGS) $(CFLAGS) -UNDEBUG -o $@ $(filter %.c,$^) $(LDFLAGS)
