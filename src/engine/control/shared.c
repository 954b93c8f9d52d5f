/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that several processes of this host have (proc(5), maps), and locks in it: who holds one, and who else could
 * end a wait there. */
#include "engine/control/private.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    gboolean is_shared;
    char key[64]; /* device and inode */
} Mapping;

static gboolean
parse (const char *line, guint64 *ret_start, guint64 *ret_end, Mapping *ret_mapping)
{
    char flags[8] = "", device[24] = "", inode[24] = "";
    unsigned long start, end;

    if (sscanf (line, "%lx-%lx %7s %*s %23s %23s", &start, &end, flags, device, inode) != 5
        || strlen (flags) < 4) {
        return FALSE;
    }
    *ret_start = start;
    *ret_end = end;
    ret_mapping->is_shared = flags[3] == 's';
    g_snprintf (ret_mapping->key, sizeof ret_mapping->key, "%s %s", device, inode);
    return TRUE;
}

/* The mapping at the address; with wanted instead the one of that file. FALSE: none. */
static gboolean
find_mapping (pid_t pid, guint64 address, const Mapping *wanted, Mapping *ret_mapping)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) pid);
    FILE *file = fopen (path, "re");
    gboolean found = FALSE;
    guint64 start, end;
    char line[8192];

    while (!found && file != NULL && fgets (line, sizeof line, file) != NULL) {
        found = parse (line, &start, &end, ret_mapping)
                && (wanted != NULL
                        ? ret_mapping->is_shared && strcmp (ret_mapping->key, wanted->key) == 0
                        : start <= address && address < end);
    }
    if (file != NULL) {
        fclose (file);
    }
    return found;
}

gboolean
engine_memory_is_shared (const EngineProcess *process, guint64 address)
{
    Mapping mapping;

    return process->core != NULL /* of a core it is not known */
           || !g_file_test ("/proc/self/maps", G_FILE_TEST_EXISTS)
           || (find_mapping (process->pid, address, NULL, &mapping) && mapping.is_shared);
}

/* Children of ranks that pddt follows are none. */
static gboolean
is_rank (const EngineProcess *process)
{
    return !process->ended && !process->is_forked;
}

char *
engine_memory_dup_sharers (const EngineProcess *process, guint64 address)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    Mapping own, other;

    if (process->core != NULL || !find_mapping (process->pid, address, NULL, &own)
        || !own.is_shared) {
        return NULL;
    }
    for (guint i = 0; i < process->engine->processes->len; i++) {
        const EngineProcess *one = g_ptr_array_index (process->engine->processes, i);

        if (one != process && is_rank (one) && find_mapping (one->pid, 0, &own, &other)) {
            job_rank_set_add (ranks, one->rank);
        }
    }
    return job_rank_set_is_empty (ranks) ? NULL : job_rank_set_format (ranks);
}

static gboolean
has_thread (const EngineProcess *process, pid_t tid)
{
    return BASE_HAS (process->threads, const EngineThread, thread, thread->tid == tid);
}

/* Its numbers of threads, as they stand in its memory, are those of this process. */
static gboolean
has_same_numbers (const EngineProcess *process)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/ns/pid", (int) process->pid);
    g_autofree char *its = g_file_read_link (path, NULL);
    g_autofree char *own = g_file_read_link ("/proc/self/ns/pid", NULL);

    return g_strcmp0 (its, own) == 0;
}

void
engine_wait_note_owner (JobWait *wait, const EngineProcess *process, pid_t tid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) tid);
    g_autofree char *text = NULL;
    const char *at;

    if (!has_same_numbers (process)) {
        return;
    }
    for (guint i = 0; i < process->engine->processes->len; i++) {
        const EngineProcess *one = g_ptr_array_index (process->engine->processes, i);

        if (is_rank (one) && has_thread (one, tid)) {
            wait->peer = one->rank + 1;
            return;
        }
    }
    at = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, "\nTgid:") : NULL;
    if (at == NULL || strstr (text, "\nState:\tZ") != NULL) { /* or is a zombie */
        wait->flags |= JOB_WAIT_LEFT;
        wait->other_name = g_strdup_printf ("%d", (int) tid);
    } else {
        wait->other_name = engine_process_dup_name ((pid_t) strtol (at + strlen ("\nTgid:"),
                                                                    NULL, 10));
    }
}

/* MPI's own threads wake none of the program's. */
gboolean
engine_process_is_single (const EngineProcess *process)
{
    guint n = 0;

    for (guint i = 0; i < process->threads->len; i++) {
        const EngineThread *thread = g_ptr_array_index (process->threads, i);

        n += !thread->is_mpis && !thread->shares_memory;
    }
    return n == 1;
}
