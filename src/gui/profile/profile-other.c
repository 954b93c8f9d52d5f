/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-other.h"
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "profile/archive.h"

enum { MAX_SAID = 4096 }; /* bytes of a message */

typedef struct {
    char *program, *path;
    GWeakRef owner;
    GuiProfileRead read;
} Question;

BASE_FREE (free_question, Question, question, g_weak_ref_clear (&question->owner);
           g_free (question->program); g_free (question->path))

static void
answer (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Question *question = data;
    g_autoptr (GError) error = NULL;
    ProfileModel *model = profile_archive_read (question->program, question->path, &error);

    if (model == NULL) {
        g_task_return_error (task, g_steal_pointer (&error));
    } else {
        g_task_return_pointer (task, model, (GDestroyNotify) profile_model_free);
    }
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
    Question *question = g_task_get_task_data (G_TASK (result));
    g_autoptr (GtkWidget) owner = g_weak_ref_get (&question->owner);
    g_autoptr (GError) error = NULL;
    ProfileModel *model = g_task_propagate_pointer (G_TASK (result), &error);

    if (owner == NULL || gtk_widget_in_destruction (owner)) {
        profile_model_free (model);
    } else {
        question->read (owner, model, question->path, error);
    }
}

void
gui_profile_read_other (GtkWidget *owner, const char *program, const char *path,
                        GuiProfileRead read)
{
    Question *question = g_new0 (Question, 1);
    g_autoptr (GTask) task = g_task_new (NULL, NULL, on_answer, NULL);

    question->program = g_strdup (program);
    question->path = g_strdup (path);
    question->read = read;
    g_weak_ref_init (&question->owner, owner);
    g_task_set_task_data (task, question, free_question);
    g_task_run_in_thread (task, answer);
}

/* ---- in a window of its own ---- */

typedef struct {
    GWeakRef owner;
    GuiProfileNotOpened not_opened;
    char *path;
    int said; /* its standard error: a file, so that it can write there after this process has ended */
} Opening;

BASE_FREE (free_opening, Opening, opening, g_weak_ref_clear (&opening->owner);
           g_free (opening->path); close (opening->said))

static void
tell (const Opening *opening, const char *text)
{
    g_autoptr (GtkWidget) owner = g_weak_ref_get ((GWeakRef *) &opening->owner);

    if (owner != NULL && !gtk_widget_in_destruction (owner)) {
        opening->not_opened (owner, text);
    }
}

/* As it stands in a terminal: "pddt: cannot read x". Caller owns. */
static char *
dup_said (const Opening *opening)
{
    char text[MAX_SAID] = "";
    gssize size = pread (opening->said, text, sizeof text - 1, 0);
    const char *from = g_str_has_prefix (text, "pddt: ") ? text + strlen ("pddt: ") : text;

    return size > 0 ? g_strchomp (g_utf8_make_valid (from, -1)) : g_strdup ("");
}

static void
on_other_ended (GPid pid, int status, gpointer user)
{
    const Opening *opening = user;
    g_autofree char *said = dup_said (opening), *text = NULL;

    g_spawn_close_pid (pid);
    if (status == 0) {
        return;
    }
    fprintf (stderr, "%s\n", said);
    text = *said == '\0' ? g_strdup_printf (_ ("%s could not be opened."), opening->path)
                         : g_strdup (said);
    tell (opening, text);
}

void
gui_profile_open_other (GtkWidget *owner, const char *pddt, const char *path,
                        GuiProfileNotOpened not_opened)
{
    const char *const argv[] = { pddt, path, NULL };
    Opening *opening = g_new0 (Opening, 1);
    g_autoptr (GError) error = NULL;
    GPid pid;

    g_weak_ref_init (&opening->owner, owner);
    opening->not_opened = not_opened;
    opening->path = g_strdup (path);
    opening->said = memfd_create ("pddt-said", MFD_CLOEXEC);
    if (g_spawn_async_with_fds (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                NULL, &pid, -1, -1, opening->said, &error)) {
        g_child_watch_add_full (G_PRIORITY_DEFAULT, pid, on_other_ended, opening, free_opening);
    } else {
        tell (opening, base_error_get_shown (error));
        free_opening (opening);
    }
}
