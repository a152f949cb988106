// The package manager needs a source file in a C target. This one proves that the header compiles on its own.
#include "demo_checksum.h"
