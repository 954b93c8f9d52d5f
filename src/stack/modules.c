/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the memory map and the program headers of the mapped files to modules: where each is
 * loaded, where its unwind table is, and which mappings show a file's own bytes. */
#include "base/array.h"
#include "base/error.h"
#include "stack/modules-private.h"
#include "stack/table-private.h"
#include "target/maps.h"
#include <string.h>

#define GENERATED_US 50000 /* so long generated code is taken to stand where it stood */
#define MAX_VDSO (64u << 10)
/* Tables made by pddt are read at addresses that no process uses. */
#define TABLES_START G_GUINT64_CONSTANT (0xffff000000000000)
#define TABLES_STEP G_GUINT64_CONSTANT (0x100000000)

static void
free_entry (gpointer data)
{
    StackModuleEntry *entry = data;

    if (entry->module.image != NULL) {
        index_image_unref (entry->module.image);
    }
    stack_file_unref (entry->file);
    stack_file_unref (entry->table);
    g_free (entry->open_path);
    g_free (entry->loss);
    g_free (entry);
}

/* Which PT_LOAD a mapping of the file is of decides the bias: linkers may give each segment its
 * own difference between address and offset. */
static gboolean
find_bias (const StackFile *file, const TargetMap *map, guint64 *ret_bias)
{
    guint n_headers;
    const Elf64_Phdr *headers = stack_file_get_headers (file, &n_headers);
    guint best = 0; /* 1 + how well its rights are those of the mapping */

    for (guint i = 0; i < n_headers; i++) {
        const Elf64_Phdr *header = &headers[i];
        guint64 first = header->p_offset & ~(base_memory_get_page_size () - 1);
        gboolean is_code = (header->p_flags & PF_X) != 0;
        gboolean is_data = (header->p_flags & PF_W) != 0;
        guint match = 1 + 2 * (is_code == map->executable) + (is_data == map->writable);

        if (header->p_type != PT_LOAD || map->offset < first
            || map->offset >= header->p_offset + MAX (header->p_filesz, 1)) {
            continue;
        }
        if (match > best) { /* a page of the file may be of two */
            *ret_bias = map->start - map->offset + header->p_offset - header->p_vaddr;
            best = match;
        }
    }
    return best > 0;
}

static void
read_unwind_header (StackModuleEntry *entry, const Elf64_Phdr *header)
{
    guint8 bytes[12];
    guint32 count;

    /* Version 1; a pointer of four bytes; the count as four bytes; a sorted table of pairs of
     * four bytes relative to the header (LSB core, section 10.6.2). */
    if (!stack_file_read (entry->file, header->p_offset, bytes, sizeof bytes) || bytes[0] != 1
        || (bytes[1] & 0x0f) != 0x0b || bytes[2] != 0x03 || bytes[3] != 0x3b) {
        return;
    }
    memcpy (&count, bytes + 8, sizeof count);
    if ((guint64) count * 8 + 12 > header->p_filesz) {
        return;
    }
    entry->module.eh_frame_hdr = entry->module.bias + header->p_vaddr;
    entry->module.fde_count = count;
}

/* For a module whose linker wrote no search table. */
static void
make_table (StackModules *modules, StackModuleEntry *entry)
{
    g_autoptr (GBytes) bytes = stack_table_build (entry->file,
                                                  entry->module.start - entry->module.bias);
    StackSpan span = { TABLES_START + modules->entries->len * TABLES_STEP, 0, 0, NULL };

    if (bytes == NULL) {
        return;
    }
    entry->table = stack_file_new_plain (g_bytes_get_data (bytes, NULL),
                                         g_bytes_get_size (bytes));
    entry->table_address = span.start;
    entry->table_count = g_bytes_get_size (bytes) / 8;
    span.end = span.start + g_bytes_get_size (bytes);
    span.file = entry->table;
    g_array_append_val (modules->spans, span);
}

static gboolean
fill_from_headers (StackModuleEntry *entry)
{
    guint n_headers;
    const Elf64_Phdr *headers = stack_file_get_headers (entry->file, &n_headers);
    guint64 within = base_memory_get_page_size () - 1;
    guint64 low = G_MAXUINT64;
    guint64 high = 0;

    for (guint i = 0; i < n_headers; i++) {
        const Elf64_Phdr *header = &headers[i];

        if (header->p_type == PT_LOAD) {
            low = MIN (low, header->p_vaddr & ~within);
            high = MAX (high, (header->p_vaddr + header->p_memsz + within) & ~within);
        } else if (header->p_type == PT_TLS) {
            entry->module.tls_address = header->p_vaddr;
            entry->module.tls_size = header->p_memsz;
            entry->module.tls_align = header->p_align;
        } else if (header->p_type == PT_GNU_EH_FRAME) {
            read_unwind_header (entry, header);
        }
    }
    entry->module.start = entry->module.bias + low;
    entry->module.end = entry->module.bias + high;
    return low < high;
}

/* "python3", "python3.11", "python3.13td", "python3-dbg"; a program's name may begin like one. */
static gboolean
is_python_name (const char *name)
{
    const char *rest = g_str_has_prefix (name, "python3") ? name + 7 : "none";

    rest += strspn (rest, ".0123456789");
    rest += strspn (rest, "dmtu");
    return *rest == '\0' || *rest == '-';
}

/* An interpreter, its own modules and installed packages, wherever they stand; pddt's parts too. */
static gboolean
is_python_path (const char *path)
{
    const char *slash = strrchr (path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    return g_str_has_prefix (name, "libpython") || is_python_name (name)
           || strcmp (name, "pddt_agent.abi3.so") == 0 || strcmp (name, "libpddt-mpi.so") == 0
           || strstr (path, "/lib-dynload/") != NULL || strstr (path, "/site-packages/") != NULL
           || strstr (path, "/dist-packages/") != NULL;
}

static gboolean
is_system_path (const char *path)
{
    static const char *const roots[] = { "/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", NULL };

    for (guint i = 0; roots[i] != NULL; i++) {
        if (g_str_has_prefix (path, roots[i])) {
            return TRUE;
        }
    }
    return path[0] == '[' || is_python_path (path);
}

/* pddt's recorder, which is between the program and MPI. */
static gboolean
is_recorder_path (const char *path)
{
    return strstr (path, "/libpddt-mpi") != NULL;
}

static StackModuleEntry *
add_entry (StackModules *modules, StackFile *file, const char *path, char *open_path,
           guint64 bias)
{
    StackModuleEntry *entry = g_new0 (StackModuleEntry, 1);

    entry->file = file;
    entry->open_path = open_path;
    entry->module.path = g_intern_string (path);
    entry->module.bias = bias;
    entry->is_system = is_system_path (path) || is_recorder_path (path);
    if (!fill_from_headers (entry)) {
        free_entry (entry);
        return NULL;
    }
    if (entry->module.eh_frame_hdr == 0) {
        make_table (modules, entry);
    }
    g_ptr_array_add (modules->entries, entry);
    return entry;
}

/* The module that stood there before, with the same file under it. */
static const StackModuleEntry *
find_known (const StackModules *before, const TargetMap *map)
{
    const StackModuleEntry *entry = before != NULL
                                        ? stack_modules_find_entry (before, map->start)
                                        : NULL;

    return entry != NULL && entry->open_path != NULL && map->inode != 0
                   && entry->inode == map->inode && entry->device == map->device
                   && entry->path == map->path
               ? entry
               : NULL;
}

/* The mapped file by the first name under which it is the same file: its own path, the path
 * inside the process's root, the kernel's link (which needs a privilege, but finds deleted
 * files too). */
static StackFile *
open_mapped_file (const StackModules *modules, const TargetMap *map, char **ret_path)
{
    const StackModuleEntry *known = find_known (modules->before, map);
    char *names[4] = { g_strdup (map->path), NULL, NULL, NULL };
    StackFile *file = NULL;

    if (known != NULL) {
        *ret_path = g_strdup (known->open_path);
        g_free (names[0]);
        return stack_file_ref (known->file);
    }
    if (modules->pid > 0) {
        names[1] = g_strdup_printf ("/proc/%d/root%s", modules->pid, map->path);
        names[2] = stack_origin_dup_link (modules->pid, map->start, map->end);
        names[3] = map->inode != 0 ? g_strdup_printf ("/proc/%d/exe", modules->pid) : NULL;
    }
    for (guint i = 0; i < G_N_ELEMENTS (names) && file == NULL; i++) {
        if (names[i] != NULL && !(i < 2 && map->deleted)) {
            file = stack_file_open (names[i], map->inode);
            if (file != NULL) {
                *ret_path = g_steal_pointer (&names[i]);
            }
        }
    }
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        g_free (names[i]);
    }
    return file;
}

static gboolean
is_same_file (const TargetMap *a, const TargetMap *b)
{
    return a->inode == b->inode && a->device == b->device && a->path == b->path;
}

static StackFile *
ref_file_again (const StackModuleEntry *entry, const TargetMap *map)
{
    return stack_file_open (entry->open_path, map->inode);
}

/* Keeps what is already known about the same module. */
static void
note_mapping (const StackModules *modules, StackModuleEntry *entry, const TargetMap *map)
{
    const StackModuleEntry *known = find_known (modules->before, map);

    entry->pid = modules->pid;
    entry->map_start = map->start;
    entry->map_end = map->end;
    if (known != NULL) {
        entry->stamp = known->stamp;
        entry->has_stamp = known->has_stamp;
        entry->is_gone = known->is_gone;
        entry->is_no_python = known->is_no_python;
    } else {
        stack_origin_note (entry);
    }
    entry->device = map->device;
    entry->inode = map->inode;
    entry->path = map->path;
    if (known != NULL && known->module.start == entry->module.start && known->image_tried) {
        entry->image_tried = TRUE;
        entry->loss = g_strdup (known->loss);
        entry->module.image = known->module.image != NULL
                                  ? index_image_ref (known->module.image)
                                  : NULL;
        entry->module.is_user = known->module.is_user;
    }
}

/* Modules of the mappings [first, end), all of one file: usually one, more when the file is
 * mapped several times. */
static void
add_file_modules (StackModules *modules, const GArray *maps, guint first, guint end)
{
    const TargetMap *head = &g_array_index (maps, TargetMap, first);
    char *open_path = NULL;
    StackFile *file = open_mapped_file (modules, head, &open_path);
    StackModuleEntry *entry = NULL;

    if (file == NULL) {
        return;
    }
    for (guint i = first; i < end; i++) {
        const TargetMap *map = &g_array_index (maps, TargetMap, i);
        StackSpan span = { map->start, map->end, map->offset, file };
        guint64 bias = 0;

        if (!is_same_file (map, head)) {
            continue;
        }
        if (!map->writable && map->readable) {
            g_array_append_val (modules->spans, span);
        }
        if (entry != NULL && map->start >= entry->module.start
            && map->start < entry->module.end) {
            continue;
        }
        if (!find_bias (file, map, &bias)) {
            continue;
        }
        if (entry == NULL) {
            entry = add_entry (modules, file, map->path, open_path, bias);
            if (entry == NULL) {
                return;
            }
            note_mapping (modules, entry, map);
        } else {
            StackFile *again = ref_file_again (entry, map);

            if (again != NULL) {
                StackModuleEntry *other = add_entry (modules, again, map->path,
                                                     g_strdup (entry->open_path), bias);

                if (other != NULL) {
                    note_mapping (modules, other, map);
                }
            }
        }
    }
    if (entry == NULL) {
        stack_file_unref (file);
        g_free (open_path);
    }
}

/* All processes of a kernel have the same one (of their machine word's size): kept for the next. */
static StackFile *
open_vdso (const guint8 *bytes, gsize size, char **ret_path)
{
    static GBytes *known;
    static StackFile *file;
    static char *path;

    if (known != NULL && g_bytes_get_size (known) == size
        && memcmp (g_bytes_get_data (known, NULL), bytes, size) == 0) {
        *ret_path = g_strdup (path);
        return stack_file_ref (file);
    }
    g_clear_pointer (&known, g_bytes_unref);
    g_clear_pointer (&file, stack_file_unref);
    file = stack_file_new_from_bytes (bytes, size);
    if (file != NULL) {
        known = g_bytes_new (bytes, size);
        stack_file_ref (file);
        /* an old copy stays open: its name is in use */
        g_free (path);
        path = stack_origin_dup_copy (bytes, size);
        *ret_path = g_strdup (path);
    }
    return file;
}

static void
add_vdso (StackModules *modules, const TargetMap *map)
{
    gsize size = MIN (map->end - map->start, MAX_VDSO);
    g_autofree guint8 *bytes = g_malloc0 (size);
    StackFile *file;
    StackSpan span = { map->start, map->end, 0, NULL };
    char *open_path = NULL;
    guint64 bias = 0;

    if (!base_memory_read (modules->memory, map->start, bytes, size, NULL)) {
        return;
    }
    file = open_vdso (bytes, size, &open_path);
    if (file == NULL) {
        return;
    }
    if (!find_bias (file, map, &bias)) {
        stack_file_unref (file);
        g_free (open_path);
        return;
    }
    if (add_entry (modules, file, map->path, open_path, bias) == NULL) {
        return;
    }
    span.file = file;
    g_array_append_val (modules->spans, span);
}

/* The mappings of one file, from the first to the last; what lies between them may be another one's. */
typedef struct {
    guint first, end;
    gboolean has_code;
} FileMaps;

/* In their order. A path that names another file meanwhile stands for the one that comes first. */
static GArray *
list_files (const GArray *maps)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (FileMaps));
    g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL); /* path to number + 1 */

    for (guint i = 0; i < maps->len; i++) {
        const TargetMap *map = &g_array_index (maps, TargetMap, i);
        guint number = map->path[0] == '/'
                           ? GPOINTER_TO_UINT (g_hash_table_lookup (known, map->path))
                           : 0;

        if (number > 0) {
            FileMaps *file = &g_array_index (list, FileMaps, number - 1);

            if (is_same_file (map, &g_array_index (maps, TargetMap, file->first))) {
                file->end = i + 1;
                file->has_code = file->has_code || map->executable;
            }
        } else if (map->path[0] == '/') {
            BASE_APPEND (list, FileMaps, i, i + 1, map->executable);
            g_hash_table_insert (known, (gpointer) map->path, GUINT_TO_POINTER (list->len));
        }
    }
    return list;
}

static void
add_modules (StackModules *modules, const GArray *maps)
{
    g_autoptr (GArray) files = list_files (maps);

    BASE_EACH_ROW (maps, const TargetMap, map) {
        if (strcmp (map->path, "[vdso]") == 0) {
            add_vdso (modules, map);
        }
    }
    BASE_EACH_ROW (files, const FileMaps, file) {
        if (file->has_code) {
            add_file_modules (modules, maps, file->first, file->end);
        }
    }
}

BASE_ORDER_POINTERS (compare_entries, StackModuleEntry, BASE_BY (module.start))

BASE_ORDER (compare_spans, StackSpan, BASE_BY (start))

static const StackModuleEntry *
find_executable (const StackModules *modules)
{
    return BASE_FIND (modules != NULL ? modules->entries : NULL, const StackModuleEntry, entry,
                      entry->module.is_executable);
}

/* The main program: the file that /proc/PID/exe is, else the lowest module. */
static void
mark_executable (StackModules *modules)
{
    const StackModuleEntry *known = find_executable (modules->before);
    g_autofree char *link = g_strdup_printf ("/proc/%d/exe", modules->pid);
    StackFile *file = known != NULL      ? stack_file_ref (known->file)
                      : modules->pid > 0 ? stack_file_open (link, 0)
                                         : NULL;

    BASE_EACH (modules->entries, StackModuleEntry, entry) {
        if (file == NULL || entry->file == file) {
            entry->module.is_executable = TRUE;
            break;
        }
    }
    stack_file_unref (file);
}

/* What does not change without another list: of files, and of a core file all. */
static void
note_code (StackModules *modules, const GArray *maps)
{
    BASE_EACH_ROW (maps, const TargetMap, map) {
        StackSpan span = { map->start, map->end, 0, NULL };

        if (map->executable && (modules->pid == 0 || map->inode != 0)) {
            g_array_append_val (modules->code, span);
        }
    }
}

StackModules *
stack_modules_new (const GArray *maps, pid_t pid, BaseMemoryReader *memory, IndexClient *client,
                   const StackModules *before)
{
    StackModules *modules = g_new0 (StackModules, 1);

    modules->n_references = 1;
    modules->pid = pid;
    modules->memory = memory;
    modules->client = client;
    modules->entries = g_ptr_array_new_with_free_func (free_entry);
    modules->spans = g_array_new (FALSE, FALSE, sizeof (StackSpan));
    modules->code = g_array_new (FALSE, FALSE, sizeof (StackSpan));
    modules->space = stack_unwind_get_space ();
    modules->before = before;
    note_code (modules, maps);
    add_modules (modules, maps);
    g_ptr_array_sort (modules->entries, compare_entries);
    g_array_sort (modules->spans, compare_spans);
    mark_executable (modules);
    modules->before = NULL;
    return modules;
}

BASE_FREE (free_modules, StackModules, modules, g_array_unref (modules->spans);
           g_array_unref (modules->code); g_ptr_array_unref (modules->entries))

StackModules *
stack_modules_ref (StackModules *modules)
{
    modules->n_references++;
    return modules;
}

void
stack_modules_free (StackModules *modules)
{
    if (modules != NULL && --modules->n_references == 0) {
        free_modules (modules);
    }
}

guint
stack_modules_get_count (const StackModules *modules)
{
    return modules != NULL ? modules->entries->len : 0;
}

StackModule *
stack_modules_get (StackModules *modules, guint index)
{
    g_return_val_if_fail (index < modules->entries->len, NULL);
    return g_ptr_array_index (modules->entries, index);
}

gboolean
stack_module_find_section (const StackModule *module, const char *name, guint64 *ret_start,
                           guint64 *ret_size)
{
    const BaseElfImage image = stack_file_get_image (((const StackModuleEntry *) module)->file);
    Elf64_Shdr names, section;
    BaseElfHeader header;

    if (!base_elf_read_header (&image, &header) || header.names == 0
        || !base_elf_read_section (&image, &header, header.names, &names)) {
        return FALSE;
    }
    for (guint32 i = 1; i < header.n_sections; i++) {
        if (base_elf_read_section (&image, &header, i, &section)
            && (section.sh_flags & SHF_ALLOC) != 0
            && base_elf_is_text (&image, &names, section.sh_name, name)) {
            *ret_start = module->bias + section.sh_addr;
            *ret_size = section.sh_size;
            return TRUE;
        }
    }
    return FALSE;
}

StackModuleEntry *
stack_modules_find_entry (const StackModules *modules, guint64 address)
{
    guint low = 0;
    guint high = modules->entries->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        StackModuleEntry *entry = g_ptr_array_index (modules->entries, middle);

        if (address < entry->module.start) {
            high = middle;
        } else if (address >= entry->module.end) {
            low = middle + 1;
        } else {
            return entry;
        }
    }
    return NULL;
}

StackModule *
stack_modules_find (StackModules *modules, guint64 address)
{
    return modules != NULL ? (StackModule *) stack_modules_find_entry (modules, address) : NULL;
}

gboolean
stack_modules_is_code (StackModules *modules, guint64 address)
{
    g_autoptr (GArray) maps = NULL;
    const TargetMap *map;

    if (BASE_HAS_ROW (modules->code, const StackSpan, span,
                      address >= span->start && address < span->end)) {
        return TRUE;
    }
    if (address >= modules->generated.start && address < modules->generated.end
        && g_get_monotonic_time () < modules->generated_until_us) {
        return TRUE;
    }
    maps = modules->pid != 0 ? target_maps_read (modules->pid, NULL) : NULL;
    map = maps != NULL ? target_maps_find (maps, address) : NULL;
    if (map == NULL || !map->executable) {
        return FALSE;
    }
    modules->generated = (StackSpan){ .start = map->start, .end = map->end };
    modules->generated_until_us = g_get_monotonic_time () + GENERATED_US;
    return TRUE;
}

const StackSpan *
stack_modules_find_span (const StackModules *modules, guint64 address)
{
    guint low = 0;
    guint high = modules->spans->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const StackSpan *span = &g_array_index (modules->spans, StackSpan, middle);

        if (address < span->start) {
            high = middle;
        } else if (address >= span->end) {
            low = middle + 1;
        } else {
            return span;
        }
    }
    return NULL;
}

gboolean
stack_modules_read_file (const StackModules *modules, guint64 address, gpointer data,
                         gsize size)
{
    const StackSpan *span = stack_modules_find_span (modules, address);

    return span != NULL && size <= span->end - address
           && stack_file_read (span->file, span->offset + (address - span->start), data, size);
}

/* TRUE the first time that the path is asked about in this program. */
static gboolean
note_missing_image (const char *path)
{
    static GMutex lock;
    static GHashTable *seen;
    gboolean is_new;

    g_mutex_lock (&lock);
    if (seen == NULL) {
        seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    }
    is_new = g_hash_table_add (seen, g_strdup (path));
    g_mutex_unlock (&lock);
    return is_new;
}

IndexImage *
stack_module_open_image (StackModules *modules, StackModule *module)
{
    StackModuleEntry *entry = (StackModuleEntry *) module;
    g_autoptr (GError) error = NULL;

    if (entry->image_tried || modules->client == NULL || entry->open_path == NULL) {
        return module->image;
    }
    module->image = index_client_open_image (modules->client, stack_module_get_file (module),
                                             &error);
    /* Too slow this time is no answer: ask again at the next stop. */
    entry->is_late = g_error_matches (error, BASE_ERROR, BASE_ERROR_TIMEOUT);
    entry->image_tried = !entry->is_late;
    g_free (entry->loss);
    entry->loss = module->image == NULL ? g_strdup (error != NULL ? error->message : "no index")
                                        : NULL;
    if (module->image == NULL) {
        if (note_missing_image (entry->open_path)) {
            g_message ("no names for %s: %s", entry->open_path, entry->loss);
        }
        return NULL;
    }
    index_image_ref (module->image);
    module->is_user = !entry->is_system && index_image_has_lines (module->image);
    return module->image;
}

const char *
stack_module_get_loss (const StackModule *module)
{
    return ((const StackModuleEntry *) module)->loss;
}

gboolean
stack_module_is_late (const StackModule *module)
{
    return ((const StackModuleEntry *) module)->is_late;
}

GArray *
stack_modules_list_python_images (StackModules *modules)
{
    GArray *images = g_array_new (FALSE, FALSE, sizeof (PythonImage));

    BASE_EACH (modules->entries, const StackModuleEntry, entry) {
        PythonImage image = { entry->module.start, entry->module.end, entry->module.bias,
                              entry->open_path };

        if (entry->open_path != NULL && !entry->is_no_python) {
            g_array_append_val (images, image);
        }
    }
    return images;
}

void
stack_modules_note_no_python (StackModules *modules)
{
    BASE_EACH (modules->entries, StackModuleEntry, entry) {
        entry->is_no_python = entry->open_path != NULL;
    }
}
