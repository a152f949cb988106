# Otherwise the dynamic linker merges statics of the C++ library's templates with those of other plug-ins. Only GCC has it.
UNIQUE      := $(shell $(CXX) -fno-gnu-unique -x c++ -E /dev/null >/dev/null 2>&1 && echo -fno-gnu-unique)

$(LIBRARY): $(wildcard Sources/*.cpp) $(HEADERS) Makefile
	@mkdir -p build
	$(CXX) -std=c++17 -shared $(FLAGS) $(UNIQUE) $(CPPFLAGS) $(CXXFLAGS) -o $@ $(filter %.cpp,$^) $(LDFLAGS)

build/tests: $(wildcard Sources/*.cpp Tests/*.c) $(HEADERS) Makefile
	@mkdir -p build
	$(CC) -std=c11 $(FLAGS) $(CPPFLAGS) $(CFLAGS) -UNDEBUG -c -o build/tests.o $(filter %.c,$^)
	$(CXX) -std=c++17 $(FLAGS) $(CPPFLAGS) $(CXXFLAGS) -o $@ build/tests.o $(filter %.cpp,$^) $(LDFLAGS)
