/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sampled thread was doing: by whose code it is in, and by the system call. Names decide only where they are MPI's
 * or those of OpenMP's runtime. */
#include "engine/inspect/inspect.h"
#include "engine/sampling/private.h"
#include "job/library.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALIAS "gomp_ialias_"

typedef enum { ON_FILE, OF_FILES, OF_NETWORK, OF_LOCK } CallKind;

/* What is in none of these waits for something else. */
static const struct {
    long number;
    CallKind kind; /* ON_FILE: the first argument is a descriptor */
} calls[] = {
    { SYS_read, ON_FILE },        { SYS_readv, ON_FILE },
    { SYS_pread64, ON_FILE },     { SYS_preadv, ON_FILE },
    { SYS_write, ON_FILE },       { SYS_writev, ON_FILE },
    { SYS_pwrite64, ON_FILE },    { SYS_pwritev, ON_FILE },
    { SYS_close, ON_FILE },       { SYS_fsync, OF_FILES },
    { SYS_fdatasync, OF_FILES },  { SYS_sync_file_range, OF_FILES },
    { SYS_ftruncate, OF_FILES },  { SYS_fallocate, OF_FILES },
    { SYS_lseek, OF_FILES },      { SYS_flock, OF_FILES },
    { SYS_openat, OF_FILES },     { SYS_newfstatat, OF_FILES },
    { SYS_fstat, OF_FILES },      { SYS_statx, OF_FILES },
    { SYS_getdents64, OF_FILES }, { SYS_unlinkat, OF_FILES },
    { SYS_mkdirat, OF_FILES },    { SYS_renameat2, OF_FILES },
    { SYS_sendfile, OF_FILES },   { SYS_copy_file_range, OF_FILES },
    { SYS_msync, OF_FILES },      { SYS_sync, OF_FILES },
    { SYS_syncfs, OF_FILES },     { SYS_recvfrom, OF_NETWORK },
    { SYS_recvmsg, OF_NETWORK },  { SYS_recvmmsg, OF_NETWORK },
    { SYS_sendto, OF_NETWORK },   { SYS_sendmsg, OF_NETWORK },
    { SYS_sendmmsg, OF_NETWORK }, { SYS_accept, OF_NETWORK },
    { SYS_accept4, OF_NETWORK },  { SYS_connect, OF_NETWORK },
    { SYS_futex, OF_LOCK },
#ifdef SYS_open /* calls that newer architectures lack */
    { SYS_open, OF_FILES },       { SYS_stat, OF_FILES },
    { SYS_lstat, OF_FILES },      { SYS_unlink, OF_FILES },
    { SYS_mkdir, OF_FILES },      { SYS_rename, OF_FILES },
    { SYS_renameat, OF_FILES },
#endif
};

/* By what the descriptor leads to: what comes from another program is waited for. */
static JobClass
classify_descriptor (EngineProcess *process, guint64 descriptor)
{
    char path[64], target[16];
    ssize_t size;

    g_snprintf (path, sizeof path, "/proc/%d/fd/%" G_GUINT64_FORMAT, (int) process->pid,
                descriptor);
    size = readlink (path, target, sizeof target - 1);
    target[MAX (size, 0)] = '\0';
    if (g_str_has_prefix (target, "socket:")) {
        return JOB_CLASS_NETWORK;
    }
    return target[0] == '/' && !g_str_has_prefix (target, "/dev/pts")
                   && !g_str_has_prefix (target, "/dev/tty")
               ? JOB_CLASS_IO
               : JOB_CLASS_WAIT;
}

/* FALSE: a call that says nothing, or none. */
static gboolean
classify_call (EngineProcess *process, const EngineSystemCall *call, gboolean is_blocked,
               JobClass *ret_class)
{
    for (guint i = 0; call->number >= 0 && i < G_N_ELEMENTS (calls); i++) {
        if (calls[i].number == call->number) {
            *ret_class = calls[i].kind == ON_FILE
                             ? classify_descriptor (process, call->arguments[0])
                         : calls[i].kind == OF_FILES   ? JOB_CLASS_IO
                         : calls[i].kind == OF_NETWORK ? JOB_CLASS_NETWORK
                                                       : JOB_CLASS_LOCK;
            return calls[i].kind != OF_LOCK || is_blocked;
        }
    }
    return FALSE;
}

static const char *
get_module_name (StackModules *modules, const JobFrame *frame)
{
    const StackModule *module = stack_modules_find (modules, frame->pc);
    const char *slash = module != NULL ? strrchr (module->path, '/') : NULL;

    return module == NULL ? "" : slash != NULL ? slash + 1 : module->path;
}

static gboolean
is_accelerator (const char *module)
{
    static const char *const names[] = { "libcuda",  "libcublas", "libcudart", "libamdhip",
                                         "libhip",   "libhsa",    "libOpenCL", "libze_loader",
                                         "libnccl.", NULL };

    for (guint i = 0; names[i] != NULL; i++) {
        if (g_str_has_prefix (module, names[i])) {
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- OpenMP ---- */

/* A runtime that is linked into the program has no library, but its functions' names. */
static gboolean
is_openmp_name (const char *name)
{
    return name != NULL
           && (g_str_has_prefix (name, "gomp_") || g_str_has_prefix (name, "GOMP_")
               || g_str_has_prefix (name, "__kmp"));
}

/* libgomp has a second name for what it calls itself, which is no less public where it is linked into the program. */
static const char *
skip_alias (const char *name)
{
    return name != NULL && g_str_has_prefix (name, ALIAS) ? name + strlen (ALIAS) : name;
}

/* entry: the function of the runtime that the program has called, or the runtime's own that has begun a thread. What
 * it has inside has no names in a library without symbols: whatever can wait counts as waiting, and what only asks,
 * or fetches the next part of the work, as the program's own. */
static gboolean
can_wait (const char *entry)
{
    static const char *const waits[] = { "GOMP_barrier",
                                         "GOMP_parallel",
                                         "GOMP_taskwait",
                                         "GOMP_taskgroup_end",
                                         "GOMP_loop_end",
                                         "GOMP_sections_end",
                                         "GOMP_critical_start",
                                         "GOMP_critical_name_start",
                                         "GOMP_atomic_start",
                                         "GOMP_ordered_start",
                                         "GOMP_single_copy_start",
                                         "GOMP_doacross_wait",
                                         "GOMP_doacross_ull_wait",
                                         "GOMP_teams",
                                         "GOMP_target",
                                         "GOMP_workshare_task_reduction_unregister",
                                         "omp_set_lock",
                                         "omp_set_nest_lock",
                                         NULL };

    if (entry == NULL
        || (!g_str_has_prefix (entry, "GOMP_") && !g_str_has_prefix (entry, "omp_"))) {
        return entry == NULL
               || (!g_str_has_prefix (entry, "__kmpc_dispatch_")
                   && !g_str_has_prefix (entry, "__kmpc_for_static_"));
    }
    if (g_str_has_suffix (entry, "_nowait")) {
        return FALSE;
    }
    for (guint i = 0; waits[i] != NULL; i++) {
        if (g_str_has_prefix (entry, waits[i])) {
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- owners ---- */

/* The interpreter's own locks are semaphores; conditions and mutexes it uses for the one that its threads share. */
typedef struct {
    gboolean is_in_mpi, is_in_accelerator;
    gboolean is_python;  /* the innermost code that is not the system's is the interpreter's */
    gboolean is_locking; /* it is in a condition or mutex of the system's there */
    gboolean is_in_gil;
    JobLibrary inner;      /* whose that code is */
    gboolean is_in_openmp; /* all frames so far are OpenMP's runtime's and the system's: */
    const char *entry;     /* the outermost of them; NULL: it has no name */
} Owners;

static void
look_at_frame (StackModules *modules, const JobFrame *frame, gboolean *is_inner, Owners *owners)
{
    gboolean is_python = job_frame_is_python (frame);
    const char *module = is_python ? "" : get_module_name (modules, frame);
    JobLibrary kind = job_library_get_kind (module);

    if (kind == JOB_LIBRARY_OTHER && is_openmp_name (frame->location.function)) {
        kind = JOB_LIBRARY_OPENMP;
    }
    if (kind == JOB_LIBRARY_OPENMP && owners->is_in_openmp) {
        owners->entry = skip_alias (frame->location.function);
    }
    owners->is_in_openmp &= kind == JOB_LIBRARY_OPENMP || kind == JOB_LIBRARY_SYSTEM;
    owners->is_in_mpi |= kind == JOB_LIBRARY_MPI || engine_inspect_find_call (frame) != NULL;
    owners->is_in_accelerator |= is_accelerator (module);
    if (*is_inner && kind == JOB_LIBRARY_SYSTEM) {
        const char *name = frame->location.function;

        owners->is_locking |= name != NULL
                              && (strstr (name, "pthread_cond_")
                                  || strstr (name, "pthread_mutex_"));
    }
    if (*is_inner && kind != JOB_LIBRARY_SYSTEM) {
        owners->is_python = is_python || (frame->flags & JOB_FRAME_INTERPRETER) != 0;
        owners->is_in_gil = owners->is_python && !is_python
                            && (owners->is_locking
                                || g_strcmp0 (frame->location.function, "take_gil") == 0);
        owners->inner = kind;
        *is_inner = FALSE;
    }
}

JobClass
engine_sampling_classify (EngineProcess *process, StackModules *modules,
                          const EngineSystemCall *call, gboolean is_blocked, const Stack *stack)
{
    Owners owners = { .inner = JOB_LIBRARY_OTHER, .is_in_openmp = TRUE };
    gboolean is_inner = TRUE;
    JobClass class;

    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        look_at_frame (modules, g_ptr_array_index (stack->frames, i), &is_inner, &owners);
    }
    if (owners.is_in_mpi) {
        return JOB_CLASS_MPI;
    }
    if (owners.is_in_accelerator) {
        return JOB_CLASS_ACCELERATOR;
    }
    if (owners.inner == JOB_LIBRARY_OPENMP && can_wait (owners.entry)) {
        return JOB_CLASS_OPENMP;
    }
    if (owners.is_in_gil) {
        return JOB_CLASS_GIL;
    }
    if (classify_call (process, call, is_blocked, &class)) {
        return class;
    }
    if (is_blocked && call->number >= 0) {
        return JOB_CLASS_WAIT;
    }
    return owners.is_python ? JOB_CLASS_PYTHON : JOB_CLASS_NATIVE;
}
