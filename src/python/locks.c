/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks of the module threading (Lock, RLock): which one a thread waits for, what the program calls it, and
 * who has it. An RLock keeps its owner's thread; of a Lock only a frame inside a `with` statement shows who
 * took it, by the lock's bound __exit__ on the frame's stack of values. */
#include "python/locks.h"
#include "python/runtime-private.h"
#include <string.h>

#define LAST_MINOR 14u
/* From 3.14 on locks are mutexes, and whoever waits for one parks on its own stack (Python/parking_lot.c, struct wait_entry:
 * the address that it parks on, then its semaphore). SimpleQueue has it since 3.13, and so has a Lock in some versions of
 * 3.13, of which the type does not tell; an RLock of 3.13 has not. */
#define FIRST_PARKED 13u
#define FIRST_PARKED_RLOCK 14u
#define PARKED_ON (-8)   /* of the semaphore */
#define PARKED_FIELD 16u /* PyObject_HEAD; the mutex, or has_threads_waiting of a SimpleQueue */
/* Modules/_threadmodule.c, lockobject and rlockobject: PyObject_HEAD, the semaphore or mutex, and of an rlockobject
 * its owner and count: how often it was taken; from 3.14 on, how often more than once, and no owner where it is free. */
#define LOCK_SEMAPHORE 16u
#define LOCK_OWNER 24u
#define LOCK_COUNT 32u
/* Include/cpython/methodobject.h, PyCFunctionObject: PyObject_HEAD, m_ml (whose first word is its name),
 * m_self. */
#define FUNCTION_DEFINITION 16u
#define FUNCTION_SELF 24u
/* Include/cpython/descrobject.h, PyDescrObject: PyObject_HEAD, d_type, d_name. */
#define METHOD_NAME 24u
/* Include/frameobject.h, PyTryBlock: type, handler, level. */
#define BLOCK_SIZE 12u
#define BLOCK_LEVEL 8u
#define MAX_BLOCKS 20u
#define MAX_SLOTS 4096u
#define MAX_EXCEPTIONS 1000000u
#define FIRST_TAGGED 14u
#define REFERENCE_TAGS ((guint64) 3) /* of what frames hold from 3.14 on */

/* ---- the lock that a thread waits for ---- */

/* Modules/_queuemodule.c, simplequeueobject: to 3.12 its lock stands where a lock's semaphore does; since 3.13 its threads
 * park on their own stacks. */
static gboolean
is_lock (PythonRuntime *runtime, guint64 object, PythonLock *lock)
{
    const PythonType *type = object % 8 == 0 && object > 0x1000
                                 ? python_find_object_type (runtime, object)
                                 : NULL;

    lock->is_recursive = type != NULL && strcmp (type->full_name, "_thread.RLock") == 0;
    lock->is_queue = type != NULL && strcmp (type->full_name, "_queue.SimpleQueue") == 0;
    return lock->is_recursive || lock->is_queue
           || (type != NULL && strcmp (type->full_name, "_thread.lock") == 0);
}

static void
find_owner (PythonRuntime *runtime, PythonLock *lock)
{
    guint64 count = 0;

    if (lock->is_recursive
        && (runtime->layout->minor >= FIRST_PARKED_RLOCK
            || (python_read_u64 (runtime, lock->object + LOCK_COUNT, &count) && count > 0))) {
        python_read_u64 (runtime, lock->object + LOCK_OWNER, &lock->owner);
    }
}

static gboolean
find_parked (PythonRuntime *runtime, guint64 semaphore, PythonLock *ret_lock)
{
    PythonLock lock = { 0 };
    guint64 address = 0;
    guint minor = runtime->layout->minor;

    if (minor < FIRST_PARKED
        || !python_read_u64 (runtime, semaphore + (guint64) PARKED_ON, &address)
        || address < PARKED_FIELD || !is_lock (runtime, address - PARKED_FIELD, &lock)
        || (minor < FIRST_PARKED_RLOCK && lock.is_recursive)) {
        return FALSE;
    }
    lock.object = address - PARKED_FIELD;
    find_owner (runtime, &lock);
    *ret_lock = lock;
    return TRUE;
}

gboolean
python_lock_find (PythonRuntime *runtime, const guint64 *words, gsize n_words,
                  guint64 semaphore, PythonLock *ret_lock)
{
    PythonLock lock = { 0 };
    guint64 found;

    if (runtime->layout->minor > LAST_MINOR) {
        return FALSE;
    }
    if (find_parked (runtime, semaphore, ret_lock)) {
        return TRUE;
    }
    if (runtime->layout->minor >= FIRST_PARKED_RLOCK) {
        return FALSE;
    }
    for (gsize i = 0; i < n_words; i++) {
        if (words[i] % 8 != 0 || words[i] <= 0x1000
            || !python_read_u64 (runtime, words[i] + LOCK_SEMAPHORE, &found)
            || found != semaphore || !is_lock (runtime, words[i], &lock)) {
            continue;
        }
        lock.object = words[i];
        find_owner (runtime, &lock);
        *ret_lock = lock;
        return TRUE;
    }
    return FALSE;
}

/* ---- what the program calls it ---- */

typedef struct {
    PythonRuntime *runtime;
    guint64 object;
    const char *outer; /* "self" of "self.lock"; NULL: a name alone */
    char *name;
} NameSearch;

static gboolean
match_attribute (guint64 key, guint64 value, gpointer user)
{
    NameSearch *search = user;

    if (value == search->object) {
        g_autofree char *name = python_read_str (search->runtime, key, 200, NULL);

        search->name = name == NULL            ? NULL
                       : search->outer != NULL ? g_strconcat (search->outer, ".", name, NULL)
                                               : g_strdup (name);
    }
    return search->name == NULL;
}

static gboolean
match_local (const char *name, guint64 object, gpointer user)
{
    NameSearch *search = user;

    if (object == search->object) {
        search->name = g_strdup (name);
    }
    return search->name == NULL;
}

/* Attributes of instances that the frame has names for. */
static gboolean
match_inside (const char *name, guint64 object, gpointer user)
{
    NameSearch *search = user;
    const PythonType *type = python_find_object_type (search->runtime, object);

    if (type != NULL && (type->flags & PYTHON_FLAG_HEAP) != 0
        && (type->flags & PYTHON_FLAG_TYPE) == 0) {
        search->outer = name;
        python_attributes_foreach (search->runtime, object, match_attribute, search);
    }
    return search->name == NULL;
}

char *
python_lock_dup_name (PythonRuntime *runtime, const PythonLock *lock, const PythonFrame *frame)
{
    NameSearch search = { .runtime = runtime, .object = lock->object };
    guint64 globals = 0;

    python_locals_foreach (runtime, frame->frame, match_local, &search);
    if (search.name == NULL) {
        python_locals_foreach (runtime, frame->frame, match_inside, &search);
    }
    if (search.name == NULL
        && python_read_u64 (runtime, frame->frame + (guint64) runtime->layout->frame_globals,
                            &globals)
        && globals != 0) {
        search.outer = NULL;
        python_dict_foreach (runtime, globals, match_attribute, &search);
    }
    return search.name;
}

/* ---- who is inside a with statement ---- */

/* Two of the formats of numbers in code objects: this one begins with the highest bits. */
static guint64
take_number (const guint8 *bytes, gsize size, gsize *at)
{
    guint64 value = *at < size ? bytes[*at] & 63 : 0;

    while (*at < size && (bytes[*at] & 64) != 0 && ++*at < size) {
        value = value << 6 | (bytes[*at] & 63);
    }
    ++*at;
    return value;
}

/* From 3.11 (Objects/exception_handling_notes.txt): how many values of the frame's stack stay when the
 * instruction, in code units, raises. What is below is in use; what is above may be left over. */
static guint64
find_depth (PythonRuntime *runtime, guint64 code, guint64 index)
{
    g_autoptr (GBytes) table = NULL;
    guint64 object = 0;
    const guint8 *bytes;
    gsize size, at = 0;

    if (!python_read_u64 (runtime, code + (guint64) runtime->layout->code_exceptions, &object)
        || (table = python_read_bytes (runtime, object, MAX_EXCEPTIONS)) == NULL) {
        return 0;
    }
    bytes = g_bytes_get_data (table, &size);
    while (at < size) {
        guint64 start = take_number (bytes, size, &at), length = take_number (bytes, size, &at);
        guint64 depth;

        take_number (bytes, size, &at); /* the handler */
        depth = take_number (bytes, size, &at) >> 1;
        if (start <= index && index < start + length) {
            return depth;
        }
    }
    return 0;
}

/* To 3.10: blocks say it, the innermost the most. */
static guint64
find_block_depth (PythonRuntime *runtime, guint64 frame)
{
    guint8 blocks[MAX_BLOCKS * BLOCK_SIZE];
    guint32 n = 0;
    gint32 level = 0;

    if (!python_read_u32 (runtime, frame + (guint64) runtime->layout->frame_n_blocks, &n)
        || n == 0 || n > MAX_BLOCKS
        || !python_read (runtime, frame + (guint64) runtime->layout->frame_blocks, blocks,
                         n * BLOCK_SIZE)) {
        return 0;
    }
    memcpy (&level, blocks + (n - 1) * BLOCK_SIZE + BLOCK_LEVEL, sizeof level);
    return (guint64) MAX (level, 0);
}

/* Where the values of the frame begin that are in use for certain, and how many they are. */
static guint64
find_values (PythonRuntime *runtime, const PythonFrame *frame, guint64 *ret_count)
{
    const PythonLayout *layout = runtime->layout;
    const PythonCode *code = python_find_code (runtime, frame->code);
    guint64 start = 0, instruction = 0;

    *ret_count = 0;
    if (layout->minor > LAST_MINOR || code == NULL) {
        return 0;
    }
    if (layout->chain == PYTHON_CHAIN_OBJECTS) {
        *ret_count = find_block_depth (runtime, frame->frame);
        python_read_u64 (runtime, frame->frame + (guint64) layout->frame_values, &start);
    } else if (python_read_u64 (runtime, frame->frame + (guint64) layout->frame_instruction,
                                &instruction)
               && instruction >= code->bytecode) {
        *ret_count = find_depth (runtime, frame->code, (instruction - code->bytecode) / 2);
        start = frame->frame + (guint64) layout->frame_slots + (guint64) code->n_slots * 8;
    }
    *ret_count = start != 0 ? MIN (*ret_count, MAX_SLOTS) : 0;
    return start;
}

/* The lock's own __exit__, which a with statement keeps as long as it lasts. */
static gboolean
is_exit_of (PythonRuntime *runtime, guint64 object, guint64 lock)
{
    guint64 self = 0, definition = 0, name = 0;
    const PythonType *type;
    char text[9] = "";

    if (object % 8 != 0 || object <= 0x1000
        || !python_read_u64 (runtime, object + FUNCTION_SELF, &self) || self != lock) {
        return FALSE;
    }
    type = python_find_object_type (runtime, object);
    return type != NULL && strcmp (type->full_name, "builtin_function_or_method") == 0
           && python_read_u64 (runtime, object + FUNCTION_DEFINITION, &definition)
           && python_read_u64 (runtime, definition, &name)
           && python_read (runtime, name, text, sizeof text)
           && memcmp (text, "__exit__", sizeof text) == 0;
}

/* From 3.14 on a with statement keeps __exit__ as the class has it, and then the object. */
static gboolean
is_exit_method (PythonRuntime *runtime, guint64 object)
{
    const PythonType *type = object % 8 == 0 && object > 0x1000
                                 ? python_find_object_type (runtime, object)
                                 : NULL;
    g_autofree char *text = NULL;
    guint64 name = 0;

    if (type == NULL || strcmp (type->full_name, "method_descriptor") != 0
        || !python_read_u64 (runtime, object + METHOD_NAME, &name)) {
        return FALSE;
    }
    text = python_read_str (runtime, name, sizeof "__exit__", NULL);
    return g_strcmp0 (text, "__exit__") == 0;
}

gboolean
python_lock_is_taken_in (PythonRuntime *runtime, const PythonLock *lock,
                         const PythonFrame *frame)
{
    guint64 count, start = find_values (runtime, frame, &count), value = 0, before = 0;

    for (guint64 i = 0; i < count; i++, before = value) {
        if (!python_read_u64 (runtime, start + i * 8, &value)) {
            return FALSE;
        }
        if (runtime->layout->minor >= FIRST_TAGGED) {
            value &= ~REFERENCE_TAGS;
        }
        if (is_exit_of (runtime, value, lock->object)
            || (value == lock->object && is_exit_method (runtime, before))) {
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- the end of a thread ---- */

static gboolean
match_self (const char *name, guint64 object, gpointer user)
{
    guint64 *self = user;

    *self = strcmp (name, "self") == 0 ? object : 0;
    return *self == 0;
}

guint64
python_frame_find_joined (PythonRuntime *runtime, const PythonFrame *frame)
{
    const char *name = frame->function != NULL ? strrchr (frame->function, '.') : NULL;
    guint64 self = 0, number;
    gint64 thread = 0;

    name = name != NULL ? name + 1 : frame->function;
    if (name == NULL || frame->file == NULL || !g_str_has_suffix (frame->file, "/threading.py")
        || (strcmp (name, "_wait_for_tstate_lock") != 0 && strcmp (name, "join") != 0)
        || runtime->layout->minor > LAST_MINOR) {
        return 0;
    }
    python_locals_foreach (runtime, frame->frame, match_self, &self);
    number = self != 0 ? python_attributes_find (runtime, self, "_ident") : 0;
    return number != 0 && python_read_int (runtime, number, &thread) ? (guint64) thread : 0;
}

char *
python_frame_dup_class (PythonRuntime *runtime, const PythonFrame *frame)
{
    const PythonType *type;
    const char *last;
    guint64 self = 0;

    python_locals_foreach (runtime, frame->frame, match_self, &self);
    type = self != 0 ? python_find_object_type (runtime, self) : NULL;
    last = type != NULL && type->full_name != NULL ? strrchr (type->full_name, '.') : NULL;
    return type == NULL || type->full_name == NULL
               ? NULL
               : g_strdup (last != NULL ? last + 1 : type->full_name);
}
