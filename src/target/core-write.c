/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a core file, elf(5), with the notes and in the order of Linux' fs/binfmt_elf.c. Memory is chosen as the kernel
 * does by its default filter, core(5): what the process has changed, and the first page of each mapped program or library,
 * which has the build-id. */
#include "target/core-write.h"
#include "base/array.h"
#include "base/elf.h"
#include "base/error.h"
#include "base/file.h"
#include "target/maps.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#define MAX_SEGMENTS 65000u /* beyond PN_XNUM another form would be needed */
#define N_TOGETHER 64u      /* pages */
#define PAGE_IS_THERE                                                                          \
    (G_GUINT64_CONSTANT (3) << 62) /* in memory, or in swap space: proc_pid_pagemap(5) */

typedef struct {
    TargetMap map;
    guint64 dumped, at; /* bytes, and their offset in the file */
    gboolean is_anonymous;
} Segment;

struct _TargetCoreWriter {
    int fd, pagemap;
    char *path;
    BaseMemoryReader *memory;
    GArray *segments; /* of Segment */
    guint index;      /* of the segment that is being written */
    guint64 done;     /* of its bytes */
    guint64 size, lost;
    gboolean is_whole;
};

/* ---- what is dumped ---- */

/* A line of the map itself; other lines begin with a capital. */
static gboolean
is_map_line (const char *line)
{
    return g_ascii_isdigit (*line) || (*line >= 'a' && *line <= 'f');
}

/* The lines of a mapping after its first: how much of it the process has changed, and what the kernel forbids. */
static void
read_details (char **lines, gboolean *ret_changed, gboolean *ret_forbidden)
{
    *ret_changed = *ret_forbidden = FALSE;
    for (; *lines != NULL && !is_map_line (*lines); lines++) {
        if (g_str_has_prefix (*lines, "Anonymous:")) {
            *ret_changed = g_ascii_strtoull (*lines + strlen ("Anonymous:"), NULL, 10) > 0;
        } else if (g_str_has_prefix (*lines, "VmFlags:")) {
            *ret_forbidden = strstr (*lines, " dd") != NULL || strstr (*lines, " io") != NULL
                             || strstr (*lines, " pf") != NULL;
        }
    }
}

static gboolean
is_shared_memory (const TargetMap *map)
{
    static const char *const places[] = { "/dev/zero", "/SYSV", "/memfd:", "/dev/shm/" };

    return BASE_ANY (i, G_N_ELEMENTS (places),
                     map->deleted && g_str_has_prefix (map->path, places[i]));
}

static gboolean
begins_program (BaseMemoryReader *memory, const TargetMap *map)
{
    BaseElfImage image = base_elf_in_memory (memory, map->start);

    return map->path[0] == '/' && map->offset == 0 && map->readable
           && base_elf_read_type (&image) != ET_NONE;
}

static guint64
choose_size (BaseMemoryReader *memory, const TargetMap *map, gboolean is_changed,
             gboolean is_forbidden)
{
    if (is_forbidden || strcmp (map->path, "[vsyscall]") == 0) {
        return 0;
    }
    if (is_changed || strcmp (map->path, "[vdso]") == 0 || is_shared_memory (map)) {
        return map->end - map->start;
    }
    return begins_program (memory, map) ? base_memory_get_page_size () : 0;
}

/* NULL: the process is gone. */
static GArray *
list_segments (pid_t pid, BaseMemoryReader *memory)
{
    g_autofree char *text = base_file_read_process (pid, "smaps", NULL);
    g_auto (GStrv) lines = text != NULL ? g_strsplit (text, "\n", -1) : NULL;
    GArray *segments = lines != NULL ? g_array_new (FALSE, FALSE, sizeof (Segment)) : NULL;

    for (guint i = 0; lines != NULL && lines[i] != NULL; i++) {
        g_autoptr (GArray) maps = is_map_line (lines[i]) ? target_maps_parse (lines[i]) : NULL;
        gboolean is_changed, is_forbidden;
        Segment segment = { 0 };

        if (maps == NULL || maps->len == 0) {
            continue;
        }
        segment.map = g_array_index (maps, TargetMap, 0);
        read_details (lines + i + 1, &is_changed, &is_forbidden);
        segment.dumped = choose_size (memory, &segment.map, is_changed, is_forbidden);
        segment.is_anonymous = segment.map.path[0] == '\0'
                               || g_str_has_prefix (segment.map.path, "[");
        g_array_append_val (segments, segment);
    }
    return segments;
}

/* ---- notes ---- */

/* FALSE: it has ended. */
static gboolean
put_status (GByteArray *notes, pid_t tid, int signal)
{
    struct elf_prstatus status = { 0 };
    MachineRegisters registers;

    if (!target_thread_get_registers (tid, &registers)) {
        return FALSE;
    }
    status.pr_pid = tid;
    status.pr_cursig = (short) signal;
    status.pr_info.si_signo = signal;
    status.pr_fpvalid = 1;
    G_STATIC_ASSERT (sizeof registers == sizeof status.pr_reg);
    memcpy (status.pr_reg, &registers, sizeof registers);
    base_elf_put_note (notes, "CORE", NT_PRSTATUS, &status, sizeof status);
    return TRUE;
}

static void
put_extended (GByteArray *notes, pid_t tid)
{
    g_autoptr (GBytes) state = target_thread_read_extended (tid);
    gsize size = 0;
    gconstpointer data = state != NULL ? g_bytes_get_data (state, &size) : NULL;

    if (size >= sizeof (elf_fpregset_t)) {
        base_elf_put_note (notes, "CORE", NT_FPREGSET, data, sizeof (elf_fpregset_t));
    }
    if (size > sizeof (elf_fpregset_t)) {
        base_elf_put_note (notes, "LINUX", NT_X86_XSTATE, data, size);
    }
}

static void
put_process (GByteArray *notes, pid_t pid)
{
    struct elf_prpsinfo info = { .pr_sname = 't', .pr_pid = pid, .pr_ppid = 0 };
    gsize size = 0;
    g_autofree char *name = base_file_read_process (pid, "comm", NULL);
    g_autofree char *command = base_file_read_process (pid, "cmdline", &size);

    if (name != NULL) {
        g_strlcpy (info.pr_fname, g_strchomp (name), sizeof info.pr_fname);
    }
    for (gsize i = 0; i + 1 < size; i++) {
        command[i] = command[i] == '\0' ? ' ' : command[i];
    }
    if (command != NULL) {
        g_strlcpy (info.pr_psargs, command, sizeof info.pr_psargs);
    }
    base_elf_put_note (notes, "CORE", NT_PRPSINFO, &info, sizeof info);
}

/* Which files are mapped where: target_core_open reads it back. */
static void
put_files (GByteArray *notes, const GArray *segments)
{
    g_autoptr (GByteArray) content = g_byte_array_new (), names = g_byte_array_new ();
    guint64 page = base_memory_get_page_size (), head[2] = { 0, page };

    g_byte_array_append (content, (const guint8 *) head, sizeof head);
    for (guint i = 0; i < segments->len; i++) {
        const TargetMap *map = &g_array_index (segments, Segment, i).map;
        guint64 row[3] = { map->start, map->end, map->offset / page };

        if (map->path[0] == '/') {
            head[0]++;
            g_byte_array_append (content, (const guint8 *) row, sizeof row);
            g_byte_array_append (names, (const guint8 *) map->path,
                                 (guint) strlen (map->path) + !map->deleted);
            if (map->deleted) {
                g_byte_array_append (names, (const guint8 *) " (deleted)", sizeof " (deleted)");
            }
        }
    }
    memcpy (content->data, head, sizeof head);
    g_byte_array_append (content, names->data, names->len);
    base_elf_put_note (notes, "CORE", NT_FILE, content->data, content->len);
}

static GByteArray *
make_notes (pid_t pid, const pid_t *tids, guint n_tids, const siginfo_t *signal,
            const GArray *segments)
{
    GByteArray *notes = g_byte_array_new ();
    gsize auxv_size = 0;
    g_autofree char *auxv = base_file_read_process (pid, "auxv", &auxv_size);

    for (guint i = 0; i < n_tids; i++) {
        if (!put_status (notes, tids[i], signal != NULL ? signal->si_signo : 0)) {
            continue;
        }
        if (i == 0) {
            put_process (notes, pid);
            if (signal != NULL) {
                base_elf_put_note (notes, "CORE", NT_SIGINFO, signal, sizeof *signal);
            }
            if (auxv != NULL) {
                base_elf_put_note (notes, "CORE", NT_AUXV, auxv, auxv_size);
            }
            put_files (notes, segments);
        }
        put_extended (notes, tids[i]);
    }
    return notes;
}

/* ---- the file ---- */

static gboolean
fail (const TargetCoreWriter *writer, GError **error)
{
    base_error_set (error, errno == EEXIST ? BASE_ERROR_INVALID : BASE_ERROR_FAULT,
                    "cannot write %s: %s%s", writer->path, g_strerror (errno),
                    errno == EEXIST ? "; give another name" : "");
    return FALSE;
}

static gboolean
write_all (TargetCoreWriter *writer, gconstpointer data, gsize size, guint64 at, GError **error)
{
    gsize done = 0;

    while (done < size) {
        gssize n = pwrite (writer->fd, (const guint8 *) data + done, size - done,
                           (off_t) (at + done));

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return fail (writer, error);
        }
        done += (gsize) n;
    }
    return TRUE;
}

static Elf64_Phdr
make_header (const Segment *segment)
{
    const TargetMap *map = &segment->map;

    return (Elf64_Phdr){ .p_type = PT_LOAD,
                         .p_flags = (map->readable ? PF_R : 0) | (map->writable ? PF_W : 0)
                                    | (map->executable ? PF_X : 0),
                         .p_offset = segment->at,
                         .p_vaddr = map->start,
                         .p_filesz = segment->dumped,
                         .p_memsz = map->end - map->start,
                         .p_align = base_memory_get_page_size () };
}

/* Everything but memory. */
static gboolean
write_head (TargetCoreWriter *writer, const GByteArray *notes, GError **error)
{
    guint n = writer->segments->len + 1;
    guint64 notes_at = base_elf_get_header_size (n);
    Elf64_Phdr note
        = { .p_type = PT_NOTE, .p_offset = notes_at, .p_filesz = notes->len, .p_align = 4 };
    g_autoptr (GByteArray) out = g_byte_array_new ();
    guint64 page = base_memory_get_page_size ();
    guint64 at = (notes_at + notes->len + page - 1) / page * page;

    base_elf_put_header (out, ET_CORE, machine_elf_number, n);
    g_byte_array_append (out, (const guint8 *) &note, sizeof note);
    BASE_EACH_ROW (writer->segments, Segment, segment) {
        Elf64_Phdr header;

        segment->at = at;
        at += segment->dumped;
        header = make_header (segment);
        g_byte_array_append (out, (const guint8 *) &header, sizeof header);
    }
    g_byte_array_append (out, notes->data, notes->len);
    writer->size = at;
    if (ftruncate (writer->fd, (off_t) at) != 0) {
        return fail (writer, error);
    }
    return write_all (writer, out->data, out->len, 0, error);
}

TargetCoreWriter *
target_core_writer_new (pid_t pid, const pid_t *tids, guint n_tids, const siginfo_t *signal,
                        BaseMemoryReader *memory, const char *path, GError **error)
{
    TargetCoreWriter *writer = g_new0 (TargetCoreWriter, 1);
    g_autoptr (GByteArray) notes = NULL;
    g_autofree char *pagemap = g_strdup_printf ("/proc/%d/pagemap", pid);

    writer->fd = -1;
    writer->path = g_strdup (path);
    writer->memory = memory;
    writer->pagemap = open (pagemap, O_RDONLY | O_CLOEXEC);
    writer->segments = list_segments (pid, memory);
    if (writer->segments == NULL || writer->segments->len == 0
        || writer->segments->len > MAX_SEGMENTS) {
        base_error_set (error, BASE_ERROR_GONE, "cannot write %s: %s", path,
                        writer->segments != NULL && writer->segments->len > 0
                            ? "the process has too many mappings"
                            : "the kernel does not tell what is mapped");
        target_core_writer_free (writer);
        return NULL;
    }
    writer->fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    notes = writer->fd >= 0 ? make_notes (pid, tids, n_tids, signal, writer->segments) : NULL;
    if (writer->fd < 0 ? !fail (writer, error) : !write_head (writer, notes, error)) {
        target_core_writer_free (writer);
        return NULL;
    }
    return writer;
}

/* Nothing of these bytes has ever been there: they stay a hole. */
static gboolean
is_untouched (const TargetCoreWriter *writer, const Segment *segment, guint64 address,
              gsize size)
{
    guint64 entries[N_TOGETHER], page = base_memory_get_page_size ();
    gsize n = size / page;

    if (!segment->is_anonymous || writer->pagemap < 0
        || pread (writer->pagemap, entries, n * sizeof *entries,
                  (off_t) (address / page * sizeof *entries))
               != (gssize) (n * sizeof *entries)) {
        return FALSE;
    }
    return !BASE_ANY (i, n, entries[i] & PAGE_IS_THERE);
}

gboolean
target_core_writer_go_on (TargetCoreWriter *writer, gboolean *ret_done, GError **error)
{
    g_autofree guint8 *data = NULL;
    const Segment *segment;
    gsize size, got;

    while (writer->index < writer->segments->len
           && writer->done >= g_array_index (writer->segments, Segment, writer->index).dumped) {
        writer->index++;
        writer->done = 0;
    }
    *ret_done = writer->is_whole = writer->index >= writer->segments->len;
    if (*ret_done) {
        return TRUE;
    }
    segment = &g_array_index (writer->segments, Segment, writer->index);
    size = MIN (N_TOGETHER * base_memory_get_page_size (), segment->dumped - writer->done);
    if (!is_untouched (writer, segment, segment->map.start + writer->done, size)) {
        data = g_malloc (size);
        got = base_memory_read_some (writer->memory, segment->map.start + writer->done, data,
                                     size);
        writer->lost += size - got;
        if (!write_all (writer, data, got, segment->at + writer->done, error)) {
            return FALSE;
        }
    }
    writer->done += size;
    return TRUE;
}

guint64
target_core_writer_get_size (const TargetCoreWriter *writer)
{
    return writer->size;
}

guint64
target_core_writer_get_lost (const TargetCoreWriter *writer)
{
    return writer->lost;
}

void
target_core_writer_free (TargetCoreWriter *writer)
{
    if (writer == NULL) {
        return;
    }
    if (writer->fd >= 0) {
        if (!writer->is_whole) {
            unlink (writer->path);
        }
        close (writer->fd);
    }
    if (writer->pagemap >= 0) {
        close (writer->pagemap);
    }
    if (writer->segments != NULL) {
        g_array_unref (writer->segments);
    }
    g_free (writer->path);
    g_free (writer);
}
