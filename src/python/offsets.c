/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From 3.13 an interpreter tells where it keeps things: a block of words at the start of _PyRuntime
 * (Include/internal/pycore_debug_offsets.h), one after the other, whose order is each minor
 * version's own. What it tells is trusted more than the table made from headers. */
#include "base/error.h"
#include "python/layout-private.h"
#include <stddef.h>
#include <string.h>

#define MAX_OFFSET (1u << 20) /* _PyRuntime and the interpreter's state are some 100 kB */
#define N_HEAD 3u             /* cookie, version, free threading */

/* A word of the block: the field of the layout that it is, or one that nobody asks for. */
#define TO(name) (gint16) offsetof (PythonLayout, name)
#define SKIP (gint16) - 1
#define GIL_STATE                                                                              \
    (gint16) - 2 /* the lock in the interpreter's state: what follows is relative */
#define GIL_LOCKED (gint16) - 3
#define GIL_HOLDER (gint16) - 4

#define RUNTIME SKIP, SKIP, TO (runtime_interpreters)
#define GIL GIL_STATE, SKIP, GIL_LOCKED, GIL_HOLDER
#define THREAD                                                                                 \
    TO (thread_size), SKIP, TO (thread_next), TO (thread_interpreter), TO (thread_frame),      \
        TO (thread_id), TO (thread_native_id), SKIP, SKIP
#define FRAME                                                                                  \
    SKIP, TO (frame_previous), TO (frame_code), TO (frame_instruction), TO (frame_slots),      \
        TO (frame_owner)
#define CODE                                                                                   \
    TO (code_size), TO (code_filename), TO (code_name), TO (code_qualname), TO (code_lines),   \
        TO (code_first_line), SKIP, TO (code_slot_names), TO (code_slot_kinds),                \
        TO (code_bytecode)
#define OBJECT SKIP, SKIP
#define TYPE SKIP, TO (type_name), SKIP, TO (type_flags)
#define SEQUENCES SKIP, TO (tuple_items), SKIP, SKIP, TO (list_items), SKIP
#define DICT SKIP, TO (dict_keys), TO (dict_values)
#define SCALARS                                                                                \
    SKIP, TO (float_value), SKIP, TO (long_tag), TO (long_digits), SKIP, SKIP,                 \
        TO (bytes_data), SKIP, TO (string_state), TO (string_length), TO (string_ascii)

static const gint16 block_13[] = {
    RUNTIME,
    /* the interpreter's state */
    SKIP,
    SKIP,
    TO (interpreter_next),
    TO (interpreter_threads),
    SKIP,
    SKIP,
    TO (interpreter_sysdict),
    SKIP,
    TO (interpreter_gil),
    GIL,
    THREAD,
    FRAME,
    CODE,
    OBJECT,
    TYPE,
    SEQUENCES,
    DICT,
    SCALARS,
};

/* More: the main thread, two generations, the frame's stack pointer and copy of the bytecode, the
 * code's copies, sets. */
static const gint16 block_14[] = {
    RUNTIME,
    SKIP,
    SKIP,
    TO (interpreter_next),
    TO (interpreter_threads),
    SKIP,
    SKIP,
    SKIP,
    TO (interpreter_sysdict),
    SKIP,
    TO (interpreter_gil),
    GIL,
    SKIP,
    SKIP,
    THREAD,
    FRAME,
    SKIP,
    SKIP,
    CODE,
    SKIP,
    OBJECT,
    TYPE,
    SEQUENCES,
    SKIP,
    TO (set_used),
    TO (set_table),
    TO (set_mask),
    DICT,
    SCALARS,
};

static gboolean
set_corrupt (GError **error, const char *what)
{
    base_error_set (error, BASE_ERROR_CORRUPT,
                    "cannot use the interpreter's table of offsets: %s", what);
    return FALSE;
}

static gboolean
take_words (const gint16 *block, guint count, const guint64 *words, PythonLayout *layout,
            GError **error)
{
    guint64 gil = 0;

    for (guint i = 0; i < count; i++) {
        guint64 word = words[i];

        if (word >= MAX_OFFSET) {
            return set_corrupt (error, "an offset is out of range");
        }
        if (block[i] == GIL_STATE) {
            gil = word;
        } else if (block[i] == GIL_LOCKED || block[i] == GIL_HOLDER) {
            if (word < gil) {
                return set_corrupt (error, "the lock is outside its structure");
            }
            *(block[i] == GIL_LOCKED ? &layout->gil_locked : &layout->gil_holder)
                = (gint32) (word - gil);
        } else if (block[i] != SKIP) {
            gint32 value = (gint32) word;

            memcpy ((guint8 *) layout + block[i], &value, sizeof value);
        }
    }
    return TRUE;
}

gsize
python_offsets_get_size (guint minor)
{
    return minor == 13   ? (N_HEAD + G_N_ELEMENTS (block_13)) * 8
           : minor == 14 ? (N_HEAD + G_N_ELEMENTS (block_14)) * 8
                         : 0;
}

gboolean
python_offsets_decode (const guint8 *bytes, gsize size, PythonLayout *layout, GError **error)
{
    guint64 words[PYTHON_OFFSETS_MAX_SIZE / 8];
    PythonLayout decoded = *layout;
    guint minor;
    gsize wanted;

    if (size < N_HEAD * 8 || size > sizeof words || memcmp (bytes, "xdebugpy", 8) != 0) {
        return set_corrupt (error, "it does not begin with its cookie");
    }
    memcpy (words, bytes, size / 8 * 8);
    minor = words[1] >> 16 & 0xff;
    wanted = words[1] >> 24 == 3 ? python_offsets_get_size (minor) : 0;
    if (wanted == 0) {
        g_autofree char *version = base_text_format_address (words[1]);

        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot use the interpreter's table of offsets: pddt does not know "
                        "version %s",
                        version);
        return FALSE;
    }
    if (words[2] != 0) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot show Python frames: this is a free-threaded CPython");
        return FALSE;
    }
    if (size < wanted) {
        return set_corrupt (error, "it is truncated");
    }
    decoded.minor = minor;
    if (!take_words (minor == 13 ? block_13 : block_14, (guint) (wanted / 8 - N_HEAD),
                     words + N_HEAD, &decoded, error)) {
        return FALSE;
    }
    /* a compact str's characters begin behind the rest of its head, which has not moved */
    decoded.string_compact += decoded.string_ascii - layout->string_ascii;
    decoded.string_data += decoded.string_ascii - layout->string_ascii;
    *layout = decoded;
    return TRUE;
}
