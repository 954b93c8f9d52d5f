/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads CPython from outside, only through its memory: finds the runtime, walks threads and
 * frames, reads lines and values, with a layout table for each minor version. Never runs code
 * in the rank. */
#pragma once
#include "base/memory-reader.h"
#include "job/value.h"

typedef struct {
    guint64 start, end; /* mapped range */
    guint64 bias;       /* load bias: address in the process - link-time address */
    const char *path;   /* can be opened from here; borrowed for the call */
} PythonImage;

typedef struct _PythonRuntime PythonRuntime;

/* Looks for a CPython among the images. NULL without error: there is none. NULL with UNSUPPORTED
 * or CORRUPT: there is one, but of an unknown version or inconsistent. */
PythonRuntime *python_runtime_open (BaseMemoryReader *memory, const PythonImage *images,
                                    guint n_images, GError **error);
void python_runtime_free (PythonRuntime *runtime);
/* Completes relative file names: dup_path returns the absolute name, or NULL if it is not
 * known, which leaves the name unchanged. */
typedef char *(*PythonDupPath) (const char *relative, gpointer user);
void python_runtime_set_dup_path (PythonRuntime *runtime, PythonDupPath dup_path,
                                  gpointer user);
void python_runtime_invalidate (PythonRuntime *runtime);         /* call at every resume */
guint python_runtime_get_version (const PythonRuntime *runtime); /* 0x030b02f0 */
/* The image that holds the evaluation loop: frames whose pc is there are the interpreter's. */
void python_runtime_get_image (const PythonRuntime *runtime, guint64 *ret_start,
                               guint64 *ret_end);
/* TRUE when pc is in the evaluation loop's function according to symbols (without parts that
 * the compiler split off). Needed to 3.10 only, where frames have no anchor. */
gboolean python_runtime_is_evaluation (const PythonRuntime *runtime, guint64 pc);

typedef struct {
    char *function;         /* qualified name ("Solver.step"), "<module>" */
    char *file;             /* co_filename */
    guint32 line;           /* 0 unknown */
    guint64 frame;          /* address of the interpreter frame */
    guint64 code;           /* address of the code object */
    guint64 anchor;         /* C stack address of its activation; 0 unknown. All frames of one
                            activation share it */
    gboolean setup;         /* "<frame being set up>" */
    gboolean is_incomplete; /* the outermost readable one: the thread has more */
} PythonFrame;

#define PYTHON_MAX_OUTER 8u

typedef struct {
    guint64 state;       /* PyThreadState */
    guint64 interpreter; /* PyInterpreterState that it belongs to */
    pid_t tid;           /* native thread id; 0 unknown */
    guint64 pthread;     /* pthread_self of it */
    gboolean holds_gil;  /* if readable */
    guint n_outer;       /* states of the same thread in older interpreters */
    guint64 outer[PYTHON_MAX_OUTER];
} PythonThread;

/* Of PythonThread; a thread of several interpreters occurs once for each, the newest first. */
GArray *python_runtime_read_threads (PythonRuntime *runtime, GError **error);
/* TRUE: whoever sleeps in that futex waits for an interpreter's lock (GIL). The process may run. holder: who has
 * the lock; its state is 0 where that is not known, or nobody has it. */
gboolean python_runtime_find_lock_holder (PythonRuntime *runtime, guint64 futex,
                                          PythonThread *ret_holder);
/* The state of the thread that has the interpreter's lock now, whatever was read before; 0: nobody has it, or that is not
 * known. Costs a read or two. */
guint64 python_runtime_read_lock_holder (PythonRuntime *runtime, guint64 interpreter);
/* TRUE: what python_runtime_read_threads said of the thread before the last invalidate still holds, except which thread
 * has the GIL. FALSE: read the threads again: it has ended, or there are several interpreters. Costs the same however
 * many threads there are. */
gboolean python_runtime_has_thread (PythonRuntime *runtime, const PythonThread *thread);
/* The thread's name in the module threading; NULL: not known there. */
char *python_runtime_dup_thread_name (PythonRuntime *runtime, const PythonThread *thread);
/* The file of a code object; NULL: no code object at the address. */
char *python_runtime_dup_code_file (PythonRuntime *runtime, guint64 code);
/* TRUE for the standard library, installed packages, and code that libraries generate. */
gboolean python_is_library_file (const char *file);
/* TRUE for pddt's own code in the rank, which no user is shown. */
gboolean python_is_agent_file (const char *file);
/* Calls back for each function that the name means: "work", "Box.method", "np.linalg.solve".
 * Matches names in any loaded module, or the end of a function's name in a module that is still
 * being executed. file: from the code object. The process may be running: everything read is
 * checked. */
typedef void (*PythonOnFunction) (const char *name, const char *file, guint32 line,
                                  gpointer user);
void python_runtime_find_functions (PythonRuntime *runtime, const char *name,
                                    PythonOnFunction on_function, gpointer user);
/* Frames of a thread in all interpreters that it runs, innermost first, as Python's own f_back links them; GPtrArray of PythonFrame
 * with free func. CORRUPT when there is none to be read. */
GPtrArray *python_runtime_read_frames (PythonRuntime *runtime, const PythonThread *thread,
                                       GError **error);

/* compared: bytes of values to read beyond the shown part, to distinguish ranks; 0: none. */
typedef struct {
    guint depth, items, bytes, nodes;
    guint64 compared;
} PythonLimits;
#define PYTHON_LIMITS_DEFAULT                                                                  \
    {                                                                                          \
        2, 8, 400, 60, 0                                                                       \
    }
/* Value of the object at address as text, with children; problems as is_problem values. */
JobValue *python_value_read (PythonRuntime *runtime, const char *name, guint64 object,
                             const PythonLimits *limits);
/* Sets the value's `rest` from the whole object, within the budget in bytes; if the object is
 * too large, the value's text says so. Returns the bytes spent. */
guint64 python_value_compare (PythonRuntime *runtime, JobValue *value, guint64 object,
                              guint64 budget);
/* The part of a shared budget for one value, so that a large one does not use up all of it. */
#define PYTHON_SHARE(budget) ((budget) / 4)
/* Locals, cells and free variables of a frame that are bound; GPtrArray of JobValue. */
GPtrArray *python_frame_read_locals (PythonRuntime *runtime, const PythonFrame *frame,
                                     const PythonLimits *limits, GError **error);
/* Variables of the frame's module, without modules, functions and classes. */
GPtrArray *python_frame_read_globals (PythonRuntime *runtime, const PythonFrame *frame,
                                      const PythonLimits *limits, GError **error);
/* The elements of the numpy array that the expression gives, in C order, and "<f8 3 4" in
 * *ret_shape. Errors as python_frame_evaluate; UNSUPPORTED: no array of numbers, or of more than
 * 256 MiB. */
GBytes *python_frame_read_array (PythonRuntime *runtime, const PythonFrame *frame,
                                 const char *text, char **ret_shape, GError **error);
/* The same of the object at that address, which must live; text names it in errors. */
GBytes *python_object_read_array (PythonRuntime *runtime, guint64 object, const char *text,
                                  char **ret_shape, GError **error);
/* Evaluates a Python expression without running code: names (local, cell, free, global,
 * builtin), attributes of instances and classes, items and slices, also of numpy arrays and
 * ctypes, arithmetic, comparisons, and, or, not, in, is, and the calls len, abs, int, float,
 * bool, type, id and isinstance. UNSUPPORTED when it needs to run code, INVALID when it is no
 * expression, NOT_FOUND. */
JobValue *python_frame_evaluate (PythonRuntime *runtime, const PythonFrame *frame,
                                 const char *text, const PythonLimits *limits, GError **error);
/* The same without a frame: the only name is "_", the object at that address, which must live. */
JobValue *python_object_evaluate (PythonRuntime *runtime, guint64 object, const char *text,
                                  const PythonLimits *limits, GError **error);
