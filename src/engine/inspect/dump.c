/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `generate-core-file`: a core file of a rank that goes on. Its threads stand still until it is written; the loop serves
 * others meanwhile. */
#include "engine/inspect/private.h"
#include "target/core-write.h"
#include <unistd.h>

#define TURN_US 5000
#define PAUSE_US 1000

/* The thread that has stopped is the first one. */
static GArray *
list_threads (const EngineProcess *process)
{
    GArray *tids = g_array_new (FALSE, FALSE, sizeof (pid_t));

    for (guint i = 0; i < process->threads->len; i++) {
        const EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (thread == engine_process_get_stopped (process)) {
            g_array_prepend_val (tids, thread->tid);
        } else if (!thread->exiting) {
            g_array_append_val (tids, thread->tid);
        }
    }
    return tids;
}

static gboolean
write_core (EngineProcess *process, TargetCoreWriter *writer, GError **error)
{
    gint64 turn = g_get_monotonic_time ();
    gboolean done = FALSE;

    while (!done) {
        if (!target_core_writer_go_on (writer, &done, error)) {
            return FALSE;
        }
        if (!done && g_get_monotonic_time () - turn > TURN_US) {
            engine_work_pause (process, PAUSE_US);
            turn = g_get_monotonic_time ();
        }
        if (engine_work_is_abandoned () || process->ended) {
            base_error_set (error, BASE_ERROR_GONE,
                            "cannot write a core file of the rank: the rank has ended");
            return FALSE;
        }
    }
    return TRUE;
}

gboolean
engine_inspect_dump (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (GArray) tids = list_threads (process);
    const EngineThread *thread = engine_process_get_stopped (process);
    gboolean has_signal = thread != NULL && process->state == JOB_STATE_SIGNAL && !look->sampled
                          && thread->pending_info.si_signo == process->state_number;
    g_autoptr (TargetCoreWriter) writer = NULL;
    g_autofree char *text = NULL, *size = NULL;
    guint64 lost;

    if (geteuid ()
        != process->owner.uid) { /* what is written would be this user's, not the owner's */
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot write a core file of another user's process: run pddt as that "
                        "user");
        return FALSE;
    }
    writer = target_core_writer_new (process->pid, (const pid_t *) (gpointer) tids->data,
                                     tids->len, has_signal ? &thread->pending_info : NULL,
                                     engine_process_get_memory (process), request->text, error);
    if (writer == NULL || !write_core (process, writer, error)) {
        return FALSE;
    }
    size = g_format_size_full (target_core_writer_get_size (writer), G_FORMAT_SIZE_IEC_UNITS);
    lost = target_core_writer_get_lost (writer);
    text = lost == 0 ? g_strdup_printf ("saved core file %s", request->text)
                     : g_strdup_printf ("saved core file %s; %" G_GUINT64_FORMAT
                                        " bytes could not be read and are zero in it",
                                        request->text, lost);
    return engine_inspect_answer_text (look, request->id, text);
}
