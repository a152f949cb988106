// The system's libffi, by the header that every installation of it has.
#include <ffi.h>
