/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/library.h"
#include "base/array.h"
#include <string.h>

static const struct {
    const char *prefix;
    JobLibrary kind;
} libraries[] = {
    { "libc.so", JOB_LIBRARY_SYSTEM },      { "libc-", JOB_LIBRARY_SYSTEM },
    { "libpthread", JOB_LIBRARY_SYSTEM },   { "ld-linux", JOB_LIBRARY_SYSTEM },
    { "[vdso]", JOB_LIBRARY_SYSTEM },       { "linux-vdso", JOB_LIBRARY_SYSTEM },
    { "libpddt-", JOB_LIBRARY_SYSTEM },     { "libmpi", JOB_LIBRARY_MPI },
    { "libpmpi", JOB_LIBRARY_MPI },         { "libopen-pal", JOB_LIBRARY_MPI },
    { "libopen-rte", JOB_LIBRARY_MPI },     { "libpmix", JOB_LIBRARY_MPI },
    { "libprrte", JOB_LIBRARY_MPI },        { "mca_", JOB_LIBRARY_MPI },
    { "libucp", JOB_LIBRARY_MPI },          { "libuct", JOB_LIBRARY_MPI },
    { "libucs", JOB_LIBRARY_MPI },          { "libucm", JOB_LIBRARY_MPI },
    { "libfabric", JOB_LIBRARY_MPI },       { "libpsm", JOB_LIBRARY_MPI },
    { "libibverbs", JOB_LIBRARY_MPI },      { "libmlx", JOB_LIBRARY_MPI },
    { "librdmacm", JOB_LIBRARY_MPI },       { "libmunge", JOB_LIBRARY_MPI },
    { "libopa", JOB_LIBRARY_MPI },          { "libevent", JOB_LIBRARY_MPI_HELPER },
    { "libhwloc", JOB_LIBRARY_MPI_HELPER }, { "libgomp", JOB_LIBRARY_OPENMP },
    { "libomp.", JOB_LIBRARY_OPENMP },      { "libomp5", JOB_LIBRARY_OPENMP },
    { "libomp-", JOB_LIBRARY_OPENMP },      { "libiomp", JOB_LIBRARY_OPENMP },
    { "libopenblas", JOB_LIBRARY_POOL },    { "libscipy_openblas", JOB_LIBRARY_POOL },
    { "libblas", JOB_LIBRARY_POOL },        { "libcblas", JOB_LIBRARY_POOL },
    { "libflexiblas", JOB_LIBRARY_POOL },   { "libmkl", JOB_LIBRARY_POOL },
    { "libblis", JOB_LIBRARY_POOL },        { "libtbb", JOB_LIBRARY_POOL },
    { "libatlas", JOB_LIBRARY_POOL },       { "libgotoblas", JOB_LIBRARY_POOL },
    { "liblapack", JOB_LIBRARY_POOL },
};

JobLibrary
job_library_get_kind (const char *name)
{
    return BASE_CHOOSE (i, G_N_ELEMENTS (libraries),
                        name[0] == libraries[i].prefix[0]
                            && g_str_has_prefix (name, libraries[i].prefix),
                        libraries[i].kind, JOB_LIBRARY_OTHER);
}

gboolean
job_library_is_header (const char *file)
{
    static const char *const folders[] = { "/include/c++/", "/lib/gcc/" };

    return BASE_ANY (i, G_N_ELEMENTS (folders), strstr (file, folders[i]) != NULL)
           || g_str_has_prefix (file, "/usr/include/");
}
