/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpi4py's objects: each holds an MPI handle behind its head. The module's own constants tell the
 * names of the predefined ones; a Status is shown with its fields where its layout is known. */
#include "python/value-private.h"
#include <string.h>

#define MODULE "mpi4py.MPI"
#define HANDLE 16

typedef struct {
    PythonRuntime *runtime;
    const PythonType *type;
    guint64 handle;
    char *name;
} Search;

static guint64
read_handle (PythonRuntime *runtime, guint64 object)
{
    guint64 handle = 0;
    guint32 half = 0;

    if (runtime->mpi == PYTHON_MPI_OPEN_MPI) { /* a pointer */
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

/* Open MPI: source, tag, error, cancelled, count. */
static void
append_status (PythonRuntime *runtime, GString *text, const PythonType *type, guint64 object)
{
    gint32 parts[3];

    if (runtime->mpi != PYTHON_MPI_OPEN_MPI
        || !python_read (runtime, object + HANDLE, parts, sizeof parts)) {
        g_string_append_printf (text, "<%s at 0x%" G_GINT64_MODIFIER "x>", type->full_name, object);
        return;
    }
    g_string_append_printf (text, "<%s source=%d, tag=%d, error=%d>", type->full_name, parts[0],
                            parts[1], parts[2]);
}

gboolean
python_mpi_append (PythonPrinter *printer, GString *text, const PythonType *type, guint64 object)
{
    static const char *const kinds[] = { "Comm", "Group", "Request", "Message", "Datatype", "Op",
                                         "Info", "Errhandler", "Win", "File" };
    PythonRuntime *runtime = printer->runtime;
    gboolean is_known = FALSE;
    g_autofree char *name = NULL;
    guint64 handle;

    if (runtime->mpi == PYTHON_MPI_NONE || (type->flags & PYTHON_FLAG_TYPE) != 0) {
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
