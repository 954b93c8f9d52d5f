/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the module threading says about threads. */
#include "python/runtime-private.h"

#define MAX_NAME 200
#define MAX_THREADS 100000u

typedef struct {
    PythonRuntime *runtime;
    guint64 pthread, object;
    guint count;
} ThreadSearch;

static gboolean
match_thread (guint64 key, guint64 value, gpointer user)
{
    ThreadSearch *search = user;
    gint64 number;

    if (python_read_int (search->runtime, key, &number)
        && (guint64) number == search->pthread) {
        search->object = value;
    }
    return search->object == 0 && ++search->count < MAX_THREADS;
}

typedef struct {
    PythonRuntime *runtime;
    char *text;
} NameSearch;

static gboolean
match_name (guint64 key, guint64 value, gpointer user)
{
    NameSearch *search = user;
    g_autofree char *name = python_read_str (search->runtime, key, MAX_NAME, NULL);

    if (g_strcmp0 (name, "_name") == 0) {
        search->text = python_read_str (search->runtime, value, MAX_NAME, NULL);
    }
    return search->text == NULL;
}

char *
python_runtime_dup_thread_name (PythonRuntime *runtime, const PythonThread *thread)
{
    guint64 modules = python_runtime_find_sys (runtime, "modules"), module = 0, dict = 0,
            active = 0;
    ThreadSearch search = { .runtime = runtime, .pthread = thread->pthread };
    NameSearch name = { runtime, NULL };

    if (modules == 0 || thread->pthread == 0
        || !python_dict_find_str (runtime, modules, "threading", &module)
        || !python_read_u64 (runtime, module + (guint64) runtime->layout->module_dict, &dict)
        || !python_dict_find_str (runtime, dict, "_active", &active)
        || !python_dict_foreach (runtime, active, match_thread, &search)
        || search.object == 0) {
        return NULL;
    }
    python_attributes_foreach (runtime, search.object, match_name, &name);
    return name.text;
}
