// The files from which “pluginhost new” makes a project. They are part of the program, so that it works wherever it is
// installed. Their sources are in Tools/Templates. Why C: the compiler embeds a file in an array, so no file has to be
// found at run time.
#ifndef PLUGIN_TEMPLATES_H
#define PLUGIN_TEMPLATES_H

#include <stddef.h>

typedef struct plugin_template {
    const char *set;   // “common”, “swift”, “swift-without-kit”, “native” (what C and C++ share), “c”, “c++”, “application”
    const char *path;  // in the project, with __NAME__ for its name
    const unsigned char *bytes;
    size_t size;
} plugin_template;

// The first of all templates. Why a function: Swift does not import an array of unknown length.
const plugin_template *plugin_templates_first(void);
extern const size_t plugin_templates_count;

#endif
