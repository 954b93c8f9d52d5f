/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts, stops and ends the programs of this folder's tests. */
#include "inferior.h"
#include "../support/report.h"
#include "target/maps.h"
#include "target/process.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_SECONDS 120

static gint64
get_deadline (void)
{
    return g_get_monotonic_time () + WAIT_SECONDS * G_USEC_PER_SEC;
}

/* All threads sleep in a system call: the fact is in /proc/PID/task/TID/stat. */
static gboolean
is_asleep (pid_t pid)
{
    g_autoptr (GArray) threads = target_process_list_threads (pid);

    for (guint i = 0; threads != NULL && i < threads->len; i++) {
        g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/stat", pid,
                                                 g_array_index (threads, pid_t, i));
        g_autofree char *text = NULL;
        const char *end;

        if (!g_file_get_contents (path, &text, NULL, NULL)
            || (end = strrchr (text, ')')) == NULL || end[2] != 'S') {
            return FALSE;
        }
    }
    return threads != NULL && threads->len > 0;
}

Inferior *
inferior_start (const char *const *arguments)
{
    Inferior *inferior = g_new0 (Inferior, 1);
    g_autoptr (GError) error = NULL;
    gint64 deadline = get_deadline ();
    guint n_asleep = 0;
    int output;

    g_spawn_async_with_pipes (NULL, (char **) arguments, NULL,
                              G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, NULL, NULL,
                              &inferior->pid, &inferior->input, &output, NULL, &error);
    g_assert_no_error (error);
    inferior->report = report_read (output, WAIT_SECONDS);
    close (output);
    /* Asleep for good, not on the way there: seen so many times on end. */
    while (n_asleep < 100) {
        g_assert_cmpint (g_get_monotonic_time (), <, deadline);
        n_asleep = is_asleep (inferior->pid) ? n_asleep + 1 : 0;
        g_thread_yield ();
    }
    return inferior;
}

static void
stop_thread (pid_t tid)
{
    g_autoptr (GError) error = NULL;
    int status;

    target_thread_seize (tid, TRUE, &error);
    g_assert_no_error (error);
    g_assert_true (target_thread_interrupt (tid));
    g_assert_cmpint (waitpid (tid, &status, __WALL), ==, tid);
    g_assert_true (WIFSTOPPED (status));
}

void
inferior_stop (Inferior *inferior, IndexClient *client)
{
    g_autoptr (GArray) threads = target_process_list_threads (inferior->pid);
    g_autoptr (GArray) maps = NULL;

    for (guint i = 0; i < threads->len; i++) {
        stop_thread (g_array_index (threads, pid_t, i));
    }
    inferior->is_seized = TRUE;
    maps = target_maps_read (inferior->pid, NULL);
    g_assert_nonnull (maps);
    inferior->memory = target_memory_new (inferior->pid);
    inferior->modules = stack_modules_new (maps, inferior->pid, inferior->memory, client, NULL);
}

void
inferior_free (Inferior *inferior)
{
    int status;
    pid_t tid;

    kill (inferior->pid, SIGKILL);
    /* Each thread stops on its way out; the first one ends last. */
    do {
        tid = waitpid (-1, &status, __WALL);
        if (tid > 0 && WIFSTOPPED (status)) {
            target_thread_continue (tid, 0);
        }
    } while (tid > 0 && (tid != inferior->pid || WIFSTOPPED (status)));
    if (inferior->input >= 0) {
        close (inferior->input);
    }
    stack_modules_free (inferior->modules);
    g_clear_pointer (&inferior->memory, target_memory_free);
    g_free (inferior->report);
    g_free (inferior);
}

char *
inferior_ask_gdb (const Inferior *inferior, const char *const *commands)
{
    g_autofree char *pid = g_strdup_printf ("%d", inferior->pid);
    g_autofree char *program = g_find_program_in_path ("gdb");
    GPtrArray *arguments = g_ptr_array_new ();
    g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "DEBUGINFOD_URLS", "", TRUE);
    char *output = NULL;

    if (program == NULL) {
        g_ptr_array_unref (arguments);
        return NULL;
    }
    g_ptr_array_add (arguments, program);
    g_ptr_array_add (arguments, (char *) "-nx");
    g_ptr_array_add (arguments, (char *) "-batch");
    for (guint i = 0; commands[i] != NULL; i++) {
        g_ptr_array_add (arguments, (char *) "-ex");
        g_ptr_array_add (arguments, (char *) commands[i]);
    }
    g_ptr_array_add (arguments, (char *) "-p");
    g_ptr_array_add (arguments, pid);
    g_ptr_array_add (arguments, NULL);
    g_assert_true (g_spawn_sync (NULL, (char **) arguments->pdata, environment,
                                 G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, NULL,
                                 NULL));
    g_ptr_array_unref (arguments);
    return output;
}
