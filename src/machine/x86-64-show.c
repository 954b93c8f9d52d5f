/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: registers by name and value. The extended state is that of XSAVE (Intel SDM volume 1, chapter 13). */
#include "machine/show.h"
#include "base/array.h"
#include <glib/gi18n.h>
#include <string.h>

#define XSAVE_HEADER 512u
#define SSE_OFFSET 160u /* xmm0-15 */
#define HAS_AVX (1u << 2)
#define HAS_MASKS (1u << 5)
#define HAS_ZMM_UPPER (1u << 6)
#define HAS_ZMM_MORE (1u << 7)

/* In the order of gdb and of most manuals. */
static const guint8 order[17] = { 0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

typedef struct {
    MachineShow show;
    gpointer user;
} To;

static void show (const To *to, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
show (const To *to, const char *name, const char *format, ...)
{
    g_autofree char *value = NULL;
    va_list arguments;

    va_start (arguments, format);
    value = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    to->show (name, value, to->user);
}

void
machine_show_general (const guint64 *values, guint32 valid, MachineShow function, gpointer user)
{
    const To to = { function, user };

    for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
        guint number = order[i];
        const char *name = machine_registers_get_name (number);

        if (valid & (1u << number)) {
            show (&to, name, "0x%016" G_GINT64_MODIFIER "x  %" G_GINT64_FORMAT, values[number],
                  (gint64) values[number]);
        } else {
            show (&to, name, N_ ("<not saved>"));
        }
    }
}

static void
show_flags (const To *to, guint64 flags)
{
    static const struct {
        guint bit;
        const char *name;
    } names[] = {
        { 0, "CF" },  { 2, "PF" },  { 4, "AF" },  { 6, "ZF" },  { 7, "SF" },
        { 8, "TF" },  { 9, "IF" },  { 10, "DF" }, { 11, "OF" }, { 14, "NT" },
        { 16, "RF" }, { 18, "AC" }, { 21, "ID" },
    };
    g_autoptr (GString) set = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        if (flags >> names[i].bit & 1) {
            g_string_append_printf (set, " %s", names[i].name);
        }
    }
    show (to, "eflags", "0x%" G_GINT64_MODIFIER "x  [%s ]", flags, set->str);
}

void
machine_show_control (const MachineRegisters *registers, MachineShow function, gpointer user)
{
    const To to = { function, user };
    const struct {
        const char *name;
        guint64 value;
    } rows[] = {
        { "cs", registers->cs },           { "ss", registers->ss },
        { "ds", registers->ds },           { "es", registers->es },
        { "fs", registers->fs },           { "gs", registers->gs },
        { "fs_base", registers->fs_base }, { "gs_base", registers->gs_base },
    };

    show_flags (&to, registers->eflags);
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        show (&to, rows[i].name, "0x%" G_GINT64_MODIFIER "x", rows[i].value);
    }
}

/* ---- the extended state ---- */

static guint64
get_word (const guint8 *data, gsize size, gsize offset, guint n_bytes)
{
    guint64 value = 0;

    if (offset + n_bytes <= size) {
        memcpy (&value, data + offset, n_bytes);
    }
    return value;
}

/* An extended state: the parts of it that are in use, and whose places are known. */
typedef struct {
    const guint8 *data;
    gsize size;
    MachineVectors vectors;
    guint32 features;
} Extended;

/* The bytes of one vector register, 16, 32 or 64 of them; returns how many. */
static guint
collect_vector (const Extended *state, guint number, guint8 *bytes)
{
    const MachineVectors *vectors = &state->vectors;
    guint width = state->features & HAS_ZMM_UPPER ? 64 : state->features & HAS_AVX ? 32 : 16;

    memset (bytes, 0, 64);
    if (number >= 16) {
        memcpy (bytes, state->data + vectors->zmm_more + (number - 16) * 64, 64);
        return 64;
    }
    memcpy (bytes, state->data + SSE_OFFSET + number * 16, 16);
    if (state->features & HAS_AVX) {
        memcpy (bytes + 16, state->data + vectors->ymm_upper + number * 16, 16);
    }
    if (width == 64) {
        memcpy (bytes + 32, state->data + vectors->zmm_upper + number * 32, 32);
    }
    return width;
}

/* Whole in hexadecimal, then as the double numbers that it would hold. */
static void
show_vector (const To *to, guint number, const guint8 *bytes, guint width)
{
    const char *kind = width == 64 ? "zmm" : width == 32 ? "ymm" : "xmm";
    g_autofree char *name = g_strdup_printf ("%s%u", kind, number);
    g_autoptr (GString) text = g_string_new ("0x");

    for (guint i = width; i > 0; i--) {
        g_string_append_printf (text, "%02x", bytes[i - 1]);
    }
    g_string_append (text, "  {");
    for (guint i = 0; i < width; i += 8) {
        double lane;

        memcpy (&lane, bytes + i, sizeof lane);
        g_string_append_printf (text, "%s%g", i > 0 ? ", " : "", lane);
    }
    show (to, name, "%s}", text->str);
}

static gboolean
is_zero (const guint8 *bytes, guint width)
{
    return BASE_ALL (i, width, bytes[i] == 0);
}

static void
show_zeros (const To *to, guint width, guint first, guint end)
{
    const char *kind = width == 64 ? "zmm" : width == 32 ? "ymm" : "xmm";
    g_autofree char *name = end == first + 1
                                ? g_strdup_printf ("%s%u", kind, first)
                                : g_strdup_printf ("%s%u-%s%u", kind, first, kind, end - 1);

    if (end > first) {
        show (to, name, "0");
    }
}

/* Each register by the widest name that the processor has in use; runs of zeros in one line. */
static void
show_vectors (const To *to, const Extended *state)
{
    guint n = state->features & HAS_ZMM_MORE ? 32 : 16, first_zero = 0;
    guint8 bytes[64];
    guint width = 0;

    for (guint i = 0; i < n; i++) {
        if (i == 16) { /* those above are known by their whole width only */
            show_zeros (to, width, first_zero, i);
            first_zero = i;
        }
        width = collect_vector (state, i, bytes);
        if (is_zero (bytes, width)) {
            continue;
        }
        show_zeros (to, width, first_zero, i);
        show_vector (to, i, bytes, width);
        first_zero = i + 1;
    }
    show_zeros (to, width, first_zero, n);
}

static void
show_x87 (const To *to, const guint8 *data)
{
    guint16 tags = (guint16) get_word (data, XSAVE_HEADER, 4, 1);

    show (to, "fctrl", "0x%04x", (guint) get_word (data, XSAVE_HEADER, 0, 2));
    show (to, "fstat", "0x%04x", (guint) get_word (data, XSAVE_HEADER, 2, 2));
    for (guint i = 0; i < 8; i++) {
        guint top = (guint) get_word (data, XSAVE_HEADER, 2, 2) >> 11 & 7;
        long double value = 0;

        if (tags >> ((top + i) & 7) & 1) {
            memcpy (&value, data + 32 + 16 * i, 10);
            show (to, (char[]){ 's', 't', (char) ('0' + i), '\0' }, "%.18Lg", value);
        }
    }
}

/* What stands at no known place, or not within the state, counts as not there. */
static void
check_parts (Extended *state)
{
    const struct {
        guint32 flag, offset, size;
    } parts[] = {
        { HAS_AVX, state->vectors.ymm_upper, 256 },
        { HAS_MASKS, state->vectors.masks, 64 },
        { HAS_ZMM_UPPER, state->vectors.zmm_upper, 512 },
        { HAS_ZMM_MORE, state->vectors.zmm_more, 1024 },
    };

    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
        if (parts[i].offset < XSAVE_HEADER || parts[i].offset > state->size
            || parts[i].size > state->size - parts[i].offset) {
            state->features &= ~parts[i].flag;
        }
    }
}

void
machine_show_extended (const guint8 *data, gsize size, const MachineVectors *vectors,
                       MachineShow function, gpointer user)
{
    const To to = { function, user };
    Extended state = { .data = data, .size = size, .vectors = *vectors };

    if (size < XSAVE_HEADER) {
        return;
    }
    state.features = (guint32) get_word (state.data, state.size, XSAVE_HEADER, 8);
    check_parts (&state);
    show_x87 (&to, state.data);
    show (&to, "mxcsr", "0x%08x", (guint) get_word (state.data, state.size, 24, 4));
    show_vectors (&to, &state);
    for (guint i = 0; (state.features & HAS_MASKS) && i < 8; i++) {
        show (&to, (char[]){ 'k', (char) ('0' + i), '\0' }, "0x%016" G_GINT64_MODIFIER "x",
              get_word (state.data, state.size, state.vectors.masks + 8 * i, 8));
    }
}
