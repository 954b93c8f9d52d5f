/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a spool as one run: which of them are of one process, which processes are ranks and which their
 * children, and which clock each host has. */
#include "profile/trace/private.h"
#include "base/array.h"
#include "base/error.h"
#include "profile/run.h"
#include "profile/spool.h"
#include <string.h>

/* ---- what the front end has noted of the run ---- */

/* Of a run that was sampled, too, that stands with the samples, in FOLDER/profile beside FOLDER/trace/spool. */
static void
load_info (ProfileTrace *trace, const char *folder)
{
    static const char *const names[] = { PROFILE_SPOOL_NAME,
                                         "../../profile/" PROFILE_SPOOL_NAME };
    ProfileModel *model = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (names) && model == NULL; i++) {
        g_autofree char *path = g_build_filename (folder, names[i], NULL);

        model = profile_spool_load (path, NULL);
        trace->is_sampled = model != NULL && i > 0;
    }
    if (model == NULL) {
        return;
    }
    trace->run = model;
    trace->info = *profile_model_get_info (model);
    trace->info.command = g_strdup (trace->info.command);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        if (!profile_model_is_child (model, i)) {
            trace->size = MAX (trace->size, profile_model_get_rank (model, i) + 1);
        }
    }
}

/* ---- what cannot be used ---- */

static void
add_problem (const ProfileTrace *trace, const char *text)
{
    if (strstr (trace->problems->str, text) == NULL) {
        g_string_append_printf (trace->problems, "%s%s", trace->problems->len > 0 ? "; " : "",
                                text);
    }
}

void
profile_trace_note_damage (const ProfileTrace *trace, const ProfileTraceProcess *process,
                           gboolean is_left_out)
{
    g_autofree char *text = g_strdup_printf (
        is_left_out ? "what process %d on %s has recorded is damaged and left out"
                    : "a part of what process %d on %s has recorded is damaged and left out",
        process->process.pid, process->process.host);

    add_problem (trace, text);
}

void
profile_trace_drop (ProfileTrace *trace, guint process)
{
    profile_trace_note_damage (trace, g_ptr_array_index (trace->processes, process), TRUE);
    g_ptr_array_remove_index (trace->processes, process);
}

/* ---- files ---- */

static ProfileTraceFile *
find_file (const ProfileTrace *trace, const char *name)
{
    return BASE_FIND (*name != '\0' ? trace->files : NULL, ProfileTraceFile, file,
                      strcmp (file->name, name) == 0);
}

BASE_ORDER_POINTERS (compare_files, ProfileTraceFile,
                     BASE_BY (header.begin_real_ns) ?: strcmp (left->name, right->name))

/* Between its begin and its end, or now; without the front end's word, as python3 -m scorep runs, up to now. */
static gboolean
has_possible_times (const ProfileTrace *trace, ProfileTraceFile *file)
{
    const ProfileInfo *info = &trace->info;
    gboolean is_ended = info->end_us > info->begin_us && info->begin_real_us > 0;
    gint64 end_us = is_ended ? info->begin_real_us + info->end_us - info->begin_us
                             : g_get_real_time ();
    gint64 begin_us = info->begin_real_us > 0 ? info->begin_real_us
                                              : (gint64) (file->header.begin_real_ns / 1000);

    return profile_trace_file_set_times (file, begin_us * 1000,
                                         MIN (end_us, g_get_real_time ()) * 1000);
}

static void
note_missing (const ProfileTrace *trace, const ProfileTraceFile *file)
{
    guint64 n = profile_trace_file_count_missing (file);

    if (n > 0) {
        g_autofree char *text = g_strdup_printf ("%s is cut or damaged: %" G_GUINT64_FORMAT
                                                 " of its %" G_GUINT64_FORMAT
                                                 " parts are missing",
                                                 file->name, n, (guint64) file->header.n_begun);

        add_problem (trace, text);
    }
    if (profile_trace_file_is_damaged (file)) {
        g_autofree char *text = g_strdup_printf ("a part of %s is damaged and left out",
                                                 file->name);

        add_problem (trace, text);
    }
}

static void
open_files (ProfileTrace *trace, const char *folder)
{
    GDir *dir = g_dir_open (folder, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        g_autoptr (GError) reason = NULL;
        ProfileTraceFile *file;

        if (!g_str_has_suffix (name, PDDT_TRACE_SUFFIX)) {
            continue;
        }
        file = profile_trace_file_open (folder, name, &reason);
        if (file != NULL && !has_possible_times (trace, file)) {
            g_autofree char *text
                = g_strdup_printf ("%s is damaged and left out: its times cannot be", name);

            add_problem (trace, text);
            profile_trace_file_free (file);
        } else if (file != NULL) {
            note_missing (trace, file);
            g_ptr_array_add (trace->files, file);
        } else if (reason != NULL) {
            add_problem (trace, reason->message);
        }
    }
    if (dir != NULL) {
        g_dir_close (dir);
    }
    g_ptr_array_sort (trace->files, compare_files);
    for (guint i = 0; i < trace->files->len; i++) { /* parents have begun before */
        ProfileTraceFile *file = g_ptr_array_index (trace->files, i);
        const ProfileTraceFile *parent = find_file (trace, file->header.inherited);

        file->parent = parent != file ? parent : NULL;
        profile_trace_file_resolve (trace, file);
    }
}

/* ---- processes ---- */

static gboolean
is_same_process (const ProfileTraceProcess *process, const ProfileTraceFile *file)
{
    return process->process.pid == file->header.pid
           && strcmp (process->process.host, file->header.host) == 0;
}

static char *
quote_command (const struct pddt_trace_header *header)
{
    GString *text = g_string_new (NULL);

    for (guint32 at = 0; at < header->command_size;) {
        gsize size = strnlen (header->command + at, header->command_size - at);
        g_autofree char *word = g_utf8_make_valid (header->command + at, (gssize) size);
        g_autofree char *quoted = g_shell_quote (word);
        gboolean is_plain = *word != '\0'
                            && strpbrk (word, " \t\n\"'\\$`;&|<>()*?[]#~!{}") == NULL;

        g_string_append_printf (text, "%s%s", at > 0 ? " " : "", is_plain ? word : quoted);
        at += (guint32) size + 1;
    }
    return g_string_free (text, FALSE);
}

static void
free_image (gpointer image)
{
    g_free (((ProfileTraceImage *) image)->name);
}

static ProfileTraceProcess *
find_process (ProfileTrace *trace, const ProfileTraceFile *file)
{
    ProfileTraceProcess *process = NULL;

    for (guint i = 0; i < trace->processes->len && process == NULL; i++) {
        ProfileTraceProcess *known = g_ptr_array_index (trace->processes, i);

        process = is_same_process (known, file) ? known : NULL;
    }
    if (process == NULL) {
        process = g_new0 (ProfileTraceProcess, 1);
        process->process.pid = file->header.pid;
        process->process.host = g_utf8_make_valid (file->header.host, -1);
        process->process.program = quote_command (&file->header);
        process->begin_ns = file->header.begin_ns;
        process->rank = G_MAXUINT32;
        process->files = g_ptr_array_new ();
        process->images = g_array_new (FALSE, TRUE, sizeof (ProfileTraceImage));
        g_array_set_clear_func (process->images, free_image);
        g_ptr_array_add (trace->processes, process);
    }
    return process;
}

/* 0: it is not known, or cannot be. */
static guint64
get_load (const ProfileTraceFile *file)
{
    guint64 loaded_ns = file->header.loaded_ns;

    return loaded_ns > file->first_possible_ns ? MIN (loaded_ns, file->header.begin_ns) : 0;
}

static guint64
get_file_begin (const ProfileTraceFile *file)
{
    guint64 loaded_ns = get_load (file), started_ns = file->header.started_ns;

    return loaded_ns == 0                         ? file->header.begin_ns
           : started_ns > file->first_possible_ns ? MIN (started_ns, loaded_ns)
                                                  : loaded_ns;
}

/* Where it is not known which program a file is of, all are one. */
static ProfileTraceImage *
find_image (ProfileTraceProcess *process, ProfileTraceFile *file)
{
    ProfileTraceImage fresh = { .image = file->header.image,
                                .begin_ns = get_file_begin (file) };
    g_autofree char *command = NULL;

    for (file->image = 0; file->image < process->images->len; file->image++) {
        ProfileTraceImage *image = &g_array_index (process->images, ProfileTraceImage,
                                                   file->image);

        if (file->header.image == 0 || image->image == 0
            || image->image == file->header.image) {
            return image;
        }
    }
    command = g_utf8_make_valid (file->header.command_size > 0 ? file->header.command
                                                               : "program",
                                 -1);
    fresh.name = g_path_get_basename (command);
    g_array_append_val (process->images, fresh);
    return &g_array_index (process->images, ProfileTraceImage, file->image);
}

static void
note_image (ProfileTraceProcess *process, ProfileTraceFile *file)
{
    ProfileTraceImage *image = find_image (process, file);
    guint64 loaded_ns = get_load (file);

    if (loaded_ns != 0 && (image->loaded_ns == 0 || loaded_ns < image->loaded_ns)) {
        image->loaded_ns = loaded_ns;
        image->loading_ns = file->header.loading_ns;
    }
    image->begin_ns = MIN (image->begin_ns, get_file_begin (file));
    image->is_python |= file->header.writer == PDDT_TRACE_PYTHON;
    if (file->header.end.state == PDDT_TRACE_EXECUTED) {
        image->left_ns = MAX (image->left_ns, file->header.end.end_ns);
    }
    if (file->header.end.is_exit) {
        image->exit_ns = MAX (image->exit_ns, file->header.end.end_ns);
    }
}

static void
set_left (ProfileTrace *trace)
{
    for (guint i = 0; i < trace->processes->len; i++) {
        ProfileTraceProcess *process = g_ptr_array_index (trace->processes, i);

        for (guint j = 0; j < process->files->len; j++) {
            ProfileTraceFile *file = g_ptr_array_index (process->files, j);

            file->left_ns
                = g_array_index (process->images, ProfileTraceImage, file->image).left_ns;
        }
    }
}

static void
group_files (ProfileTrace *trace)
{
    for (guint i = 0; i < trace->files->len; i++) {
        ProfileTraceFile *file = g_ptr_array_index (trace->files, i);
        ProfileTraceProcess *process = find_process (trace, file);

        g_ptr_array_add (process->files, file);
        process->begin_ns = MIN (process->begin_ns, get_file_begin (file));
        note_image (process, file);
        process->end_ns = MAX (process->end_ns, file->header.end.end_ns);
        process->is_cut = file->header.end.state == PDDT_TRACE_RUNNING;
        process->n_lost += file->header.n_lost;
        process->keep = MAX (process->keep, file->header.keep);
        process->problem = file->header.problem != 0 ? (int) file->header.problem
                                                     : process->problem;
        if (file->header.first_size != PDDT_TRACE_UNKNOWN
            && file->header.first_size < 1u << 24) {
            trace->size = MAX (trace->size, file->header.first_size);
        }
    }
}

/* ---- ranks ---- */

static const struct pddt_trace_header *
get_header (const ProfileTraceProcess *process)
{
    return &((const ProfileTraceFile *) g_ptr_array_index (process->files, 0))->header;
}

static ProfileTraceProcess *
find_by_pid (const ProfileTrace *trace, const ProfileTraceProcess *child)
{
    return BASE_FIND (trace->processes, ProfileTraceProcess, process,
                      process != child && process->process.pid == get_header (child)->parent_pid
                          && strcmp (process->process.host, child->process.host) == 0
                          && process->begin_ns <= child->begin_ns);
}

static ProfileTraceProcess *
find_by_rank (const ProfileTrace *trace, guint32 rank)
{
    return BASE_FIND (trace->processes, ProfileTraceProcess, process, process->rank == rank);
}

/* Of the processes that bear a rank the first one that none of the others has begun is it. */
static void
number_ranks (ProfileTrace *trace)
{
    guint32 next = 0;

    for (guint i = 0; i < trace->processes->len; i++) {
        ProfileTraceProcess *process = g_ptr_array_index (trace->processes, i);
        guint32 rank = get_header (process)->first_rank;

        if (rank < trace->size && find_by_rank (trace, rank) == NULL
            && find_by_pid (trace, process) == NULL) {
            process->rank = rank;
        }
    }
    for (guint i = 0; i < trace->processes->len;
         i++) { /* those that no launcher has numbered */
        ProfileTraceProcess *process = g_ptr_array_index (trace->processes, i);

        if (process->rank == G_MAXUINT32 && get_header (process)->first_rank >= trace->size
            && find_by_pid (trace, process) == NULL) {
            while (find_by_rank (trace, next) != NULL) {
                next++;
            }
            process->rank = next;
            trace->size = MAX (trace->size, next + 1);
        }
    }
}

static void
number_children (ProfileTrace *trace)
{
    guint32 next = trace->size;

    for (guint i = 0; i < trace->processes->len; i++) {
        ProfileTraceProcess *process = g_ptr_array_index (trace->processes, i);
        const ProfileTraceProcess *parent;

        if (process->rank != G_MAXUINT32) {
            continue;
        }
        process->rank = next++;
        parent = find_by_pid (trace, process);
        if (parent == NULL || parent->rank == G_MAXUINT32) {
            parent = find_by_rank (trace, get_header (process)->first_rank);
        }
        process->process.parent = parent != NULL ? parent->rank + 1 : 1;
    }
}

BASE_ORDER_POINTERS (compare_ranks, ProfileTraceProcess, BASE_BY (rank))

/* ---- clocks ---- */

static gint64
get_epoch_ns (const struct pddt_trace_header *header)
{
    return (gint64) header->begin_real_ns - (gint64) header->begin_ns;
}

/* Hosts agree on the time of day, each as well as it is kept there. The front end's host has no difference. Where samples
 * were taken, too, the front end has asked the other hosts for their time, and moves the samples by that. */
static void
set_clocks (ProfileTrace *trace)
{
    const char *host = g_get_host_name ();
    gint64 epoch_ns = (trace->info.begin_real_us - trace->info.begin_us) * 1000;

    if (trace->info.begin_real_us == 0 && trace->processes->len > 0) {
        const ProfileTraceProcess *first = g_ptr_array_index (trace->processes, 0);

        host = first->process.host;
        epoch_ns = get_epoch_ns (get_header (first));
    }
    for (guint i = 0; i < trace->processes->len; i++) {
        ProfileTraceProcess *process = g_ptr_array_index (trace->processes, i);

        process->clock = trace->is_sampled
                             ? profile_model_get_host_clock (trace->run, process->process.host)
                             : NULL;
        if (strcmp (process->process.host, host) != 0 && !trace->is_sampled) {
            process->offset_ns = get_epoch_ns (get_header (process)) - epoch_ns;
        }
        process->process.offset_us = 0; /* what is written has the front end's times */
    }
}

guint64
profile_trace_move (const ProfileTraceProcess *process, guint64 time_ns)
{
    gint64 offset_ns
        = process->clock != NULL
              ? 1000 * profile_clock_get_offset (process->clock, (gint64) (time_ns / 1000))
              : process->offset_ns;

    return (guint64) MAX ((gint64) time_ns + offset_ns, 0);
}

/* ---- threads ---- */

BASE_FREE (free_thread, ProfileTraceThread, thread, g_array_unref (thread->parts);
           g_free (thread->name))

static ProfileTraceThread *
find_thread (ProfileTraceProcess *process, const struct pddt_trace_chunk *chunk)
{
    ProfileTraceThread *thread;

    for (guint i = 0; i < process->threads->len; i++) {
        thread = g_ptr_array_index (process->threads, i);
        if (thread->tid == chunk->tid) {
            return thread;
        }
    }
    thread = g_new0 (ProfileTraceThread, 1);
    thread->tid = chunk->tid;
    thread->name = g_strndup (chunk->name, sizeof chunk->name);
    thread->parts = g_array_new (FALSE, FALSE, sizeof (ProfileTracePart));
    thread->until_ns = G_MAXUINT64;
    g_ptr_array_add (process->threads, thread);
    return thread;
}

/* A file's chunks of one thread stand together. */
static void
add_parts (ProfileTraceProcess *process, const ProfileTraceFile *file)
{
    for (guint i = 0; i < file->events->len;) {
        const ProfileTraceChunk *first = &g_array_index (file->events, ProfileTraceChunk, i);
        ProfileTracePart part = { file, first, 0 };
        ProfileTraceThread *thread = find_thread (process, first->chunk);

        if (first->chunk->born > thread->born) {
            thread->born = first->chunk->born;
            thread->born_ns = first->chunk->born_ns;
        }
        while (i < file->events->len
               && g_array_index (file->events, ProfileTraceChunk, i).chunk->tid
                      == first->chunk->tid) {
            part.n++;
            i++;
        }
        g_array_append_val (thread->parts, part);
    }
}

static guint64
get_begin (const ProfileTraceThread *thread)
{
    guint64 begin_ns = G_MAXUINT64;

    for (guint i = 0; i < thread->parts->len; i++) {
        const ProfileTracePart *part = &g_array_index (thread->parts, ProfileTracePart, i);

        begin_ns = MIN (begin_ns, part->first->chunk->begin_ns);
    }
    return begin_ns;
}

guint
profile_trace_thread_get_image (const ProfileTraceThread *thread)
{
    return g_array_index (thread->parts, ProfileTracePart, 0).file->image;
}

static gint
compare_threads (gconstpointer a, gconstpointer b, gpointer user)
{
    const ProfileTraceThread *left = *(ProfileTraceThread *const *) a;
    const ProfileTraceThread *right = *(ProfileTraceThread *const *) b;
    gint32 pid = *(const gint32 *) user;

    if ((left->tid == pid) != (right->tid == pid)) {
        return left->tid == pid ? -1 : 1;
    }
    return (get_begin (left) > get_begin (right)) - (get_begin (left) < get_begin (right));
}

/* When the process has begun to lose what comes: all of its writers and threads end there, since what they did after that is
 * not known. */
static guint64
get_end (const ProfileTraceProcess *process)
{
    guint64 end_ns = G_MAXUINT64;

    for (guint i = 0; i < process->files->len; i++) {
        const ProfileTraceFile *file = g_ptr_array_index (process->files, i);

        if (file->header.keep != PDDT_TRACE_KEEP_LAST && file->header.full.time_ns != 0) {
            end_ns = MIN (end_ns, file->header.full.time_ns);
        }
    }
    return end_ns;
}

/* When the last event was lost that is lost. */
static guint64
get_start (const ProfileTraceThread *thread)
{
    guint64 start_ns = 0;

    for (guint i = 0; i < thread->parts->len; i++) {
        const ProfileTracePart *part = &g_array_index (thread->parts, ProfileTracePart, i);

        for (guint j = 0; j < part->n; j++) {
            if (part->first[j].chunk->kind == PDDT_TRACE_STACK) {
                start_ns = MAX (start_ns, part->first[j].chunk->begin_ns);
            }
        }
    }
    return start_ns;
}

static void
find_losses (ProfileTraceProcess *process)
{
    guint64 until_ns = get_end (process);

    for (guint i = 0; i < process->threads->len && process->n_lost > 0; i++) {
        ProfileTraceThread *thread = g_ptr_array_index (process->threads, i);
        guint64 n_left_out;

        thread->from_ns = get_start (thread);
        thread->until_ns = until_ns;
        for (guint j = 0; j < process->files->len; j++) {
            const ProfileTraceFile *file = g_ptr_array_index (process->files, j);

            for (guint k = 0; k < PDDT_TRACE_LOST_THREADS; k++) {
                thread->n_lost += file->header.lost[k].tid == (guint64) thread->tid
                                      ? file->header.lost[k].n
                                      : 0;
            }
        }
        n_left_out = profile_trace_count_left_out (thread);
        thread->n_lost += n_left_out;
        process->n_lost += n_left_out;
    }
}

static void
find_threads (ProfileTraceProcess *process)
{
    guint32 number = 1;

    process->threads = g_ptr_array_new_with_free_func (free_thread);
    for (guint i = 0; i < process->files->len; i++) {
        add_parts (process, g_ptr_array_index (process->files, i));
    }
    g_ptr_array_sort_with_data (process->threads, compare_threads, &process->process.pid);
    for (guint i = 0; i < process->threads->len; i++) {
        ProfileTraceThread *thread = g_ptr_array_index (process->threads, i);

        number += i == 0
                  && thread->tid != process->process.pid; /* its first one was not seen */
        thread->number = number++;
    }
    find_losses (process);
}

/* ---- the run ---- */

static void
free_process (gpointer data)
{
    ProfileTraceProcess *process = data;

    g_free (process->process.host);
    g_free (process->process.program);
    g_ptr_array_unref (process->files);
    g_array_unref (process->images);
    if (process->threads != NULL) {
        g_ptr_array_unref (process->threads);
    }
    g_free (process);
}

void
profile_trace_free (ProfileTrace *trace)
{
    if (trace == NULL) {
        return;
    }
    g_ptr_array_unref (trace->processes);
    g_ptr_array_unref (trace->files);
    g_array_unref (trace->regions);
    g_clear_pointer (&trace->known_regions, g_hash_table_unref);
    g_hash_table_unref (trace->texts);
    g_string_free (trace->problems, TRUE);
    g_free (trace->info.command);
    profile_model_free (trace->run);
    g_free (trace);
}

ProfileTrace *
profile_trace_load (const char *folder, GError **error)
{
    g_autoptr (ProfileTrace) trace = g_new0 (ProfileTrace, 1);

    trace->files = g_ptr_array_new_with_free_func ((GDestroyNotify) profile_trace_file_free);
    trace->processes = g_ptr_array_new_with_free_func (free_process);
    trace->regions = g_array_new (FALSE, TRUE, sizeof (ProfileTraceRegion));
    g_array_set_size (trace->regions, 1);
    trace->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    trace->problems = g_string_new (NULL);
    load_info (trace, folder);
    open_files (trace, folder);
    if (trace->files->len == 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "%s",
                     trace->problems->len > 0 ? trace->problems->str : PROFILE_TRACE_NOTHING);
        return NULL;
    }
    group_files (trace);
    set_left (trace);
    number_ranks (trace);
    number_children (trace);
    g_ptr_array_sort (trace->processes, compare_ranks);
    set_clocks (trace);
    for (guint i = 0; i < trace->processes->len; i++) {
        find_threads (g_ptr_array_index (trace->processes, i));
    }
    return g_steal_pointer (&trace);
}
