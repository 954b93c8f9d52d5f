/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines as records of a spool, with an index of every thousandth, so that any page is found at
 * once. */
#include "gui/console/output-log.h"
#include "base/array.h"
#include "base/spool.h"
#include <string.h>

#define MEMORY (16u << 20)
#define STRIDE 1000

typedef struct {
    guint32 stream, is_open;
    guint32 ranks_size, text_size; /* with their '\0'; ranks_size 0: of the job */
} Head;

struct _GuiOutputLog {
    BaseSpool *spool;
    GArray *offsets; /* of guint64: of lines 0, STRIDE, 2 * STRIDE … */
    guint64 count;
};

GuiOutputLog *
gui_output_log_new (gsize memory_bytes)
{
    GuiOutputLog *log = g_new0 (GuiOutputLog, 1);

    log->spool = base_spool_new (NULL, memory_bytes > 0 ? memory_bytes : MEMORY, G_MAXUINT64);
    log->offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
    return log;
}

BASE_FREE_PUBLIC (gui_output_log_free, GuiOutputLog, log, base_spool_free (log->spool);
                  g_array_unref (log->offsets))

void
gui_output_log_append (GuiOutputLog *log, const JobRankSet *ranks, guint stream,
                       const char *text, gboolean is_open)
{
    g_autofree char *words = ranks != NULL ? job_rank_set_format (ranks) : NULL;
    guint64 offset = base_spool_get_end (log->spool);
    Head head = { stream, (guint32) is_open, words != NULL ? (guint32) strlen (words) + 1 : 0,
                  (guint32) MIN (strlen (text), G_MAXINT32) + 1 };

    if (log->count++ % STRIDE == 0) {
        g_array_append_val (log->offsets, offset);
    }
    base_spool_append (log->spool, &head, sizeof head);
    base_spool_append (log->spool, words, head.ranks_size);
    base_spool_append (log->spool, text, head.text_size - 1);
    base_spool_append (log->spool, "", 1);
}

guint64
gui_output_log_get_count (const GuiOutputLog *log)
{
    return log->count;
}

/* The offset behind it; 0: it cannot be read. */
static guint64
read_line (GuiOutputLog *log, guint64 offset, GuiOutputLine on_line, gpointer user)
{
    g_autoptr (JobRankSet) ranks = NULL;
    g_autofree char *bytes = NULL;
    Head head;
    gsize size;

    if (base_spool_read (log->spool, offset, &head, sizeof head) < sizeof head) {
        return 0;
    }
    size = (gsize) head.ranks_size + head.text_size;
    if (on_line != NULL) {
        bytes = g_malloc (size);
        if (base_spool_read (log->spool, offset + sizeof head, bytes, size) < size) {
            return 0;
        }
        ranks = head.ranks_size > 0 ? job_rank_set_parse (bytes, G_MAXUINT32, NULL) : NULL;
        on_line (ranks, head.stream, bytes + head.ranks_size, head.is_open != 0, user);
    }
    return offset + sizeof head + size;
}

void
gui_output_log_foreach (GuiOutputLog *log, guint64 first, guint64 end, GuiOutputLine on_line,
                        gpointer user)
{
    guint64 line = first / STRIDE * STRIDE, offset;

    end = MIN (end, log->count);
    if (first >= end) {
        return;
    }
    offset = g_array_index (log->offsets, guint64, line / STRIDE);
    for (; line < end; line++) {
        offset = read_line (log, offset, line >= first ? on_line : NULL, user);
        if (offset == 0) {
            return;
        }
    }
}

gboolean
gui_output_log_is_full (GuiOutputLog *log)
{
    return base_spool_is_full (log->spool);
}

const char *
gui_output_log_get_problem (const GuiOutputLog *log)
{
    return base_spool_get_problem (log->spool);
}
