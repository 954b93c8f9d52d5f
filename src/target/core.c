/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Core files: checks segments and notes when opening, reads memory on demand. Every offset is
 * checked against the file's size. */
#include "target/core.h"
#include "base/array.h"
#include "base/elf.h"
#include "base/error.h"
#include "machine/registers.h"
#include "target/core-private.h"
#include "target/maps.h"
#include <glib/gi18n.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SEGMENTS 200000u
#define MAX_NOTES (64u << 20) /* bytes of all notes together */
#define MAX_THREADS 65536u
#define NT_XSAVE_LAYOUT 0x205u /* not in older versions of elf.h */
#define MAX_FILES 262144u
#define MAX_STACK_TOP (1u << 20)

typedef struct {
    guint64 start, end, offset, dumped; /* dumped: number of its bytes in the core */
    guint64 lost; /* number of bytes after them that the core had before it was truncated */
    gboolean readable, writable, executable;
} Segment;

typedef struct {
    guint64 start, end, offset;
    const char *path;  /* interned: the path in the process */
    const char *found; /* interned: where the file is now; NULL */
    int fd;            /* of found; -1 */
} MappedFile;

struct _TargetCore {
    BaseMemoryReader reader; /* first: a reader is its own core */
    int fd;
    guint64 size;
    char *folder;
    GArray *segments; /* of Segment, by address */
    GArray *files;    /* of MappedFile, by address */
    GArray *threads;  /* of TargetCoreThread */
    guint64 n_notes;  /* bytes of notes read so far */
    /* The table of segments is truncated: memory in no segment may have been in a lost one. */
    gboolean is_cut;
    guint8 *auxv;
    gsize auxv_size;
    pid_t pid;
    guint stopped;
    char *command;
    GPtrArray *remarks;
    MachineVectors vectors;
    gboolean has_vectors; /* the core itself describes the layout of the vector registers */
};

/* ---- memory ---- */

static gint
find_segment (const TargetCore *core, guint64 address)
{
    guint low = 0, high = core->segments->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const Segment *segment = &g_array_index (core->segments, Segment, middle);

        if (address < segment->start) {
            high = middle;
        } else if (address >= segment->end) {
            low = middle + 1;
        } else {
            return (gint) middle;
        }
    }
    return -1;
}

static MappedFile *
find_file (const TargetCore *core, guint64 address)
{
    guint low = 0, high = core->files->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        MappedFile *file = &g_array_index (core->files, MappedFile, middle);

        if (address < file->start) {
            high = middle;
        } else if (address >= file->end) {
            low = middle + 1;
        } else {
            return file;
        }
    }
    return NULL;
}

static gsize
read_from_file (TargetCore *core, guint64 address, guint8 *data, gsize size)
{
    MappedFile *file = find_file (core, address);
    gssize got;

    if (file == NULL || file->found == NULL) {
        return 0;
    }
    if (file->fd < 0) {
        file->fd = open (file->found, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
    size = MIN (size, file->end - address);
    got = file->fd >= 0
              ? pread (file->fd, data, size, (off_t) (file->offset + address - file->start))
              : 0;
    return (gsize) MAX (got, 0);
}

/* Reads as many bytes as one source has in a row. */
static gsize
read_piece (TargetCore *core, guint64 address, guint8 *data, gsize size)
{
    gint index = find_segment (core, address);
    const Segment *segment = index >= 0 ? &g_array_index (core->segments, Segment, index)
                                        : NULL;
    guint64 at = segment != NULL ? address - segment->start : 0;

    if (segment != NULL && at < segment->dumped) {
        gssize got = pread (core->fd, data, MIN (size, segment->dumped - at),
                            (off_t) (segment->offset + at));

        return (gsize) MAX (got, 0);
    }
    if (segment != NULL ? at - segment->dumped < segment->lost : core->is_cut) {
        return 0; /* the file has the initial bytes, not what the program has made of them */
    }
    return read_from_file (core, address, data,
                           segment != NULL ? MIN (size, segment->end - address) : size);
}

/* Memory in no segment and no mapped file did not exist, unless the table of segments is
 * truncated. */
static const char *
find_loss (BaseMemoryReader *reader, guint64 address)
{
    TargetCore *core = (TargetCore *) reader;

    return find_segment (core, address) >= 0 || find_file (core, address) != NULL
                   || core->is_cut
               ? N_ ("not in the core file")
               : NULL;
}

static void
read_items (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    TargetCore *core = (TargetCore *) reader;

    for (guint i = 0; i < n_items; i++) {
        gsize got = 1;

        items[i].done = 0;
        while (got > 0 && items[i].done < items[i].size) {
            got = read_piece (core, items[i].address + items[i].done,
                              (guint8 *) items[i].data + items[i].done,
                              items[i].size - items[i].done);
            items[i].done += got;
        }
    }
}

BaseMemoryReader *
target_core_get_memory (TargetCore *core)
{
    return &core->reader;
}

/* ---- notes ---- */

static TargetCoreThread *
get_last_thread (TargetCore *core)
{
    return core->threads->len > 0
               ? &g_array_index (core->threads, TargetCoreThread, core->threads->len - 1)
               : NULL;
}

static void
take_thread (TargetCore *core, const guint8 *data, gsize size)
{
    struct elf_prstatus status;
    TargetCoreThread thread = { 0 };

    if (size < sizeof status || core->threads->len >= MAX_THREADS) {
        return;
    }
    memcpy (&status, data, sizeof status);
    thread.tid = status.pr_pid;
    thread.signal = status.pr_cursig;
    G_STATIC_ASSERT (sizeof thread.registers == sizeof status.pr_reg);
    memcpy (&thread.registers, status.pr_reg, sizeof thread.registers);
    g_array_append_val (core->threads, thread);
}

static void
take_signal (TargetCore *core, const guint8 *data, gsize size)
{
    TargetCoreThread *thread = get_last_thread (core);
    siginfo_t info;

    if (thread != NULL && size >= sizeof info) {
        memcpy (&info, data, sizeof info);
        thread->info = target_signal_info_make (&info);
        thread->whole_info = info;
    }
}

static void
take_extended (TargetCore *core, const guint8 *data, gsize size, gboolean is_whole)
{
    TargetCoreThread *thread = get_last_thread (core);

    if (thread != NULL && (thread->extended == NULL || is_whole)) {
        g_clear_pointer (&thread->extended, g_bytes_unref);
        thread->extended = g_bytes_new (data, size);
    }
}

static void
take_process (TargetCore *core, const guint8 *data, gsize size)
{
    struct elf_prpsinfo info;

    if (size < sizeof info) {
        return;
    }
    memcpy (&info, data, sizeof info);
    core->pid = info.pr_pid;
    g_free (core->command);
    core->command = g_strchomp (g_strndup (info.pr_psargs, sizeof info.pr_psargs));
}

/* count, page size, then start, end, offset in pages of each, then the names. */
static void
take_files (TargetCore *core, const guint8 *data, gsize size)
{
    guint64 head[2], row[3];
    gsize names;

    if (size < sizeof head) {
        return;
    }
    memcpy (head, data, sizeof head);
    if (head[0] > (size - sizeof head) / sizeof row) {
        return;
    }
    names = sizeof head + head[0] * sizeof row;
    for (guint64 i = 0; i < head[0] && names < size && core->files->len < MAX_FILES; i++) {
        gsize length = strnlen ((const char *) data + names, size - names);
        MappedFile file = { .fd = -1 };
        g_autofree char *path = g_strndup ((const char *) data + names, length);

        memcpy (row, data + sizeof head + i * sizeof row, sizeof row);
        file.start = row[0];
        file.end = row[1];
        file.offset = row[2] * head[1];
        file.path = g_intern_string (path);
        if (file.start < file.end) {
            g_array_append_val (core->files, file);
        }
        names += length + 1;
    }
}

static void
take_note (TargetCore *core, guint32 type, const guint8 *data, gsize size)
{
    switch (type) {
    case NT_PRSTATUS: take_thread (core, data, size); break;
    case NT_FPREGSET: take_extended (core, data, size, FALSE); break;
    case NT_X86_XSTATE: take_extended (core, data, size, TRUE); break;
    case NT_XSAVE_LAYOUT:
        core->vectors = machine_vectors_read (data, size);
        core->has_vectors = TRUE;
        break;
    case NT_SIGINFO: take_signal (core, data, size); break;
    case NT_PRPSINFO: take_process (core, data, size); break;
    case NT_FILE: take_files (core, data, size); break;
    case NT_AUXV:
        g_free (core->auxv);
        core->auxv = g_memdup2 (data, size);
        core->auxv_size = size;
        break;
    default: break;
    }
}

static void
read_notes (TargetCore *core, const guint8 *data, gsize size)
{
    BaseElfNote note;
    gsize at = 0;

    while (base_elf_next_note (data, size, &at, &note)) {
        take_note (core, note.type, note.content, note.size);
    }
}

/* ---- opening ---- */

static gboolean
refuse (const char *path, BaseError code, GError **error, const char *why)
{
    base_error_set (error, code, "cannot open core file %s: %s", path, why);
    return FALSE;
}

static void
take_segment (TargetCore *core, const Elf64_Phdr *header, guint64 *missing)
{
    Segment segment = { header->p_vaddr,
                        header->p_vaddr + header->p_memsz,
                        header->p_offset,
                        MIN (header->p_filesz, header->p_memsz),
                        0,
                        (header->p_flags & PF_R) != 0,
                        (header->p_flags & PF_W) != 0,
                        (header->p_flags & PF_X) != 0 };
    guint64 there = header->p_offset < core->size ? core->size - header->p_offset : 0;

    if (segment.start >= segment.end) {
        return;
    }
    if (segment.dumped > there) {
        segment.lost = segment.dumped - there;
        *missing += segment.lost;
        segment.dumped = there;
    }
    g_array_append_val (core->segments, segment);
}

static void
take_notes (TargetCore *core, const Elf64_Phdr *header)
{
    guint64 there = header->p_offset < core->size ? core->size - header->p_offset : 0;
    gsize size = (gsize) MIN (MIN (header->p_filesz, there),
                              MAX_NOTES - MIN (core->n_notes, MAX_NOTES));
    g_autofree guint8 *data = g_malloc (size + 1);
    gssize got = pread (core->fd, data, size, (off_t) header->p_offset);

    /* counts the size again even if several headers point to the same bytes */
    core->n_notes += size;
    if (got > 0) {
        read_notes (core, data, (gsize) got);
    }
}

BASE_ORDER (compare_segments, Segment, BASE_BY (start))

BASE_ORDER (compare_files, MappedFile, BASE_BY (start))

static gboolean
read_headers (TargetCore *core, const char *path, GError **error)
{
    const BaseElfImage image = base_elf_in_file (core->fd);
    BaseElfHeader header;
    guint64 missing = 0;

    if (base_elf_read_type (&image) != ET_CORE) {
        return refuse (path, BASE_ERROR_CORRUPT, error, "it is not a core file");
    }
    if (!base_elf_read_header (&image, &header) || header.machine != machine_elf_number) {
        return refuse (path, BASE_ERROR_UNSUPPORTED, error,
                       "it comes from another kind of machine");
    }
    for (guint32 i = 0; i < MIN (header.n_segments, MAX_SEGMENTS); i++) {
        Elf64_Phdr part;

        if (!base_elf_read_segment (&image, &header, i, &part)) {
            core->is_cut = TRUE;
            break;
        }
        if (part.p_type == PT_NOTE) {
            take_notes (core, &part);
        } else if (part.p_type == PT_LOAD) {
            take_segment (core, &part, &missing);
        }
    }
    if (core->threads->len == 0) {
        return refuse (path, BASE_ERROR_CORRUPT, error, "it is truncated before its threads");
    }
    if (core->is_cut && missing == 0) {
        missing = 1;
    }
    if (missing > 0) {
        g_ptr_array_add (core->remarks, g_strdup_printf ("%s is cut off: %" G_GUINT64_FORMAT
                                                         " MiB of memory are missing",
                                                         path, (missing >> 20) + 1));
    }
    return TRUE;
}

/* The thread that crashed is the first one in the file. Puts the main thread first instead, if
 * it is known. */
static void
order_threads (TargetCore *core)
{
    const TargetCoreThread *threads = (const TargetCoreThread *) (gpointer) core->threads->data;
    TargetCoreThread first = threads[0];

    for (guint i = 0; core->pid != 0 && i < core->threads->len; i++) {
        if (threads[i].tid == core->pid && i > 0) {
            g_array_index (core->threads, TargetCoreThread, 0) = threads[i];
            g_array_index (core->threads, TargetCoreThread, i) = first;
            core->stopped = i;
            return;
        }
    }
}

/* Remarks on files with code for which the core has no build-id. */
static void
remark_unchecked (TargetCore *core, GHashTable *unchecked)
{
    g_autofree char *others = NULL;
    const char *first = NULL;
    guint n = 0;

    BASE_EACH_ROW (core->files, const MappedFile, file) {
        if (g_hash_table_contains (unchecked, file->path)
            && target_file_is_code (file->found, file->offset)) {
            g_hash_table_remove (unchecked, file->path);
            first = n++ == 0 ? file->path : first;
        }
    }
    others = n > 1 ? g_strdup_printf (" and %u other files", n - 1) : g_strdup ("");
    if (n > 0) {
        g_ptr_array_add (core->remarks,
                         g_strdup_printf ("%s%s: the core file has no build-id, so pddt "
                                          "cannot tell whether this is still the file that "
                                          "ran",
                                          first, others));
    }
}

/* Looks each file up once, by the build-id at the start of its mapping, of which the kernel
 * dumps the first page for this purpose. */
static void
find_files (TargetCore *core)
{
    g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
    g_autoptr (GHashTable) unchecked = g_hash_table_new (g_str_hash, g_str_equal);

    BASE_EACH_ROW (core->files, MappedFile, file) {
        g_autofree char *id = NULL, *found = NULL;
        const char *interned;

        if (g_hash_table_lookup_extended (known, file->path, NULL, (gpointer *) &interned)) {
            file->found = interned;
            continue;
        }
        id = file->offset == 0 ? target_build_id_read (&core->reader, file->start) : NULL;
        found = target_build_id_find (id, file->path, core->folder);
        file->found = interned = g_intern_string (found);
        g_hash_table_insert (known, (gpointer) file->path, (gpointer) interned);
        if (found != NULL && id == NULL) {
            g_hash_table_add (unchecked, (gpointer) file->path);
        }
        if (found == NULL && id != NULL) {
            g_ptr_array_add (
                core->remarks,
                g_strdup_printf ("no file for %s: no file with build-id %s is there, beside "
                                 "the core file, in the current folder, or under "
                                 "/usr/lib/debug",
                                 file->path, id));
        }
    }
    remark_unchecked (core, unchecked);
}

TargetCore *
target_core_open (const char *path, GError **error)
{
    TargetCore *core = g_new0 (TargetCore, 1);
    struct stat status;

    core->reader.read = read_items;
    core->reader.find_loss = find_loss;
    core->fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    core->folder = g_path_get_dirname (path);
    core->segments = g_array_new (FALSE, FALSE, sizeof (Segment));
    core->files = g_array_new (FALSE, FALSE, sizeof (MappedFile));
    core->threads = g_array_new (FALSE, FALSE, sizeof (TargetCoreThread));
    core->remarks = g_ptr_array_new_with_free_func (g_free);
    core->command = g_strdup ("");
    if (core->fd < 0 || fstat (core->fd, &status) != 0) {
        refuse (path, BASE_ERROR_NOT_FOUND, error, g_strerror (errno));
        target_core_free (core);
        return NULL;
    }
    core->size = (guint64) status.st_size;
    if (!S_ISREG (status.st_mode)) {
        refuse (path, BASE_ERROR_CORRUPT, error, "it is not a regular file");
        target_core_free (core);
        return NULL;
    }
    if (!read_headers (core, path, error)) {
        target_core_free (core);
        return NULL;
    }
    g_array_sort (core->segments, compare_segments);
    g_array_sort (core->files, compare_files);
    order_threads (core);
    find_files (core);
    return core;
}

void
target_core_free (TargetCore *core)
{
    if (core == NULL) {
        return;
    }
    for (guint i = 0; i < core->files->len; i++) {
        if (g_array_index (core->files, MappedFile, i).fd >= 0) {
            close (g_array_index (core->files, MappedFile, i).fd);
        }
    }
    for (guint i = 0; i < core->threads->len; i++) {
        g_clear_pointer (&g_array_index (core->threads, TargetCoreThread, i).extended,
                         g_bytes_unref);
    }
    if (core->fd >= 0) {
        close (core->fd);
    }
    g_array_unref (core->segments);
    g_array_unref (core->files);
    g_array_unref (core->threads);
    g_ptr_array_unref (core->remarks);
    g_free (core->auxv);
    g_free (core->folder);
    g_free (core->command);
    g_free (core);
}

/* ---- what a live process's /proc says ---- */

static guint64
find_auxv (const TargetCore *core, guint64 type)
{
    for (gsize at = 0; at + 16 <= core->auxv_size; at += 16) {
        guint64 pair[2];

        memcpy (pair, core->auxv + at, sizeof pair);
        if (pair[0] == type) {
            return pair[1];
        }
    }
    return 0;
}

static TargetMap
describe_segment (const Segment *segment)
{
    return (TargetMap){ .start = segment->start,
                        .end = segment->end,
                        .readable = segment->readable,
                        .writable = segment->writable,
                        .executable = segment->executable,
                        .path = "" };
}

static void
add_file_map (TargetCore *core, GArray *maps, const MappedFile *file)
{
    gint index = find_segment (core, file->start);
    TargetMap map
        = { .start = file->start, .end = file->end, .offset = file->offset, .readable = TRUE };

    if (index >= 0) {
        map = describe_segment (&g_array_index (core->segments, Segment, index));
        map.start = file->start;
        map.end = file->end;
        map.offset = file->offset;
    } else if (file->found != NULL) { /* gdb omits what it can read from the file */
        map.executable = target_file_is_code (file->found, file->offset);
    }
    map.path = file->found != NULL ? file->found : file->path;
    map.deleted = file->found == NULL;
    g_array_append_val (maps, map);
}

BASE_ORDER (compare_maps, TargetMap, BASE_BY (start))

GArray *
target_core_dup_maps (TargetCore *core)
{
    GArray *maps = g_array_new (FALSE, TRUE, sizeof (TargetMap));
    guint64 vdso = find_auxv (core, AT_SYSINFO_EHDR);

    for (guint i = 0; i < core->files->len; i++) {
        add_file_map (core, maps, &g_array_index (core->files, MappedFile, i));
    }
    BASE_EACH_ROW (core->segments, const Segment, segment) {
        TargetMap map = describe_segment (segment);

        if (find_file (core, segment->start) == NULL) {
            map.path = vdso != 0 && segment->start == vdso ? "[vdso]" : "";
            g_array_append_val (maps, map);
        }
    }
    g_array_sort (maps, compare_maps);
    return maps;
}

const TargetCoreThread *
target_core_get_threads (TargetCore *core, guint *ret_count)
{
    *ret_count = core->threads->len;
    return (const TargetCoreThread *) (gpointer) core->threads->data;
}

MachineVectors
target_core_find_vectors (const TargetCore *core, GBytes *extended)
{
    gsize size = 0;
    const guint8 *state = g_bytes_get_data (extended, &size);

    return core->has_vectors ? core->vectors : machine_vectors_guess (state, size);
}

guint
target_core_get_stopped (TargetCore *core)
{
    return core->stopped;
}

pid_t
target_core_get_pid (TargetCore *core)
{
    return core->pid;
}

const char *
target_core_get_command (TargetCore *core)
{
    return core->command;
}

GPtrArray *
target_core_get_remarks (TargetCore *core)
{
    return core->remarks;
}

/* At the top of the stack the kernel puts argv, the environment and the auxiliary vector, in
 * this order. The vector is known from its note, so it can be found by its bytes. */
static const guint8 *
find_vector (const TargetCore *core, const guint8 *stack, gsize size)
{
    gsize wanted = MIN (core->auxv_size, 64);

    for (gsize at = 8; wanted >= 32 && at + wanted <= size; at += 8) {
        if (memcmp (stack + at, core->auxv, wanted) == 0) {
            return stack + at;
        }
    }
    return NULL;
}

static GBytes *
collect_environment (TargetCore *core, const guint8 *stack, const guint8 *vector)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();
    const guint8 *word = vector - 8; /* the NULL after the last pointer */
    guint64 pointer = 0;

    for (word -= 8; word >= stack; word -= 8) {
        g_autofree char *text = NULL;

        memcpy (&pointer, word, sizeof pointer);
        text = pointer != 0
                   ? base_memory_read_string (&core->reader, pointer, 65536, NULL, NULL)
                   : NULL;
        if (text == NULL || strchr (text, '=') == NULL) {
            break;
        }
        g_byte_array_append (block, (const guint8 *) text, (guint) strlen (text) + 1);
    }
    return block->len > 0 ? g_byte_array_free_to_bytes (g_steal_pointer (&block)) : NULL;
}

GBytes *
target_core_read_environment (TargetCore *core)
{
    guint64 inside = find_auxv (core, AT_RANDOM); /* 16 bytes above the vector */
    gint index = inside != 0 ? find_segment (core, inside) : -1;
    const Segment *segment = index >= 0 ? &g_array_index (core->segments, Segment, index)
                                        : NULL;
    g_autofree guint8 *stack = NULL;
    const guint8 *vector;
    gsize size;

    if (segment == NULL) {
        return NULL;
    }
    size = MIN (segment->end - segment->start, MAX_STACK_TOP);
    stack = g_malloc (size);
    if (base_memory_read_some (&core->reader, segment->end - size, stack, size) != size) {
        return NULL;
    }
    vector = find_vector (core, stack, size);
    return vector != NULL ? collect_environment (core, stack, vector) : NULL;
}
