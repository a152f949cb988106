#pragma GCC visibility push(protected)
#include "dispatch.h"
#pragma GCC visibility pop

#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#endif

// open() for libdispatch.
static int open_own_thread(const char *path, int flags, ...) {
    char own[64];
    int thread, end = 0;
    if (sscanf(path, "/proc/%d/stat%n", &thread, &end) == 1 && end > 0 && path[end] == 0) {
        snprintf(own, sizeof own, "/proc/self/task/%d/stat", thread);
        path = own;
    }
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return open(path, flags, mode);
}

// The imports of a library, from its dynamic section.
struct imports {
    const char *strings;
    const ElfW(Sym) *symbols;
    const ElfW(Rela) *tables[2];
    size_t sizes[2];  // in bytes
};

static struct imports imports_of(uintptr_t base, const ElfW(Dyn) *entry) {
    struct imports imports = {0};
    for (; entry->d_tag != DT_NULL; entry++) {
        // The dynamic linker has turned these offsets into addresses, except in libraries that it cannot write.
        uintptr_t address = entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr : entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_STRTAB: imports.strings = (const char *)address; break;
        case DT_SYMTAB: imports.symbols = (const ElfW(Sym) *)address; break;
        case DT_JMPREL: imports.tables[0] = (const ElfW(Rela) *)address; break;
        case DT_PLTRELSZ: imports.sizes[0] = entry->d_un.d_val; break;
        case DT_RELA: imports.tables[1] = (const ElfW(Rela) *)address; break;
        case DT_RELASZ: imports.sizes[1] = entry->d_un.d_val; break;
        }
    }
    return imports;
}

// Writes a slot of a table. If the dynamic linker has made the slot read-only, it is read-only again afterwards.
static int replace(_Atomic(uintptr_t) *slot, uintptr_t value, bool is_read_only) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)slot & ~(page - 1));
    if (is_read_only && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return errno;
    atomic_store(slot, value);
    return is_read_only && mprotect(start, page, PROT_READ) != 0 ? errno : 0;
}

struct search {
    int error;
    const char *step;
};

static bool is_dispatch(const char *path) {
    const char *name = strrchr(path, '/');
    return strncmp(name == NULL ? path : name + 1, "libdispatch.so", strlen("libdispatch.so")) == 0;
}

static int confine_image(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    if (!is_dispatch(info->dlpi_name)) return 0;
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t first_read_only = 0, end_read_only = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t address = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)address;
        if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO) continue;
        first_read_only = address;
        end_read_only = address + info->dlpi_phdr[i].p_memsz;
    }
    search->error = ENOTSUP, search->step = "open";
    if (dynamic == NULL) return 1;
    struct imports imports = imports_of(info->dlpi_addr, dynamic);
    if (imports.symbols == NULL || imports.strings == NULL) return 1;
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; i < imports.sizes[table] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *import = &imports.tables[table][i];
            unsigned type = (unsigned)ELF64_R_TYPE(import->r_info);
            if (type != JUMP_SLOT && type != GLOBAL_DATA) continue;
            const char *name = imports.strings + imports.symbols[ELF64_R_SYM(import->r_info)].st_name;
            if (strcmp(name, "open") != 0 && strcmp(name, "open64") != 0) continue;
            uintptr_t slot = info->dlpi_addr + import->r_offset;
            bool is_read_only = slot >= first_read_only && slot < end_read_only;
            search->error = replace((_Atomic(uintptr_t) *)slot, (uintptr_t)open_own_thread, is_read_only);
            search->step = search->error == 0 ? NULL : "mprotect";
            if (search->error != 0) return 1;
        }
    }
    return search->error != 0;
}

int phs_dispatch_confine(phs_failure *failure) {
    struct search search = {0, NULL};
    dl_iterate_phdr(confine_image, &search);
    return search.error == 0 ? 0 : fail(failure, search.error, "files", search.step, 0);
}
