// The package manager wants a source file in a C target. This one proves that the header compiles alone.
#include "demo_checksum.h"
