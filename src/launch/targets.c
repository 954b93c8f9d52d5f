/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes and core files that the user names, and their ranks. */
#include "base/array.h"
#include "base/error.h"
#include "job/launcher-rank.h"
#include "launch/hand-over.h"
#include "launch/launch.h"
#include "launch/targets-private.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

BASE_FREE_PUBLIC (launch_target_free, LaunchTarget, target, g_free (target->core))

GPtrArray *
launch_targets_new (void)
{
    return g_ptr_array_new_with_free_func ((GDestroyNotify) launch_target_free);
}

void
launch_targets_add (GPtrArray *targets, gint32 pid, guint32 rank)
{
    LaunchTarget *target = g_new0 (LaunchTarget, 1);
    target->pid = pid;
    target->rank = rank;
    g_ptr_array_add (targets, target);
}

BASE_ORDER_POINTERS (compare_targets, LaunchTarget, BASE_BY (rank) ?: BASE_BY (pid))

void
launch_targets_drop_doubles (GPtrArray *targets)
{
    g_ptr_array_sort (targets, compare_targets);
    for (guint i = targets->len; i-- > 1;) {
        if (((LaunchTarget *) targets->pdata[i])->rank
            == ((LaunchTarget *) targets->pdata[i - 1])->rank) {
            g_ptr_array_remove_index (targets, i);
        }
    }
}

char *
launch_targets_format_list (GPtrArray *targets)
{
    g_autoptr (GString) text = g_string_new (NULL);
    for (guint i = 0; i < targets->len; i++) {
        const LaunchTarget *target = targets->pdata[i];
        g_string_append_printf (text, "%s%d:%u:%u", i > 0 ? "," : "", target->pid, target->rank,
                                target->size);
    }
    return g_strdup (text->str);
}

gboolean
launch_targets_parse_list (GPtrArray *targets, const char *text)
{
    g_autofree char *line = g_strndup (text, strcspn (text, "\r\n"));
    g_auto (GStrv) words = g_strsplit (line, ",", -1);
    for (guint i = 0; words[i]; i++) {
        int pid, n = 0;
        unsigned rank, size;
        if (sscanf (words[i], "%d:%u:%u%n", &pid, &rank, &size, &n) != 3 || words[i][n] != '\0'
            || pid <= 0) {
            return FALSE;
        }
        launch_targets_add (targets, pid, rank);
        ((LaunchTarget *) targets->pdata[targets->len - 1])->size = size;
    }
    return TRUE;
}

LaunchRemote *
launch_remote_copy (const LaunchRemote *remote)
{
    LaunchRemote *copy = g_memdup2 (remote, sizeof *remote);
    copy->host = g_strdup (remote->host);
    copy->words = g_strdup (remote->words);
    g_ptr_array_ref (copy->targets);
    return copy;
}

BASE_FREE_PUBLIC (launch_remote_free, LaunchRemote, remote, g_free (remote->host);
                  g_free (remote->words); g_ptr_array_unref (remote->targets))

void
launch_targets_set_size (GPtrArray *targets)
{
    guint32 size = 0;
    for (guint i = 0; i < targets->len; i++) {
        size = MAX (size, ((LaunchTarget *) targets->pdata[i])->rank + 1);
    }
    for (guint i = 0; i < targets->len; i++) {
        ((LaunchTarget *) targets->pdata[i])->size = size;
    }
}

gboolean
launch_target_find_rank (pid_t pid, guint32 *ret_rank)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/environ", (int) pid);
    g_autofree char *block = NULL;
    gsize size = 0;
    return g_file_get_contents (path, &block, &size, NULL)
           && job_launcher_rank_find (block, size, ret_rank);
}

guint32
launch_targets_find_size (GPtrArray *targets)
{
    static const char *const names[]
        = { "OMPI_COMM_WORLD_SIZE=", "PMI_SIZE=", "SLURM_NTASKS=" };
    const LaunchTarget *target = targets->len > 0 ? targets->pdata[0] : NULL;
    g_autofree char *path = g_strdup_printf ("/proc/%d/environ",
                                             target ? (int) target->pid : 0);
    g_autofree char *block = NULL;
    gsize size = 0;
    if (!target || !g_file_get_contents (path, &block, &size, NULL)) {
        return 0;
    }
    for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
        for (gsize at = 0; at < size; at += strlen (block + at) + 1) {
            if (g_str_has_prefix (block + at, names[i])) {
                return (guint32) g_ascii_strtoull (block + at + strlen (names[i]), NULL, 10);
            }
        }
    }
    return 0;
}

gboolean
launch_target_is_living (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
    g_autofree char *text = NULL;
    const char *after = NULL;
    if (g_file_get_contents (path, &text, NULL, NULL)) {
        after = strrchr (text, ')');
    }
    return after && after[1] == ' ' && after[2] != 'Z' && after[2] != 'X';
}

static gboolean
number_by_environment (GPtrArray *targets)
{
    g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
    g_autofree guint32 *ranks = g_new0 (guint32, targets->len);
    guint32 next = 0;
    for (guint i = 0; i < targets->len; i++) {
        const LaunchTarget *target = targets->pdata[i];
        ranks[i] = G_MAXUINT32;
        /* an ended process cannot invalidate the numbers of the others */
        if (launch_target_is_living (target->pid)
            && (!launch_target_find_rank (target->pid, &ranks[i])
                || !g_hash_table_add (taken, GUINT_TO_POINTER (ranks[i])))) {
            return FALSE;
        }
    }
    for (guint i = 0; i < targets->len; i++) {
        while (ranks[i] == G_MAXUINT32) {
            ranks[i] = g_hash_table_add (taken, GUINT_TO_POINTER (next)) ? next : G_MAXUINT32;
            next++;
        }
        ((LaunchTarget *) targets->pdata[i])->rank = ranks[i];
    }
    return TRUE;
}

GPtrArray *
launch_targets_parse (const char *pids, GError **error)
{
    g_auto (GStrv) words = g_strsplit (pids, ",", -1);
    g_autoptr (GPtrArray) targets = launch_targets_new ();
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    for (guint i = 0; words[i]; i++) {
        guint64 pid;
        if (!g_ascii_string_to_unsigned (g_strstrip (words[i]), 10, 1, G_MAXINT32, &pid,
                                         NULL)) {
            base_error_set (error, BASE_ERROR_INVALID,
                            "cannot attach to \"%s\": it is not a process number", words[i]);
            return NULL;
        }
        if (g_hash_table_add (seen, GUINT_TO_POINTER (pid))) {
            launch_targets_add (targets, (gint32) pid, targets->len);
        }
    }
    if (targets->len == 0) {
        base_error_set (error, BASE_ERROR_INVALID, "cannot attach: no process is named");
        return NULL;
    }
    number_by_environment (targets);
    launch_targets_set_size (targets);
    return g_steal_pointer (&targets);
}

GPtrArray *
launch_targets_from_cores (const char *const *paths, GError **error)
{
    g_autoptr (GPtrArray) targets = launch_targets_new ();
    for (guint i = 0; paths[i]; i++) {
        if (access (paths[i], R_OK) != 0) {
            base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot open core file %s: %s",
                            paths[i], g_strerror (errno));
            return NULL;
        }
        launch_targets_add (targets, 0, targets->len);
        ((LaunchTarget *) targets->pdata[i])->core = g_canonicalize_filename (paths[i], NULL);
    }
    return g_steal_pointer (&targets);
}
