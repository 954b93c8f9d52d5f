/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places as plain values, and the names of languages. */
#include "job/location.h"
#include "base/array.h"
#include <glib/gi18n.h>

static const char *const languages[] = {
    [JOB_LANGUAGE_UNKNOWN] = "",      [JOB_LANGUAGE_C] = "c",
    [JOB_LANGUAGE_CXX] = "c++",       [JOB_LANGUAGE_FORTRAN] = "fortran",
    [JOB_LANGUAGE_PYTHON] = "python", [JOB_LANGUAGE_ASSEMBLER] = "assembler",
};

JobLocation *
job_location_new (const char *function, const char *file, guint32 line)
{
    JobLocation *location = g_new0 (JobLocation, 1);

    location->function = g_strdup (function);
    location->file = g_strdup (file);
    location->line = line;
    return location;
}

const char *
job_location_get_function (BaseTextForm form, const JobLocation *location)
{
    const char *function = location->function;

    if (function == NULL || *function == '\0') {
        return NULL;
    }
    return form == BASE_TEXT_SHOWN && *function == '<' ? gettext (function) : function;
}

JobLocation *
job_location_dup (const JobLocation *location)
{
    JobLocation *copy;

    if (location == NULL) {
        return NULL;
    }
    copy = job_location_new (location->function, location->file, location->line);
    copy->module = g_strdup (location->module);
    copy->offset = location->offset;
    copy->language = location->language;
    return copy;
}

void
job_location_clear (JobLocation *location)
{
    g_clear_pointer (&location->function, g_free);
    g_clear_pointer (&location->file, g_free);
    g_clear_pointer (&location->module, g_free);
    location->line = 0;
    location->offset = 0;
    location->language = JOB_LANGUAGE_UNKNOWN;
}

BASE_FREE_PUBLIC (job_location_free, JobLocation, location, job_location_clear (location))

gboolean
job_location_equal (const JobLocation *a, const JobLocation *b)
{
    if (a == b || a == NULL || b == NULL) {
        return a == b;
    }
    if (a->line != b->line || g_strcmp0 (a->function, b->function) != 0
        || g_strcmp0 (a->file, b->file) != 0) {
        return FALSE;
    }
    return a->line != 0 || (a->offset == b->offset && g_strcmp0 (a->module, b->module) == 0);
}

static guint
hash_text (const char *text)
{
    return text != NULL ? g_str_hash (text) : 0;
}

guint
job_location_hash (const JobLocation *location)
{
    guint hash;

    if (location == NULL) {
        return 0;
    }
    hash = hash_text (location->function) * 31 + hash_text (location->file);
    hash = hash * 31 + location->line;
    if (location->line == 0) {
        hash = hash * 31 + hash_text (location->module);
        hash = hash * 31 + (guint) (location->offset ^ (location->offset >> 32));
    }
    return hash;
}

const char *
job_language_get_name (JobLanguage language)
{
    return (guint) language < G_N_ELEMENTS (languages) ? languages[language] : "";
}

JobLanguage
job_language_find (const char *name)
{
    return BASE_CHOOSE (i, G_N_ELEMENTS (languages), g_strcmp0 (name, languages[i]) == 0,
                        (JobLanguage) i, JOB_LANGUAGE_UNKNOWN);
}
