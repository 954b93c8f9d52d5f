/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MPI library of the process: its functions, its constants, and the handles of Fortran. In
 * Open MPI the constants are addresses of variables, which a library that is not linked to it
 * must look up; in MPICH they are numbers. */
#include "agent/mpi-recorder.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mpi_next mpi_next;

static int
find_library (struct dl_phdr_info *info, size_t size, void *data)
{
    const char *base = info->dlpi_name != NULL ? strrchr (info->dlpi_name, '/') : NULL;
    void **found = data, *handle;

    if (base == NULL
        || (strncmp (base, "/libmpi", 7) != 0 && strncmp (base, "/libpmpi", 8) != 0)) {
        return 0;
    }
    handle = dlopen (info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) {
        return 0;
    }
    found[0] = dlsym (handle, found[1]);
    dlclose (handle); /* the library was loaded before and stays loaded */
    return found[0] != NULL;
}

/* If Python loads MPI privately, its symbols are in no global scope. */
static void *
find_symbol (const char *name)
{
    void *found[2] = { dlsym (RTLD_NEXT, name), (void *) name };

    if (found[0] == NULL) {
        dl_iterate_phdr (find_library, found);
    }
    return found[0];
}

/* The program may have a copy of a library's variable, which then everybody uses, so the next
 * definition would be the wrong one. */
static void *
find_variable (const char *name)
{
    void *variable = dlsym (RTLD_DEFAULT, name);

    return variable != NULL ? variable : find_symbol (name);
}

void *
mpi_find_next (const char *name)
{
    void *function = find_symbol (name);

    if (function == NULL) {
        fprintf (stderr, "pddt: the MPI library of this program has no %s\n", name);
        abort ();
    }
    return function;
}

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
    { "PMPI_Comm_size", offsetof (struct mpi_next, comm_size) },
    { "PMPI_Comm_rank", offsetof (struct mpi_next, comm_rank) },
    { "PMPI_Comm_remote_size", offsetof (struct mpi_next, comm_remote_size) },
    { "PMPI_Comm_group", offsetof (struct mpi_next, comm_group) },
    { "PMPI_Comm_remote_group", offsetof (struct mpi_next, comm_remote_group) },
    { "PMPI_Comm_test_inter", offsetof (struct mpi_next, comm_test_inter) },
    { "PMPI_Comm_get_name", offsetof (struct mpi_next, comm_get_name) },
    { "PMPI_Topo_test", offsetof (struct mpi_next, topo_test) },
    { "PMPI_Cartdim_get", offsetof (struct mpi_next, cartdim_get) },
    { "PMPI_Cart_get", offsetof (struct mpi_next, cart_get) },
    { "PMPI_Cart_shift", offsetof (struct mpi_next, cart_shift) },
    { "PMPI_Graph_neighbors_count", offsetof (struct mpi_next, graph_neighbors_count) },
    { "PMPI_Graph_neighbors", offsetof (struct mpi_next, graph_neighbors) },
    { "PMPI_Dist_graph_neighbors_count",
      offsetof (struct mpi_next, dist_graph_neighbors_count) },
    { "PMPI_Dist_graph_neighbors", offsetof (struct mpi_next, dist_graph_neighbors) },
    { "PMPI_Group_size", offsetof (struct mpi_next, group_size) },
    { "PMPI_Group_translate_ranks", offsetof (struct mpi_next, group_translate_ranks) },
    { "PMPI_Group_free", offsetof (struct mpi_next, group_free) },
    { "PMPI_Win_get_group", offsetof (struct mpi_next, win_get_group) },
    { "PMPI_Type_size_x", offsetof (struct mpi_next, type_size) },
    { "PMPI_Type_get_envelope", offsetof (struct mpi_next, type_get_envelope) },
    { "PMPI_Type_get_name", offsetof (struct mpi_next, type_get_name) },
    { "PMPI_Type_get_contents", offsetof (struct mpi_next, type_get_contents) },
    { "PMPI_Type_get_extent", offsetof (struct mpi_next, type_get_extent) },
    { "PMPI_Type_free", offsetof (struct mpi_next, type_free) },
    { "PMPI_Error_string", offsetof (struct mpi_next, error_string) },
    { "PMPI_Get_library_version", offsetof (struct mpi_next, get_library_version) },
    { "PMPI_Query_thread", offsetof (struct mpi_next, query_thread) },
    { "PMPI_Test_cancelled", offsetof (struct mpi_next, test_cancelled) },
};

enum { N_OPS = 15 };
static const char *const op_names[N_OPS] = {
    "",         "MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD",
    "MPI_LAND", "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR",
    "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP",
};

#ifdef OPEN_MPI
void *mpi_null_requests[2];
static struct {
    void *world, *self, *null_comm, *null_type, *null_win;
    void *ops[N_OPS];
} constants;

static int
open_constants (void)
{
    static const char *const names[N_OPS] = {
        "null", "max",  "min",  "sum",    "prod",   "land",    "band",  "lor",
        "bor",  "lxor", "bxor", "maxloc", "minloc", "replace", "no_op",
    };

    constants.world = find_variable ("ompi_mpi_comm_world");
    constants.self = find_variable ("ompi_mpi_comm_self");
    constants.null_comm = find_variable ("ompi_mpi_comm_null");
    constants.null_win = find_variable ("ompi_mpi_win_null");
    constants.null_type = find_variable ("ompi_mpi_datatype_null");
    mpi_null_requests[0] = find_variable ("ompi_request_null");
    mpi_null_requests[1] = find_variable ("ompi_request_empty");
    for (int i = 0; i < N_OPS; i++) {
        char name[64];

        snprintf (name, sizeof name, "ompi_mpi_op_%s", names[i]);
        constants.ops[i] = find_variable (name);
    }
    return constants.world != NULL && constants.self != NULL && mpi_null_requests[0] != NULL;
}

MPI_Comm
mpi_world (void)
{
    return constants.world;
}

MPI_Comm
mpi_self (void)
{
    return constants.self;
}

int
mpi_is_null_comm (MPI_Comm comm)
{
    return comm == NULL || (void *) comm == constants.null_comm;
}

int
mpi_is_null_win (MPI_Win win)
{
    return win == NULL || (void *) win == constants.null_win;
}

int
mpi_is_null_type (MPI_Datatype type)
{
    return type == NULL || (void *) type == constants.null_type;
}

unsigned
mpi_op_index (MPI_Op op)
{
    for (unsigned i = 1; i < N_OPS; i++) {
        if ((void *) op == constants.ops[i]) {
            return i;
        }
    }
    return 0xffff;
}

#define FROM_FORTRAN(type, word, name)                                                         \
    type mpi_##word##_from_fortran (MPI_Fint handle)                                           \
    {                                                                                          \
        static type (*convert) (MPI_Fint);                                                     \
                                                                                               \
        if (convert == NULL) {                                                                 \
            convert = (type (*) (MPI_Fint)) mpi_find_next (name);                              \
        }                                                                                      \
        return convert (handle);                                                               \
    }
#else
static int
open_constants (void)
{
    return find_symbol ("MPIR_Err_return_comm") != NULL || find_symbol ("MPICH_ATTR") != NULL
           || find_symbol ("ompi_mpi_comm_world") == NULL;
}

MPI_Comm
mpi_world (void)
{
    return MPI_COMM_WORLD;
}

MPI_Comm
mpi_self (void)
{
    return MPI_COMM_SELF;
}

int
mpi_is_null_comm (MPI_Comm comm)
{
    return comm == MPI_COMM_NULL;
}

int
mpi_is_null_win (MPI_Win win)
{
    return win == MPI_WIN_NULL;
}

int
mpi_is_null_type (MPI_Datatype type)
{
    return type == MPI_DATATYPE_NULL;
}

unsigned
mpi_op_index (MPI_Op op)
{
    static const MPI_Op ops[N_OPS] = {
        MPI_OP_NULL, MPI_MAX,    MPI_MIN,    MPI_SUM,     MPI_PROD,
        MPI_LAND,    MPI_BAND,   MPI_LOR,    MPI_BOR,     MPI_LXOR,
        MPI_BXOR,    MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP,
    };

    for (unsigned i = 1; i < N_OPS; i++) {
        if (op == ops[i]) {
            return i;
        }
    }
    return 0xffff;
}

#define FROM_FORTRAN(type, word, name)                                                         \
    type mpi_##word##_from_fortran (MPI_Fint handle)                                           \
    {                                                                                          \
        return (type) handle;                                                                  \
    }
#endif

FROM_FORTRAN (MPI_Comm, comm, "PMPI_Comm_f2c")
FROM_FORTRAN (MPI_Datatype, type, "PMPI_Type_f2c")
FROM_FORTRAN (MPI_Op, op, "PMPI_Op_f2c")
FROM_FORTRAN (MPI_Win, win, "PMPI_Win_f2c")
FROM_FORTRAN (MPI_Request, request, "PMPI_Request_f2c")
FROM_FORTRAN (MPI_Group, group, "PMPI_Group_f2c")

/* MPI_File is a pointer in every MPI. */
MPI_File
mpi_file_from_fortran (MPI_Fint handle)
{
    static MPI_File (*convert) (MPI_Fint);

    if (convert == NULL) {
        convert = (MPI_File (*) (MPI_Fint)) mpi_find_next ("PMPI_File_f2c");
    }
    return convert (handle);
}

int
mpi_next_open (void)
{
    static int answer = -1;
    void *function;

    if (answer >= 0) {
        return answer;
    }
    answer = open_constants ();
    function = find_symbol ("PMPI_Type_get_envelope_c");
    memcpy (&mpi_next.type_get_envelope_c, &function, sizeof function);
    for (size_t i = 0; answer && i < sizeof functions / sizeof *functions; i++) {
        function = find_symbol (functions[i].name);
        memcpy ((char *) &mpi_next + functions[i].offset, &function, sizeof function);
        answer = function != NULL;
    }
    return answer;
}

void
mpi_ops_fill (char ops[PDDT_QUEUE_OPS][16])
{
    for (int i = 0; i < N_OPS; i++) {
        strncpy (ops[i], op_names[i], 15);
    }
}

static void *
find_named (const char *name)
{
    return *name != '\0' ? find_variable (name) : NULL;
}

/* Fortran's special arguments are addresses of common blocks, whose names each compiler spells
 * its own way. In MPICH their addresses are in variables that its MPI_Init sets. */
static int
is_fortran_block (const void *address, int which)
{
    static const char *const kept_names[3][2] = {
        { "MPIR_F_MPI_IN_PLACE", "" },
        { "MPI_F_STATUS_IGNORE", "MPI_F08_STATUS_IGNORE" },
        { "MPI_F_STATUSES_IGNORE", "MPI_F08_STATUSES_IGNORE" },
    };
    static const char *const names[3][5] = {
        { "mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__",
          "MPI_FORTRAN_IN_PLACE", "MPIR_F08_MPI_IN_PLACE" },
        { "mpi_fortran_status_ignore_", "mpi_fortran_status_ignore",
          "mpi_fortran_status_ignore__", "MPI_FORTRAN_STATUS_IGNORE", "" },
        { "mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore",
          "mpi_fortran_statuses_ignore__", "MPI_FORTRAN_STATUSES_IGNORE", "" },
    };
    static void *blocks[3][5], **kept[3][2];
    static int is_open;

    if (!is_open) {
        for (int i = 0; i < 15; i++) {
            blocks[i / 5][i % 5] = find_named (names[i / 5][i % 5]);
        }
        for (int i = 0; i < 6; i++) {
            kept[i / 2][i % 2] = find_named (kept_names[i / 2][i % 2]);
        }
        is_open = 1;
    }
    for (int i = 0; i < 5; i++) {
        if (blocks[which][i] == address) {
            return address != NULL;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (kept[which][i] != NULL && *kept[which][i] == address) {
            return address != NULL;
        }
    }
    return 0;
}

int
mpi_is_in_place (const struct mpi_arguments *arguments, const void *buffer)
{
    return buffer == MPI_IN_PLACE || (arguments->is_fortran && is_fortran_block (buffer, 0));
}

int
mpi_is_status_ignore (const struct mpi_arguments *arguments, const void *status)
{
    if (!arguments->is_fortran) {
        return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE;
    }
    return is_fortran_block (status, 1) || is_fortran_block (status, 2);
}

void
mpi_preload_leave (void)
{
    const char *value = getenv ("LD_PRELOAD");
    char *rest, *end, *words, *word;
    Dl_info info;

    if (value == NULL || dladdr (&mpi_queue, &info) == 0 || info.dli_fname == NULL) {
        return;
    }
    words = strdup (value);
    rest = calloc (1, strlen (value) + 1);
    if (words != NULL && rest != NULL) {
        end = rest;
        for (char *next = words; (word = strsep (&next, ": ")) != NULL;) {
            if (*word != '\0' && strcmp (word, info.dli_fname) != 0) {
                end += sprintf (end, "%s%s", end > rest ? ":" : "", word);
            }
        }
        if (*rest != '\0') {
            setenv ("LD_PRELOAD", rest, 1);
        } else {
            unsetenv ("LD_PRELOAD");
        }
    }
    free (words);
    free (rest);
}
