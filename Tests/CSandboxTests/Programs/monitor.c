// Stands in for libdispatch in dispatch.c: opens files as it does.
#include <fcntl.h>

#if !defined(WITHOUT_OPEN)
int open_for_reading(const char *path) { return open(path, O_RDONLY | O_NONBLOCK); }
int make_file(const char *path, int mode) { return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); }
#else
int no_import;
#endif
