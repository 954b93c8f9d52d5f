/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/trace-place.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __GLIBC_PREREQ(2, 35)
/* Unlike dladdr it takes no lock, which a thread may hold that waits for a lock of this one. */
extern __typeof__ (_dl_find_object) _dl_find_object __attribute__ ((weak));
#endif

enum { N_PLACES = 1 << 14, N_TRIES = 8, N_MODULES = 256, DEFINING = 1, MAX_BUILD_ID = 64 };

/* by hash; a place that finds all of its slots taken is not told */
static struct {
    uintptr_t code; /* 0: free; DEFINING */
    uint32_t place;
} places[N_PLACES];

/* What is defined of modules; one that finds its slot taken is defined with each of its places. */
static struct {
    uintptr_t begin; /* 0: free; DEFINING */
    uint64_t path_hash;
    uint32_t path, build_id; /* strings; 0: there is none */
} modules[N_MODULES];

static char program[4096]; /* which has no path in the loader's list */

/* Before the constructors that ask for modules. */
__attribute__ ((constructor (101))) static void
begin (void)
{
    ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
}

/* ---- without _dl_find_object ---- */

typedef struct {
    uintptr_t code;
    struct trace_module *module;
} Search;

static int
look_at_module (struct dl_phdr_info *info, size_t size, void *user)
{
    const Search *search = user;
    uintptr_t low = UINTPTR_MAX, high = 0, page = (uintptr_t) sysconf (_SC_PAGESIZE);

    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD) {
            low = part->p_vaddr < low ? part->p_vaddr : low;
            high = part->p_vaddr + part->p_memsz > high ? part->p_vaddr + part->p_memsz : high;
        }
    }
    if (low >= high || search->code < info->dlpi_addr + low
        || search->code >= info->dlpi_addr + high) {
        return 0;
    }
    low &= ~(page - 1);
    *search->module = (struct trace_module){
        info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : program,
        info->dlpi_addr, info->dlpi_addr + low, high - low
    };
    return 1;
}

/* The lock of the loader's list of modules is held for moments only, unlike that of dladdr. */
static int
find_in_list (const void *code, struct trace_module *module)
{
    Search search = { (uintptr_t) code, module };

    return dl_iterate_phdr (look_at_module, &search) != 0 && module->path[0] != '\0';
}

int
trace_place_find_module (const void *code, struct trace_module *module)
{
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;

    if (&_dl_find_object == NULL) {
        return find_in_list (code, module);
    }
    if (_dl_find_object ((void *) code, &found) != 0 || found.dlfo_link_map == NULL) {
        return 0;
    }
    module->path = found.dlfo_link_map->l_name[0] != '\0' ? found.dlfo_link_map->l_name
                                                          : program;
    module->base = found.dlfo_link_map->l_addr;
    module->begin = (uintptr_t) found.dlfo_map_start;
    module->size = (size_t) ((uintptr_t) found.dlfo_map_end - module->begin);
    return module->path[0] != '\0';
#else
    return find_in_list (code, module);
#endif
}

int
trace_place_ask_loader (const void *code, struct trace_module *module)
{
    struct link_map *map = NULL;
    Dl_info info;

    if (dladdr1 (code, &info, (void **) &map, RTLD_DL_LINKMAP) == 0 || map == NULL) {
        return 0;
    }
    *module = (struct trace_module){ map->l_name[0] != '\0' ? map->l_name : program,
                                     map->l_addr, (uintptr_t) info.dli_fbase, 0 };
    return module->path[0] != '\0';
}

int
trace_place_is_own (const void *code)
{
    struct trace_module module;
    const char *name = code != NULL && trace_place_find_module (code, &module)
                           ? strrchr (module.path, '/')
                           : NULL;

    return name != NULL
           && (strncmp (name, "/libpddt-", 9) == 0
               || strcmp (name, "/pddt_trace.abi3.so") == 0);
}

/* ---- build-ids ---- */

static int
is_inside (const struct trace_module *module, uintptr_t address, size_t size)
{
    return address >= module->begin && size <= module->size
           && address - module->begin <= module->size - size;
}

/* The notes from there on, each a head, a name and a content, both filled up to a multiple of 4. */
static size_t
find_id (uintptr_t at, uintptr_t end, char *text)
{
    static const char digits[] = "0123456789abcdef";

    while (end - at >= sizeof (ElfW (Nhdr))) {
        const ElfW (Nhdr) *note = (const void *) at;
        uintptr_t name = at + sizeof *note;
        size_t name_size = ((size_t) note->n_namesz + 3) & ~(size_t) 3;
        size_t size = ((size_t) note->n_descsz + 3) & ~(size_t) 3;

        if (name_size > end - name || size > end - name - name_size) {
            break;
        }
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4
            && memcmp ((const void *) name, "GNU", 4) == 0 && note->n_descsz <= MAX_BUILD_ID) {
            const uint8_t *bytes = (const void *) (name + name_size);

            for (size_t i = 0; i < note->n_descsz; i++) {
                text[2 * i] = digits[bytes[i] >> 4];
                text[2 * i + 1] = digits[bytes[i] & 15];
            }
            return 2 * (size_t) note->n_descsz;
        }
        at = name + name_size + size;
    }
    return 0;
}

/* In hexadecimal digits, as it stands in the memory of this process. Returns its length; 0: there is none. */
static size_t
read_build_id (const struct trace_module *module, char *text)
{
    const ElfW (Ehdr) *header = (const void *) module->begin;
    size_t length = 0;

    if (!is_inside (module, module->begin, sizeof *header)
        || memcmp (header->e_ident, ELFMAG, SELFMAG) != 0
        || header->e_phentsize != sizeof (ElfW (Phdr)) || header->e_phoff > module->size
        || !is_inside (module, module->begin + header->e_phoff,
                       header->e_phnum * sizeof (ElfW (Phdr)))) {
        return 0;
    }
    for (unsigned i = 0; i < header->e_phnum && length == 0; i++) {
        const ElfW (Phdr) *segment = (const ElfW (Phdr) *) (module->begin + header->e_phoff)
                                     + i;

        if (segment->p_type == PT_NOTE
            && is_inside (module, module->base + segment->p_vaddr, segment->p_filesz)) {
            length = find_id (module->base + segment->p_vaddr,
                              module->base + segment->p_vaddr + segment->p_filesz, text);
        }
    }
    return length;
}

/* ---- definitions ---- */

/* The whole path in a line of /proc/PID/maps; NULL: it is another mapping's, or of no file. */
static const char *
find_path (const char *line, uintptr_t begin)
{
    char *end;
    uintptr_t first = strtoul (line, &end, 16);

    return *end == '-' && first <= begin && begin < strtoul (end + 1, NULL, 16)
               ? strchr (line, '/')
               : NULL;
}

/* A library that was opened by a relative path: where its file is, whatever the current folder is by now. The caller may
 * be an allocator, so that memory is not allocated. Returns its length; 0: it is not known. */
static size_t
read_mapped_path (uintptr_t begin, char *text, size_t size)
{
    int fd = (int) syscall (SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const char *path = NULL;
    size_t n = 0;
    long got;

    while (fd >= 0 && path == NULL
           && (got = syscall (SYS_read, fd, text + n, size - 1 - n)) > 0) {
        char *line = text, *end;

        text[n + (size_t) got] = '\0';
        for (; path == NULL && (end = strchr (line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            path = find_path (line, begin);
        }
        n = path == NULL ? strlen (line) : 0;
        memmove (text, path == NULL ? line : path, path == NULL ? n + 1 : strlen (path) + 1);
    }
    if (fd >= 0) {
        syscall (SYS_close, fd);
    }
    return path != NULL ? strlen (text) : 0;
}

static void
define_module (const struct trace_module *module, uint32_t *ret_path, uint32_t *ret_build_id)
{
    char text[2 * MAX_BUILD_ID], path[PATH_MAX + 128];
    size_t length = module->path[0] != '/' ? read_mapped_path (module->begin, path, sizeof path)
                                           : 0;

    *ret_path = trace_define_string (length > 0 ? path : module->path, -1);
    length = read_build_id (module, text);
    *ret_build_id = length > 0 ? trace_define_string (text, (ptrdiff_t) length) : 0;
}

/* Another module may have come to where one was unloaded. */
static void
find_module_ids (const struct trace_module *module, uint32_t *ret_path, uint32_t *ret_build_id)
{
    unsigned at = (unsigned) ((uint64_t) module->begin * 0x9e3779b97f4a7c15u >> 56) % N_MODULES;
    uint64_t hash = 0xcbf29ce484222325u;
    uintptr_t known = 0;

    for (const char *letter = module->path; *letter != '\0'; letter++) {
        hash = (hash ^ (uint8_t) *letter) * 0x100000001b3u;
    }
    if (__atomic_compare_exchange_n (&modules[at].begin, &known, DEFINING, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        define_module (module, &modules[at].path, &modules[at].build_id);
        modules[at].path_hash = hash;
        known = module->begin;
        __atomic_store_n (&modules[at].begin, known, __ATOMIC_RELEASE);
    }
    if (known == module->begin && modules[at].path_hash == hash) {
        *ret_path = modules[at].path;
        *ret_build_id = modules[at].build_id;
    } else {
        define_module (module, ret_path, ret_build_id);
    }
}

uint32_t
trace_place_define (const struct trace_module *module, const void *code)
{
    uint32_t path, build_id;

    find_module_ids (module, &path, &build_id);
    return trace_define_code (path, build_id, (uintptr_t) code - module->base);
}

static uint32_t
define (const void *code)
{
    struct trace_module module;

    return trace_place_find_module (code, &module) ? trace_place_define (&module, code) : 0;
}

uint32_t
trace_place_get (const void *code)
{
    unsigned at = (unsigned) ((uint64_t) (uintptr_t) code * 0x9e3779b97f4a7c15u >> 50);

    for (unsigned i = 0; code != NULL && i < N_TRIES; i++, at = (at + 1) % N_PLACES) {
        uintptr_t known = __atomic_load_n (&places[at].code, __ATOMIC_ACQUIRE);

        if (known == 0 && !trace_is_busy ()
            && __atomic_compare_exchange_n (&places[at].code, &known, DEFINING, 0,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            places[at].place = define (code);
            known = (uintptr_t) code;
            __atomic_store_n (&places[at].code, known, __ATOMIC_RELEASE);
        }
        if (known == (uintptr_t) code) {
            return places[at].place;
        }
    }
    return 0;
}
