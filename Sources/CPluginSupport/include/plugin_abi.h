/*
 * plugin_abi.h - the C ABI between a PluginHost application and a plug-in. Major version 1.
 *
 * This is the only file a C or C++ plug-in needs. It compiles alone as C11 and as C++17. A plug-in exports one
 * function, plugin_entry(). The host calls it exactly once and passes a table. The plug-in uses the table's functions
 * to register its factories and functions. docs/abi.md has the complete rules. The last comment line of each function
 * states where it may be called, and who owns its arguments and results:
 *
 *   [entry]       inside plugin_entry() only, on the thread that plugin_entry() was called on
 *   [any thread]  on any thread, from the call of plugin_entry() until the process ends
 *   [host]        called by the host; the comment says on which thread
 */
#ifndef PLUGIN_ABI_H
#define PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PLUGIN_EXTERN_C extern "C"
#define PLUGIN_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define PLUGIN_EXTERN_C extern
#define PLUGIN_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

/* Write this before the definition of plugin_entry() if the plug-in is built with -fvisibility=hidden. */
#define PLUGIN_EXPORT PLUGIN_EXTERN_C __attribute__((visibility("default")))

/* The bytes "PHST" and a revision of the table's first fields, which never move. */
#define PLUGIN_ABI_MAGIC 0x0000000154534850ull
/* Host and plug-in must have the same major version. */
#define PLUGIN_ABI_MAJOR 1
/* Grows when fields are appended. A plug-in checks PLUGIN_HAS(), not this number. */
#define PLUGIN_ABI_MINOR 1

/* First member of every struct that host and plug-in exchange. size is the writer's sizeof; version is 1 until the
 * meaning of a field changes. */
typedef struct plugin_header {
    uint32_t size;
    uint32_t version;
} plugin_header;

/* Whether the struct that p points to is long enough to contain the field. Check it before reading any field that was
 * added after version 1.0. */
#define PLUGIN_HAS(p, field)                                                                                         \
    ((size_t)(p)->header.size >= (size_t)((const char *)&(p)->field - (const char *)(p)) + sizeof((p)->field))

/* UTF-8, not terminated, borrowed for the call. ptr may be NULL when len is 0. */
typedef struct plugin_string {
    const char *ptr;
    size_t len;
} plugin_string;

/* A plugin_string of a string literal. */
#ifdef __cplusplus
#define PLUGIN_STRING(literal) (plugin_string{literal, sizeof(literal) - 1})
#else
#define PLUGIN_STRING(literal) ((plugin_string){literal, sizeof(literal) - 1})
#endif

/* 0 is success, every negative value a failure. */
typedef int32_t plugin_status;
enum {
    PLUGIN_OK = 0,
    PLUGIN_FAILED = -1,           /* the plug-in's own reason, passed to set_error() */
    PLUGIN_ABI_MISMATCH = -2,     /* the other side uses another major version, toolchain or revision */
    PLUGIN_INVALID_ARGUMENT = -3, /* an empty or over-long name, a NUL in it, a missing function, a short struct */
    PLUGIN_DUPLICATE = -4,        /* the name is registered already */
    PLUGIN_CLOSED = -5,           /* called after plugin_entry() returned, or on another thread */
    PLUGIN_NO_MEMORY = -6,
    PLUGIN_NOT_FOUND = -7,
    PLUGIN_DUPLICATE_ABI = -8     /* the plug-in carries its own copy of the Swift module PluginABI */
};

/* Levels of log(), the same as in swift-log and syslog. */
enum {
    PLUGIN_LOG_TRACE = 0,
    PLUGIN_LOG_DEBUG = 1,
    PLUGIN_LOG_INFO = 2,
    PLUGIN_LOG_NOTICE = 3,
    PLUGIN_LOG_WARNING = 4,
    PLUGIN_LOG_ERROR = 5,
    PLUGIN_LOG_CRITICAL = 6
};

typedef struct plugin_host plugin_host;
typedef struct plugin_factory plugin_factory;

/*
 * Creates objects of one kind. Immortal: the host keeps the pointer, so it must stay valid and unchanged until the
 * process ends (use a static const). `functions` is the table of the functions that the objects share. The
 * application's API header defines its type, which should begin with a plugin_header. If the application describes the
 * table, it can use the objects also while the plug-in runs in a worker. Such a table may contain only what can cross
 * between processes: numbers, text, bytes and buffers of a known size, no other addresses.
 */
struct plugin_factory {
    plugin_header header;
    plugin_string name;            /* unique in the bundle, and at the extension point among all loaded bundles */
    plugin_string extension_point; /* reverse-DNS name of the application's extension point; empty for none */
    uint32_t extension_version;    /* the version of the extension point that `functions` implements */
    int32_t order;                 /* an application that lists several shows lower numbers first */
    void *user_data;               /* the plug-in's own; the host never reads it */
    const void *functions;         /* immortal; the application casts it to its own table type */

    /* Creates an object and stores it in *instance, with one owner: the caller (+1). On failure it calls
     * host->set_error(), returns a negative status, and leaves *instance unchanged.
     * [host] any thread, several at the same time; *instance is released with release() */
    plugin_status (*create)(const plugin_factory *factory, const plugin_host *host, void **instance);

    /* Adds one owner. The host never calls this: it owns each object once, no matter how many parts of the application
     * share the object, and calls release() once. It is for C code that keeps objects itself, if the application's
     * header says so.
     * Any thread; NULL if objects have only one owner */
    void (*retain)(void *instance);

    /* Removes one owner, and destroys the object when the last one is removed.
     * [host] any thread, once for each object that create() stored */
    void (*release)(void *instance);
};

/* A code address without a particular type; cast your function to it. */
typedef void (*plugin_code)(void);

/* Since 1.1: bytes as a function's result or as a field of a struct. ptr may be NULL when len is 0. */
typedef struct plugin_bytes {
    const void *ptr;
    size_t len;
} plugin_bytes;

/*
 * A plain C function, called by the host through its signature; docs/abi.md has the grammar. Types:
 *
 *   void, bool, int8 ... int64, uint8 ... uint64, float, double, pointer (void *)
 *   string          const char *, UTF-8, NUL-terminated; an argument is borrowed for the call. The host copies a result
 *                   before any other code of the plug-in runs on this thread, and never frees it
 *   bytes           two arguments: const void *, size_t, borrowed for the call. Since 1.1 also as a result: a
 *                   plugin_bytes by value, copied like a string
 *
 * Since 1.1:
 *   pointer? string? bytes?             may be NULL; without the "?", NULL is an error of the call
 *   owned string, owned bytes           a result in memory from host->alloc(); the host copies it and frees it
 *   {x: double, y: double}              a struct by value; fields: numbers, bool, pointer, string, bytes, structs
 *   (int32, string) -> bool             as an argument: a function of the host, for any thread until this one returns
 *   kept (int32) -> void                the same; call it until the application releases it
 *   (string) throws -> int32            plugin_status f(const char *, int32_t *result): the result is valid if the
 *                                       status is PLUGIN_OK; otherwise set_error() states why. Without
 *                                       "int32_t *result" for void
 *
 * Example: "(bytes) -> uint32". The struct and its strings are borrowed for the call; the code is immortal.
 */
typedef struct plugin_function {
    plugin_header header;
    plugin_string name;
    plugin_string signature;
    plugin_code code;
} plugin_function;

/*
 * The host's table, passed to plugin_entry(). Immortal: a plug-in may keep the pointer. Every plug-in gets its own
 * table.
 */
struct plugin_host {
    plugin_header header;
    uint64_t magic;     /* PLUGIN_ABI_MAGIC */
    uint32_t abi_major; /* PLUGIN_ABI_MAJOR of the host */
    uint32_t abi_minor; /* PLUGIN_ABI_MINOR of the host */
    plugin_string name;    /* the application's name; immortal */
    plugin_string version; /* the application's version; immortal; may be empty */
    void *opaque_self;     /* the host's own */

    /* Registers a factory. All registrations of an entry become visible together, once it has returned PLUGIN_OK.
     * [entry] factory is immortal and still belongs to the plug-in */
    plugin_status (*register_factory)(const plugin_host *host, const plugin_factory *factory);

    /* Registers a plain C function under a name and a signature.
     * [entry] function is borrowed for the call, function->code is immortal */
    plugin_status (*register_function)(const plugin_host *host, const plugin_function *function);

    /* States why the current call will return a negative status: a domain and code that the plug-in chooses, a
     * sentence, and what the user can do (may be empty). If it is called several times, the last call applies.
     * [any thread] strings are borrowed for the call; the host reads only what the failing call's own thread has set */
    void (*set_error)(
        const plugin_host *host, plugin_string domain, int32_t code, plugin_string message, plugin_string hint);

    /* Writes to the application's log, under the bundle's identifier.
     * [any thread] message is borrowed for the call */
    void (*log)(const plugin_host *host, int32_t level, plugin_string message);

    /* Memory that both sides share: either side may free what the other allocated here.
     * [any thread] alloc returns NULL if memory ran out, otherwise memory aligned for any type; the caller owns it */
    void *(*alloc)(const plugin_host *host, size_t size);

    /* Frees what alloc() returned; NULL is allowed.
     * [any thread] takes ownership of memory */
    void (*free)(const plugin_host *host, void *memory);

    /* A table of further functions, by an id such as PLUGIN_RESOURCES_ID; NULL if the host has none with that id.
     * The number after the slash is a revision: its meaning never changes.
     * [any thread] the table is immortal */
    const void *(*get_extension)(const plugin_host *host, plugin_string id);
};

/*
 * The one symbol a plug-in exports. Returns PLUGIN_OK, or a negative status after host->set_error(); in that case none
 * of its registrations becomes visible. No C++ exception, Swift error or longjmp may escape from it.
 * [host] called once in the life of the process, never at the same time as another call into the plug-in
 */
PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host);

/* ---- Extension: the bundle's resources and strings ------------------------------------------------------------ */

#define PLUGIN_RESOURCES_ID "org.pluginhost.resources/1"

typedef struct plugin_resources {
    plugin_header header;

    /* Finds a resource of the plug-in's own bundle and returns its path. Parameters: the name, its extension (may be
     * empty) and a subdirectory (may be empty). The result is NUL-terminated, in memory from host->alloc(); NULL if
     * there is no such resource.
     * [any thread] strings are borrowed; the caller frees the result with host->free() */
    char *(*resource_path)(
        const plugin_host *host, plugin_string name, plugin_string extension, plugin_string subdirectory);

    /* The string for a key in the user's language. If it is missing: fallback, or the key if fallback is empty.
     * table is the name of a .strings file, "Localizable" if empty. Never NULL unless memory runs out.
     * [any thread] strings are borrowed; the caller frees the result with host->free() */
    char *(*localized_string)(
        const plugin_host *host, plugin_string key, plugin_string fallback, plugin_string table);
} plugin_resources;

/* ---- Extension: calls when the plug-in becomes active and inactive ----------------------------------------------- */

#define PLUGIN_LIFECYCLE_ID "org.pluginhost.lifecycle/1"

/*
 * The host calls these functions before it begins to offer the plug-in's registrations, and after it has stopped.
 * Immortal. Both run with no lock held and never at the same time. They may load other bundles; loading or unloading
 * their own bundle fails with an error. Neither is called when the process ends.
 */
typedef struct plugin_hooks {
    plugin_header header;
    void *user_data; /* the plug-in's own; the host never reads it */

    /* Called after plugin_entry(), and again at each load after an unload, before any registration is offered. On
     * failure it calls host->set_error() and returns a negative status; in that case nothing is offered.
     * [host] the thread that loads; may be NULL */
    plugin_status (*activate)(const plugin_host *host, void *user_data);

    /* Called once for each successful activate(): when the bundle is unloaded and its registrations are withdrawn, or
     * when a later hook of the same load failed. Existing objects may still be in use, also on other threads.
     * [host] the thread that unloads; may be NULL */
    void (*deactivate)(const plugin_host *host, void *user_data);
} plugin_hooks;

typedef struct plugin_lifecycle {
    plugin_header header;

    /* Registers hooks. With several, activate() is called in the order of registration, deactivate() in reverse.
     * [entry] hooks is immortal and still belongs to the plug-in */
    plugin_status (*register_hooks)(const plugin_host *host, const plugin_hooks *hooks);
} plugin_lifecycle;

/* ---- Extension: objects that plug-ins share --------------------------------------------------------------------- */

#define PLUGIN_SERVICES_ID "org.pluginhost.services/1"

/* A shared object of another plug-in. The host never releases it: call neither retain nor release. */
typedef struct plugin_service {
    plugin_header header;  /* written by the caller */
    const void *functions; /* the table of the factory that made it; the extension point determines its type */
    void *instance;
} plugin_service;

typedef struct plugin_services {
    plugin_header header;

    /* Finds the shared object of an extension point. The first factory there creates it at the first request, after its
     * plug-in was loaded. Info.plist must declare the point with this version in PHUses. On failure it returns a
     * negative status (PLUGIN_NOT_FOUND if nobody provides the service), logs the reason, and leaves *service
     * unchanged.
     * [any thread] strings are borrowed; the object lives as long as the process */
    plugin_status (*find_service)(
        const plugin_host *host, plugin_string extension_point, uint32_t version, plugin_service *service);
} plugin_services;

/* ---- Extension: the plug-in's own directory --------------------------------------------------------------------- */

#define PLUGIN_STATE_ID "org.pluginhost.state/1"

typedef struct plugin_state {
    plugin_header header;

    /* The path of the directory in which the plug-in keeps data that should outlive a restart. The host creates it. In
     * a worker, the plug-in gets it only if Info.plist requests $STATE in PHPermissions and the application grants it.
     * The result is NUL-terminated, in memory from host->alloc(). It is NULL if the directory was not granted. It is
     * also NULL if the directory cannot be created; the application's log then states the reason.
     * [any thread] the caller frees the result with host->free() */
    char *(*state_directory)(const plugin_host *host);
} plugin_state;

/* ---- Extension: the plug-in's own settings ---------------------------------------------------------------------- */

#define PLUGIN_SETTINGS_ID "org.pluginhost.settings/1"

/*
 * A function of the plug-in that is called after settings have changed, with the keys whose values are different now.
 * It may call every function of this table. It is not called any more once deactivate() has begun.
 * [a thread of the host] one call at a time for a plug-in; keys are borrowed for the call
 */
typedef void (*plugin_settings_observer)(
    const plugin_host *host, const plugin_string *keys, size_t count, void *user_data);

/*
 * The settings that the Settings.bundle of the plug-in declares, with the values that count now. They need no
 * permission, and are the same wherever the plug-in runs. A value is always of the declared type and range.
 *
 * All of these return PLUGIN_NOT_FOUND for a key that the Settings.bundle does not declare, and PLUGIN_INVALID_ARGUMENT
 * for one that it declares with another type.
 */
typedef struct plugin_settings {
    plugin_header header;

    /* Reads a value: 0 or 1.
     * [any thread] key is borrowed; never waits */
    plugin_status (*get_boolean)(const plugin_host *host, plugin_string key, int32_t *value);
    /* Reads a whole number.
     * [any thread] key is borrowed; never waits */
    plugin_status (*get_integer)(const plugin_host *host, plugin_string key, int64_t *value);
    /* Reads a real.
     * [any thread] key is borrowed; never waits */
    plugin_status (*get_real)(const plugin_host *host, plugin_string key, double *value);
    /* Reads a text: NUL-terminated, in memory from host->alloc().
     * [any thread] key is borrowed; the caller frees *value with host->free() */
    plugin_status (*get_string)(const plugin_host *host, plugin_string key, char **value);

    /* Store a value for the user; it counts at once. They return PLUGIN_INVALID_ARGUMENT also for a value that is not
     * allowed, and PLUGIN_FAILED if the administrator has locked the setting, if it is secret, or if the file cannot be
     * written. Then, if reason is not NULL, *reason is a sentence that says why, in memory from host->alloc().
     * [any thread] strings are borrowed; waits for the disk; the caller frees *reason with host->free() */
    plugin_status (*set_boolean)(const plugin_host *host, plugin_string key, int32_t value, char **reason);
    plugin_status (*set_integer)(const plugin_host *host, plugin_string key, int64_t value, char **reason);
    plugin_status (*set_real)(const plugin_host *host, plugin_string key, double value, char **reason);
    plugin_status (*set_string)(const plugin_host *host, plugin_string key, plugin_string value, char **reason);

    /* Removes the user's value, so that the one of the layer below counts. Otherwise like set_boolean().
     * [any thread] strings are borrowed; waits for the disk; the caller frees *reason with host->free() */
    plugin_status (*reset)(const plugin_host *host, plugin_string key, char **reason);

    /* Lets a function be called after each change until the plug-in is deactivated; so call this in activate(). Returns
     * PLUGIN_FAILED if the plug-in has a thousand of them.
     * [any thread] user_data still belongs to the plug-in */
    plugin_status (*observe)(const plugin_host *host, plugin_settings_observer observer, void *user_data);
} plugin_settings;

/* ---- Extension: Swift plug-ins. Used by the module PluginABI, not by hand -------------------------------------- */

#define PLUGIN_SWIFT_ID "org.pluginhost.swift/1"
/* Grows when the Swift level changes in a way that library evolution does not cover. */
#define PLUGIN_SWIFT_REVISION 3

/* The toolchain and module copy with which a Swift plug-in was compiled. */
typedef struct plugin_swift_identity {
    plugin_header header;
    const void *abi_identity; /* an address that is different for each copy of the module PluginABI */
    plugin_string toolchain;  /* PLUGIN_TOOLCHAIN when the plug-in was compiled */
    uint32_t revision;        /* PLUGIN_SWIFT_REVISION when the plug-in was compiled */
    uint32_t reserved;        /* 0 */
    /* Since 1.1: the list of protocol conformances in the plug-in's file, and its size in bytes. It shows how many
     * requirements each protocol had when the plug-in was compiled. Immortal. */
    const void *conformances;
    size_t conformances_size;
} plugin_swift_identity;

typedef struct plugin_swift_host {
    plugin_header header;

    /* Compares identities before any Swift value is passed. On a mismatch, the host has recorded every difference.
     * [entry] identity is borrowed for the call */
    plugin_status (*begin)(const plugin_host *host, const plugin_swift_identity *identity);

    /* Passes a PluginABI.PluginRegistrar with everything that the plug-in registered.
     * [entry] registrar is borrowed for the call */
    plugin_status (*commit)(const plugin_host *host, const void *registrar);
} plugin_swift_host;

/* ---- The note in the file -------------------------------------------------------------------------------------
 *
 * An ELF note with the owner "PluginHost" states what the file was built for. A host can check it before it loads the
 * file. The note's descriptor is a plugin_note_head, followed by payload_length bytes of UTF-8: lines "key=value\n".
 * Keys of format 1: "toolchain".
 */
#define PLUGIN_NOTE_OWNER "PluginHost"
#define PLUGIN_NOTE_SECTION ".note.pluginhost"
#define PLUGIN_NOTE_TYPE 1
#define PLUGIN_NOTE_FORMAT 1
/* The file registers Swift types: host and plug-in must be built by the same toolchain. */
#define PLUGIN_NOTE_SWIFT 1u

typedef struct plugin_note_head {
    uint16_t format;         /* PLUGIN_NOTE_FORMAT */
    uint16_t abi_major;      /* PLUGIN_ABI_MAJOR */
    uint16_t abi_minor;      /* PLUGIN_ABI_MINOR */
    uint16_t swift_revision; /* PLUGIN_SWIFT_REVISION with PLUGIN_NOTE_SWIFT, else 0 */
    uint32_t flags;          /* PLUGIN_NOTE_SWIFT; other bits are 0 */
    uint32_t payload_length; /* bytes after this head */
} plugin_note_head;

/* The compiler, down to its source revision, which differs between all releases of the Swift toolchain. */
#if defined(__GNUC__) && !defined(__clang__)
/* GCC's version string is only a number, which does not name the compiler. */
#define PLUGIN_TOOLCHAIN "GCC " __VERSION__
#else
#define PLUGIN_TOOLCHAIN __VERSION__
#endif
#define PLUGIN_NOTE_PAYLOAD "toolchain=" PLUGIN_TOOLCHAIN "\n"

typedef struct plugin_note {
    uint32_t name_length; /* ELF's own head: 11, sizeof descriptor, PLUGIN_NOTE_TYPE */
    uint32_t descriptor_length;
    uint32_t type;
    char name[12];
    plugin_note_head head;
    char payload[(sizeof(PLUGIN_NOTE_PAYLOAD) + 3) & ~(size_t)3];
} plugin_note;

#define PLUGIN_NOTE_INITIALIZER(note_flags, note_swift_revision)                                                      \
    {                                                                                                                 \
        sizeof(PLUGIN_NOTE_OWNER), (uint32_t)(sizeof(plugin_note) - offsetof(plugin_note, head)), PLUGIN_NOTE_TYPE,    \
            PLUGIN_NOTE_OWNER,                                                                                        \
            {PLUGIN_NOTE_FORMAT,  PLUGIN_ABI_MAJOR, PLUGIN_ABI_MINOR,                                                 \
             note_swift_revision, note_flags,       (uint32_t)(sizeof(PLUGIN_NOTE_PAYLOAD) - 1)},                      \
            PLUGIN_NOTE_PAYLOAD                                                                                       \
    }

#if defined(__has_attribute)
#if __has_attribute(retain)
#define PLUGIN_NOTE_RETAIN retain,
#endif
#endif
#ifndef PLUGIN_NOTE_RETAIN
#define PLUGIN_NOTE_RETAIN
#endif
/* All three are needed: `used` for the compiler, `retain` for the linker's garbage collection of sections, `section`
 * for the position. */
#define PLUGIN_NOTE_ATTRIBUTES __attribute__((used, PLUGIN_NOTE_RETAIN section(PLUGIN_NOTE_SECTION), aligned(4)))

/* Write PLUGIN_DECLARE_NOTE; once, at file scope of a C or C++ plug-in. */
#define PLUGIN_DECLARE_NOTE                                                                                           \
    static const plugin_note plugin_declared_note PLUGIN_NOTE_ATTRIBUTES = PLUGIN_NOTE_INITIALIZER(0, 0)

#ifdef __swift__
/* A Swift plug-in gets its note automatically: PluginABI.registerPlugin() is compiled into the plug-in and calls the
 * function below, so the compiler puts this constant into the plug-in's object file. */
static const plugin_note plugin_swift_note PLUGIN_NOTE_ATTRIBUTES =
    PLUGIN_NOTE_INITIALIZER(PLUGIN_NOTE_SWIFT, PLUGIN_SWIFT_REVISION);
static inline const plugin_note *plugin_swift_note_address(void) { return &plugin_swift_note; }
static inline plugin_string plugin_swift_toolchain(void) {
    plugin_string text = {PLUGIN_TOOLCHAIN, sizeof(PLUGIN_TOOLCHAIN) - 1};
    return text;
}
/* The section with the file's conformances. The linker defines both symbols in each file; they are local to
 * the file. */
extern const char __start_swift5_protocol_conformances[] __attribute__((visibility("hidden")));
extern const char __stop_swift5_protocol_conformances[] __attribute__((visibility("hidden")));
static inline const void *plugin_swift_conformances(void) { return __start_swift5_protocol_conformances; }
static inline size_t plugin_swift_conformances_size(void) {
    return (size_t)(__stop_swift5_protocol_conformances - __start_swift5_protocol_conformances);
}
#endif

/* ---- Sizes and offsets are part of the ABI --------------------------------------------------------------------- */

/*
 * The sizes in version 1.0, each up to the last field that the struct had in that version. They never change: a reader
 * of 1.x accepts every struct of at least that size, and checks PLUGIN_HAS() for newer fields.
 */
#define PLUGIN_SIZE_UP_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))
enum {
    PLUGIN_HOST_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_host, get_extension),
    PLUGIN_FACTORY_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_factory, release),
    PLUGIN_FUNCTION_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_function, code),
    PLUGIN_RESOURCES_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_resources, localized_string),
    PLUGIN_LIFECYCLE_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_lifecycle, register_hooks),
    PLUGIN_HOOKS_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_hooks, deactivate),
    PLUGIN_SERVICES_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_services, find_service),
    PLUGIN_SERVICE_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_service, instance),
    PLUGIN_STATE_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_state, state_directory),
    PLUGIN_SETTINGS_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_settings, observe),
    PLUGIN_SWIFT_HOST_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_swift_host, commit),
    PLUGIN_SWIFT_IDENTITY_SIZE_1_0 = PLUGIN_SIZE_UP_TO(plugin_swift_identity, reserved),
    PLUGIN_SWIFT_IDENTITY_SIZE_1_1 = PLUGIN_SIZE_UP_TO(plugin_swift_identity, conformances_size)
};

PLUGIN_STATIC_ASSERT(sizeof(plugin_header) == 8, "plugin_header");
PLUGIN_STATIC_ASSERT(sizeof(plugin_note_head) == 16, "plugin_note_head");
#if UINTPTR_MAX == 0xffffffffffffffffu
PLUGIN_STATIC_ASSERT(sizeof(plugin_string) == 16, "plugin_string");
PLUGIN_STATIC_ASSERT(sizeof(plugin_bytes) == 16, "plugin_bytes");
PLUGIN_STATIC_ASSERT(offsetof(plugin_bytes, len) == 8, "plugin_bytes.len");
PLUGIN_STATIC_ASSERT(sizeof(plugin_factory) == 88, "plugin_factory");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, name) == 8, "plugin_factory.name");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, extension_point) == 24, "plugin_factory.extension_point");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, extension_version) == 40, "plugin_factory.extension_version");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, order) == 44, "plugin_factory.order");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, user_data) == 48, "plugin_factory.user_data");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, functions) == 56, "plugin_factory.functions");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, create) == 64, "plugin_factory.create");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, retain) == 72, "plugin_factory.retain");
PLUGIN_STATIC_ASSERT(offsetof(plugin_factory, release) == 80, "plugin_factory.release");
PLUGIN_STATIC_ASSERT(sizeof(plugin_function) == 48, "plugin_function");
PLUGIN_STATIC_ASSERT(offsetof(plugin_function, signature) == 24, "plugin_function.signature");
PLUGIN_STATIC_ASSERT(offsetof(plugin_function, code) == 40, "plugin_function.code");
PLUGIN_STATIC_ASSERT(sizeof(plugin_host) == 120, "plugin_host");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, magic) == 8, "plugin_host.magic");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, abi_major) == 16, "plugin_host.abi_major");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, name) == 24, "plugin_host.name");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, version) == 40, "plugin_host.version");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, opaque_self) == 56, "plugin_host.opaque_self");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, register_factory) == 64, "plugin_host.register_factory");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, register_function) == 72, "plugin_host.register_function");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, set_error) == 80, "plugin_host.set_error");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, log) == 88, "plugin_host.log");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, alloc) == 96, "plugin_host.alloc");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, free) == 104, "plugin_host.free");
PLUGIN_STATIC_ASSERT(offsetof(plugin_host, get_extension) == 112, "plugin_host.get_extension");
PLUGIN_STATIC_ASSERT(sizeof(plugin_resources) == 24, "plugin_resources");
PLUGIN_STATIC_ASSERT(sizeof(plugin_hooks) == 32, "plugin_hooks");
PLUGIN_STATIC_ASSERT(offsetof(plugin_hooks, user_data) == 8, "plugin_hooks.user_data");
PLUGIN_STATIC_ASSERT(offsetof(plugin_hooks, activate) == 16, "plugin_hooks.activate");
PLUGIN_STATIC_ASSERT(offsetof(plugin_hooks, deactivate) == 24, "plugin_hooks.deactivate");
PLUGIN_STATIC_ASSERT(sizeof(plugin_lifecycle) == 16, "plugin_lifecycle");
PLUGIN_STATIC_ASSERT(sizeof(plugin_service) == 24, "plugin_service");
PLUGIN_STATIC_ASSERT(sizeof(plugin_services) == 16, "plugin_services");
PLUGIN_STATIC_ASSERT(sizeof(plugin_state) == 16, "plugin_state");
PLUGIN_STATIC_ASSERT(sizeof(plugin_settings) == 88, "plugin_settings");
PLUGIN_STATIC_ASSERT(offsetof(plugin_settings, set_boolean) == 40, "plugin_settings.set_boolean");
PLUGIN_STATIC_ASSERT(offsetof(plugin_settings, reset) == 72, "plugin_settings.reset");
PLUGIN_STATIC_ASSERT(offsetof(plugin_settings, observe) == 80, "plugin_settings.observe");
PLUGIN_STATIC_ASSERT(sizeof(plugin_swift_identity) == 56, "plugin_swift_identity");
PLUGIN_STATIC_ASSERT(sizeof(plugin_swift_host) == 24, "plugin_swift_host");
PLUGIN_STATIC_ASSERT(PLUGIN_HOST_SIZE_1_0 == 120, "plugin_host of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_FACTORY_SIZE_1_0 == 88, "plugin_factory of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_FUNCTION_SIZE_1_0 == 48, "plugin_function of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_RESOURCES_SIZE_1_0 == 24, "plugin_resources of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_LIFECYCLE_SIZE_1_0 == 16, "plugin_lifecycle of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_HOOKS_SIZE_1_0 == 32, "plugin_hooks of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_SERVICES_SIZE_1_0 == 16, "plugin_services of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_SERVICE_SIZE_1_0 == 24, "plugin_service of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_STATE_SIZE_1_0 == 16, "plugin_state of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_SETTINGS_SIZE_1_0 == 88, "plugin_settings of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_SWIFT_HOST_SIZE_1_0 == 24, "plugin_swift_host of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_SWIFT_IDENTITY_SIZE_1_0 == 40, "plugin_swift_identity of 1.0");
PLUGIN_STATIC_ASSERT(PLUGIN_SWIFT_IDENTITY_SIZE_1_1 == 56, "plugin_swift_identity of 1.1");
#endif

#endif /* PLUGIN_ABI_H */
