/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpi4py's objects: each holds an MPI handle behind its head, then flags and a list of weak
 * references, whose place tells how large the handle is. The module's own constants tell the names of
 * the predefined ones. */
#include "python/value-private.h"

#define MODULE "mpi4py.MPI"
#define HANDLE 16

typedef struct {
    PythonRuntime *runtime;
    const PythonType *type;
    guint64 handle;
    char *name;
} Search;

/* A pointer (Open MPI) or an int (MPICH). */
static guint64
read_handle (PythonRuntime *runtime, guint64 object)
{
    const PythonType *type = python_find_object_type (runtime, object);
    guint64 handle = 0;
    guint32 half = 0;

    if (type != NULL && type->weaklist == HANDLE + 16) {
        python_read_u64 (runtime, object + HANDLE, &handle);
        return handle;
    }
    python_read_u32 (runtime, object + HANDLE, &half);
    return half;
}

/* COMM_WORLD and COMM_NULL are of different classes with a common base: the word before "_" is not
 * looked at, the class of the constant must be one of the object's bases or the same. */
static gboolean
match_constant (guint64 key, guint64 value, gpointer user)
{
    Search *search = user;
    const PythonType *type = python_find_object_type (search->runtime, value);
    g_autofree char *name = NULL;

    if (type == NULL || !g_str_has_prefix (type->full_name, MODULE ".")
        || !python_type_has_base (search->runtime, search->type, type->full_name)
        || read_handle (search->runtime, value) != search->handle) {
        return TRUE;
    }
    name = python_read_str (search->runtime, key, 100, NULL);
    if (name == NULL || !g_ascii_isupper (name[0]) || !g_ascii_isupper (name[1])) {
        return TRUE;
    }
    search->name = g_steal_pointer (&name);
    return FALSE;
}

static char *
find_constant (PythonRuntime *runtime, const PythonType *type, guint64 handle)
{
    Search search = { runtime, type, handle, NULL };
    guint64 modules = python_runtime_find_sys (runtime, "modules");
    guint64 module = 0;
    guint64 dict = 0;

    if (modules != 0 && python_dict_find_str (runtime, modules, MODULE, &module)
        && python_read_u64 (runtime, module + (guint64) runtime->layout->module_dict, &dict)) {
        python_dict_foreach (runtime, dict, match_constant, &search);
    }
    return search.name;
}

/* Open MPI: source, tag, error, cancelled, count; MPICH: two words of count before them. */
static void
append_status (PythonRuntime *runtime, GString *text, const PythonType *type, guint64 object)
{
    guint first = type->weaklist == HANDLE + 32 ? 0 : 2;
    gint32 parts[5];

    if ((type->weaklist != HANDLE + 32 && type->weaklist != HANDLE + 24)
        || !python_read (runtime, object + HANDLE, parts, sizeof parts)) {
        g_string_append_printf (text, "<%s at 0x%" G_GINT64_MODIFIER "x>", type->full_name,
                                object);
        return;
    }
    g_string_append_printf (text, "<%s source=%d, tag=%d, error=%d>", type->full_name,
                            parts[first], parts[first + 1], parts[first + 2]);
}

gboolean
python_mpi_append (PythonPrinter *printer, GString *text, const PythonType *type,
                   guint64 object)
{
    static const char *const kinds[] = { "Comm", "Group", "Request",    "Message", "Datatype",
                                         "Op",   "Info",  "Errhandler", "Win",     "File" };
    PythonRuntime *runtime = printer->runtime;
    gboolean is_known = FALSE;
    g_autofree char *name = NULL;
    guint64 handle;

    if ((type->flags & PYTHON_FLAG_TYPE) != 0 || type->weaklist < HANDLE) {
        return FALSE;
    }
    if (python_type_has_base (runtime, type, MODULE ".Status")) {
        append_status (runtime, text, type, object);
        return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (kinds) && !is_known; i++) {
        g_autofree char *base = g_strdup_printf (MODULE ".%s", kinds[i]);

        is_known = python_type_has_base (runtime, type, base);
    }
    if (!is_known) {
        return FALSE;
    }
    handle = read_handle (runtime, object);
    name = find_constant (runtime, type, handle);
    if (name != NULL) {
        g_string_append_printf (text, "<%s %s>", type->full_name, name);
    } else {
        g_string_append_printf (text, "<%s handle 0x%" G_GINT64_MODIFIER "x>", type->full_name,
                                handle);
    }
    return TRUE;
}
