#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

/* The bytes that the process has allocated: Swift cannot call mallinfo2(), because it is not in its module of glibc. */
size_t heap_in_use(void);

#endif
