// The files of which “pluginhost new” makes a project, in the program itself, so that it works wherever it was installed.
// They stand in Tools/Templates. Why C: the compiler reads a file into an array here, without any code to find it later.
#ifndef PLUGIN_TEMPLATES_H
#define PLUGIN_TEMPLATES_H

#include <stddef.h>

typedef struct plugin_template {
    const char *set;   // “common”, “swift”, “native” (what C and C++ share), “c”, “c++”
    const char *path;  // in the project, with __NAME__ for the plug-in's name
    const unsigned char *bytes;
    size_t size;
} plugin_template;

// The first of all templates. Why a function: Swift does not see an array of unknown length.
const plugin_template *plugin_templates_first(void);
extern const size_t plugin_templates_count;

#endif
