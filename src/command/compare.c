/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two archives beside each other. */
#include "base/escape.h"
#include "base/log.h"
#include "command/measure.h"
#include "profile/archive.h"
#include "profile/comparison.h"
#include <stdio.h>

/* NULL: it cannot be read, and the user knows why. */
static ProfileModel *
read_archive (const char *program, const char *path)
{
    g_autoptr (GError) error = NULL;
    ProfileModel *model = profile_archive_read (program, path, &error);

    if (model == NULL) {
        base_log_say ("%s", error->message);
    } else if (profile_model_get_problem (model, BASE_TEXT_ENGLISH) != NULL) {
        g_autofree char *shown = base_escape_dup (profile_model_get_problem (model,
                                                                             BASE_TEXT_ENGLISH),
                                                  BASE_ESCAPE_NAME);

        base_log_say ("%s: %s", path, shown);
    }
    return model;
}

static gboolean
write_page (const ProfilePage *page, gboolean json, const GPtrArray *reports)
{
    gboolean is_written = TRUE;

    for (guint i = 0; i < reports->len; i++) {
        g_autoptr (GError) error = NULL;

        if (!profile_page_save (page, g_ptr_array_index (reports, i), &error)) {
            base_log_say ("%s", error->message);
            is_written = FALSE;
        }
    }
    if (reports->len == 0) {
        g_autofree char *text = json ? profile_page_format_json (page)
                                     : profile_page_format_text (page);

        is_written = fputs (text, stdout) >= 0 && fflush (stdout) == 0;
    }
    return is_written;
}

int
command_measure_compare (const char *archive_program, const char *before, const char *now,
                         gboolean json, const GPtrArray *reports)
{
    g_autoptr (ProfileModel) old = read_archive (archive_program, before);
    g_autoptr (ProfileModel) new = read_archive (archive_program, now);
    const ProfileCompared sides[] = { { old, before }, { new, now } };
    g_autoptr (ProfilePage) page = NULL;

    if (old == NULL || new == NULL) {
        return 1;
    }
    page = profile_comparison_new (&sides[0], &sides[1], BASE_TEXT_ENGLISH);
    return !write_page (page, json, reports)
           || profile_model_get_problem (old, BASE_TEXT_ENGLISH) != NULL
           || profile_model_get_problem (new, BASE_TEXT_ENGLISH) != NULL;
}
