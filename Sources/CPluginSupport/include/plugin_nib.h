/*
 * plugin_nib.h - classes of a C or C++ plug-in that nib files can name. The rules of plugin_abi.h also apply here.
 *
 * A nib describes objects and their connections; docs/nib-format.md has the format. A plug-in gets the table from
 * host->get_extension(host, PLUGIN_STRING(PLUGIN_NIB_ID)), and registers its classes inside plugin_entry().
 */
#ifndef PLUGIN_NIB_H
#define PLUGIN_NIB_H

#include "plugin_abi.h"

#define PLUGIN_NIB_ID "org.pluginhost.nib/1"

/* An object of a nib, in any language. Written by the host. */
typedef struct plugin_nib_object {
    plugin_header header;
    plugin_string class_name; /* valid as long as the object */
    const void *functions;    /* the table of the factory that made it; NULL for an object in Swift */
    void *instance;           /* from that factory; NULL for an object in Swift, which can only be passed to send() */
    const void *handle;       /* for the host only */
} plugin_nib_object;

/* Types of attributes. */
enum {
    PLUGIN_NIB_NONE = 0,    /* only the type of a value, for <nil/>; not of an attribute */
    PLUGIN_NIB_STRING = 1,  /* text */
    PLUGIN_NIB_INTEGER = 2, /* integer */
    PLUGIN_NIB_REAL = 3,    /* numbers[0] */
    PLUGIN_NIB_BOOLEAN = 4, /* integer: 0 or 1 */
    PLUGIN_NIB_POINT = 5,   /* numbers: x, y */
    PLUGIN_NIB_SIZE = 6,    /* numbers: width, height */
    PLUGIN_NIB_RECT = 7,    /* numbers: x, y, width, height */
    PLUGIN_NIB_RANGE = 8,   /* numbers: location, length */
    PLUGIN_NIB_COLOR = 9,   /* numbers: red, green, blue, alpha; text: the name, empty for none */
    PLUGIN_NIB_IMAGE = 10,  /* text: the file's path */
    PLUGIN_NIB_SOUND = 11   /* text: the file's path */
};

typedef struct plugin_nib_value {
    plugin_header header;
    uint32_t type;
    uint32_t reserved; /* 0 */
    int64_t integer;
    double numbers[4];
    plugin_string text; /* borrowed for the call */
} plugin_nib_value;

/* An outlet, or a collection. Setters cannot fail. */
typedef struct plugin_nib_outlet {
    plugin_string name;
    plugin_string class_name; /* the name of the class whose objects it accepts; empty for any */
    uint32_t is_collection;
    uint32_t is_required;

    /* Sets an outlet to one object, or a collection to all of its objects.
     * [host] the thread that instantiates; objects is borrowed for the call, the objects live as long as the nib's
     * owner keeps them */
    void (*set)(void *instance, const plugin_nib_object *objects, size_t count);
} plugin_nib_outlet;

typedef struct plugin_nib_attribute {
    plugin_string name;
    uint32_t type; /* the type of the value that set() gets; PLUGIN_NIB_NONE is not allowed */
    uint32_t reserved;

    /* Sets the attribute.
     * [host] the thread that instantiates; value is borrowed for the call */
    void (*set)(void *instance, const plugin_nib_value *value);
} plugin_nib_attribute;

typedef struct plugin_nib_action {
    plugin_string name;         /* with or without a colon at the end */
    plugin_string sender_class; /* empty for any */

    /* Performs the action. On failure it calls host->set_error() and returns a negative status; the sender gets the
     * error.
     * [host] the thread that sends; sender is borrowed for the call */
    plugin_status (*perform)(const plugin_host *host, void *instance, const plugin_nib_object *sender);
} plugin_nib_action;

typedef struct plugin_nib_event {
    plugin_string name; /* empty for actions that name no event */

    /* Stores the action that the event sends; pass it to send() when the event happens.
     * [host] the thread that instantiates; the action belongs to the host, and is valid as long as the instance */
    void (*set)(void *instance, const void *action);
} plugin_nib_event;

/* A class. Immortal, with everything that it points to. */
typedef struct plugin_nib_class {
    plugin_header header;
    const plugin_factory *factory; /* makes the objects; its name is the class's name in nibs */
    const plugin_nib_outlet *outlets;
    const plugin_nib_attribute *attributes;
    const plugin_nib_action *actions;
    const plugin_nib_event *events;
    size_t outlet_count, attribute_count, action_count, event_count;
    plugin_string element; /* the name of the XML element that represents an object of the class; may be empty */

    /* Called once for each object, after all objects of the nib are made and connected.
     * [host] the thread that instantiates; may be NULL */
    void (*awake)(void *instance);
} plugin_nib_class;

typedef struct plugin_nib {
    plugin_header header;

    /* Lets nibs make objects of a class.
     * [entry] nib_class is immortal and still belongs to the plug-in */
    plugin_status (*register_class)(const plugin_host *host, const plugin_nib_class *nib_class);

    /* Instantiates a nib of the plug-in's own bundle. owner_class and owner are File's Owner, or both NULL; owner still
     * belongs to the caller. On failure it returns a negative status (PLUGIN_NOT_FOUND if there is no such nib), logs
     * the reason, and leaves *nib unchanged.
     * [any thread] name is borrowed; the caller frees *nib with release() */
    plugin_status (*instantiate)(
        const plugin_host *host, plugin_string name, const plugin_nib_class *owner_class, void *owner, void **nib);

    /* Finds an object of a nib by its id in the document, or returns PLUGIN_NOT_FOUND.
     * [the thread that instantiated] the caller writes object->header; the object lives as long as the nib */
    plugin_status (*find_object)(const plugin_host *host, void *nib, plugin_string id, plugin_nib_object *object);

    /* Gives up ownership of a nib's objects; objects that nothing else owns are destroyed.
     * [the thread that instantiated] takes ownership of nib */
    void (*release)(const plugin_host *host, void *nib);

    /* Sends an action that set() of an event received. If sender is NULL, the sender is the object of the event.
     * Returns PLUGIN_NOT_FOUND if no object performs the action or the object of the event no longer exists, and
     * PLUGIN_FAILED if the action fails; the failure is logged.
     * [any thread; the action is performed there] sender is borrowed */
    plugin_status (*send)(const plugin_host *host, const void *action, const plugin_nib_object *sender);
} plugin_nib;

enum {
    PLUGIN_NIB_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_nib, send),
    PLUGIN_NIB_CLASS_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_nib_class, awake),
    PLUGIN_NIB_OBJECT_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_nib_object, handle),
    PLUGIN_NIB_VALUE_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_nib_value, text)
};

#if UINTPTR_MAX == 0xffffffffffffffffu
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib_object) == 48, "plugin_nib_object");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_object, functions) == 24, "plugin_nib_object.functions");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_object, handle) == 40, "plugin_nib_object.handle");
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib_value) == 72, "plugin_nib_value");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_value, integer) == 16, "plugin_nib_value.integer");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_value, numbers) == 24, "plugin_nib_value.numbers");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_value, text) == 56, "plugin_nib_value.text");
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib_outlet) == 48, "plugin_nib_outlet");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_outlet, set) == 40, "plugin_nib_outlet.set");
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib_attribute) == 32, "plugin_nib_attribute");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_attribute, set) == 24, "plugin_nib_attribute.set");
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib_action) == 40, "plugin_nib_action");
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib_event) == 24, "plugin_nib_event");
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib_class) == 104, "plugin_nib_class");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_class, outlet_count) == 48, "plugin_nib_class.outlet_count");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_class, element) == 80, "plugin_nib_class.element");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib_class, awake) == 96, "plugin_nib_class.awake");
PLUGIN_STATIC_ASSERT(sizeof(plugin_nib) == 48, "plugin_nib");
PLUGIN_STATIC_ASSERT(offsetof(plugin_nib, send) == 40, "plugin_nib.send");
#endif

#endif /* PLUGIN_NIB_H */
