#pragma once
// Functions of the Swift runtime (libswiftCore) that the host needs and the standard library does not offer, each with
// its reason. All references are weak, because a C program may use the C ABI header without any Swift in the process.
#ifndef PHS_SWIFT_RUNTIME_SHIMS_H
#define PHS_SWIFT_RUNTIME_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The Swift type records of one library in memory. Why: only the runtime knows every library that contains Swift, and
// its struct MetadataSections is private. Since version 3, that struct begins with the fields used here.
typedef struct phs_swift_library {
    const void *header;            // the library's ELF header in memory
    const void *types;             // 32-bit relative pointers to type context descriptors
    size_t types_length;           // bytes
    const void *protocols;         // 32-bit relative pointers to protocol descriptors
    size_t protocols_length;       // bytes
    const void *conformances;      // 32-bit relative pointers to protocol conformance descriptors
    size_t conformances_length;    // bytes
} phs_swift_library;

// Calls body for the program and every library that registered Swift metadata, in load order, until body returns false.
// The runtime may hold a lock, so body must not load anything, and must not request metadata.
void phs_each_swift_library(bool (*body)(const phs_swift_library *image, void *context), void *context);

// Calls the metadata accessor of a non-generic type and returns its complete metadata.
// Why: accessors use the Swift calling convention and return two registers, which neither @convention(c) nor a cast in
// Swift can express.
const void *phs_call_metadata_accessor(const void *accessor);

// The type context descriptor of a metadata pointer, or NULL for a type without one.
// Why: the runtime exports the function, but no module declares it.
const void *phs_type_context_descriptor(const void *metadata);

// The readable form of a mangled Swift or C++ name, to be freed with free(), or NULL if the name is neither. Why: the
// runtime exports swift_demangle(), but no module declares it; __cxa_demangle() belongs to the C++ library that happens
// to be loaded, if any.
char *phs_demangle(const char *name);

#endif
