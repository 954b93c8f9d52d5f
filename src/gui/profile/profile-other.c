/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-other.h"
#include "profile/archive.h"
#include "base/array.h"

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
