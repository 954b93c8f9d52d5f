/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numpy's datetime64 and timedelta64: the unit that the descriptor or the scalar keeps, and dates as
 * numpy writes them (numpy/ndarraytypes.h: NPY_DATETIMEUNIT, PyArray_DatetimeMetaData). */
#include "python/value-private.h"
#include <string.h>

#define METADATA_1 80    /* c_metadata of the descriptor: numpy 1 */
#define METADATA_2 112   /* numpy 2 */
#define METADATA_UNIT 32 /* behind NpyAuxData */
#define SCALAR_UNIT 24
#define NOT_A_TIME G_MININT64

enum {
    UNIT_YEAR,
    UNIT_MONTH,
    UNIT_WEEK,
    UNIT_DAY = 4,
    UNIT_HOUR,
    UNIT_MINUTE,
    UNIT_SECOND,
    UNIT_MILLI,
    UNIT_MICRO,
    UNIT_NANO,
    UNIT_PICO,
    UNIT_FEMTO,
    UNIT_ATTO,
    UNIT_GENERIC
};

static const char *const units[] = { "Y",  "M",  "W",  NULL, "D",  "h",  "m",      "s",
                                     "ms", "us", "ns", "ps", "fs", "as", "generic" };

static gboolean
read_unit (PythonRuntime *runtime, guint64 address, PythonTimeUnit *ret_unit)
{
    return python_read_u32 (runtime, address, &ret_unit->unit)
           && python_read_u32 (runtime, address + 4, &ret_unit->count)
           && ret_unit->unit < G_N_ELEMENTS (units) && units[ret_unit->unit] != NULL
           && ret_unit->count >= 1 && ret_unit->count < 1000000;
}

gboolean
python_time_read_unit (PythonRuntime *runtime, guint64 descriptor, gboolean is_numpy_2,
                       PythonTimeUnit *ret_unit)
{
    guint64 metadata = 0;

    return descriptor != 0
           && python_read_u64 (runtime, descriptor + (is_numpy_2 ? METADATA_2 : METADATA_1),
                               &metadata)
           && metadata != 0 && read_unit (runtime, metadata + METADATA_UNIT, ret_unit);
}

void
python_time_append_unit (GString *text, const PythonTimeUnit *unit)
{
    if (unit->unit == UNIT_GENERIC) {
        return;
    }
    g_string_append_c (text, '[');
    if (unit->count > 1) {
        g_string_append_printf (text, "%u", unit->count);
    }
    g_string_append_printf (text, "%s]", units[unit->unit]);
}

static gint64
divide_down (gint64 value, gint64 by, gint64 *ret_rest)
{
    gint64 rest = value % by;

    if (rest < 0) {
        rest += by;
    }
    *ret_rest = rest;
    return (value - rest) / by;
}

/* Of days since 1970-01-01, by Howard Hinnant's "civil_from_days" (the calendar's 400 years). */
static void
append_date (GString *text, gint64 days)
{
    gint64 rest, era = divide_down (days + 719468, 146097, &rest);
    gint64 year = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
    gint64 day = rest - (365 * year + year / 4 - year / 100);
    gint64 month = (5 * day + 2) / 153;

    day -= (153 * month + 2) / 5 - 1;
    month += month < 10 ? 3 : -9;
    year += era * 400 + (month <= 2);
    g_string_append_printf (text,
                            "%04" G_GINT64_FORMAT "-%02" G_GINT64_FORMAT "-%02" G_GINT64_FORMAT,
                            year, month, day);
}

/* Parts of a day: how many of the unit it has; digits behind the second. */
static void
append_time (GString *text, gint64 value, guint unit)
{
    static const struct {
        gint64 per_day;
        guint digits;
    } rows[] = {
        [UNIT_HOUR] = { 24, 0 },           [UNIT_MINUTE] = { 1440, 0 },
        [UNIT_SECOND] = { 86400, 0 },      [UNIT_MILLI] = { 86400000, 3 },
        [UNIT_MICRO] = { 86400000000, 6 }, [UNIT_NANO] = { 86400000000000, 9 },
    };
    gint64 rest, days = divide_down (value, rows[unit].per_day, &rest), fraction = 0, seconds;

    append_date (text, days);
    seconds = unit >= UNIT_SECOND ? divide_down (rest, rows[unit].per_day / 86400, &fraction)
                                  : rest * (86400 / rows[unit].per_day);
    g_string_append_printf (text, "T%02d", (int) (seconds / 3600));
    if (unit >= UNIT_MINUTE) {
        g_string_append_printf (text, ":%02d", (int) (seconds / 60 % 60));
    }
    if (unit >= UNIT_SECOND) {
        g_string_append_printf (text, ":%02d", (int) (seconds % 60));
    }
    if (rows[unit].digits > 0) {
        g_string_append_printf (text, ".%0*" G_GINT64_FORMAT, (int) rows[unit].digits,
                                fraction);
    }
}

static gboolean
append_value (GString *text, gint64 value, const PythonTimeUnit *unit)
{
    gint64 rest;

    if (value == NOT_A_TIME) {
        g_string_append (text, "NaT");
        return TRUE;
    }
    if (unit->unit > UNIT_NANO || value > G_MAXINT64 / unit->count
        || value < G_MININT64 / unit->count) {
        return FALSE;
    }
    value *= unit->count;
    switch (unit->unit) {
    case UNIT_YEAR:
        g_string_append_printf (text, "%04" G_GINT64_FORMAT, value + 1970);
        return TRUE;
    case UNIT_MONTH:
        value = divide_down (value, 12, &rest);
        g_string_append_printf (text, "%04" G_GINT64_FORMAT "-%02d", value + 1970,
                                (int) rest + 1);
        return TRUE;
    case UNIT_WEEK:
    case UNIT_DAY:
        if (value > G_MAXINT32 * (gint64) 100 || value < G_MININT32 * (gint64) 100) {
            return FALSE;
        }
        append_date (text, unit->unit == UNIT_WEEK ? value * 7 : value);
        return TRUE;
    default: append_time (text, value, unit->unit); return TRUE;
    }
}

gboolean
python_time_append_element (PythonRuntime *runtime, GString *text, guint64 descriptor,
                            gboolean is_numpy_2, const guint8 *bytes)
{
    PythonTimeUnit unit;
    gint64 value;
    gsize size = text->len;

    memcpy (&value, bytes, sizeof value);
    if (!python_time_read_unit (runtime, descriptor, is_numpy_2, &unit)) {
        return FALSE;
    }
    g_string_append_c (text, '\'');
    if (!append_value (text, value, &unit)) {
        g_string_truncate (text, size);
        return FALSE;
    }
    g_string_append_c (text, '\'');
    return TRUE;
}

char *
python_time_format_scalar (PythonRuntime *runtime, guint64 object, const guint8 *bytes,
                           gboolean is_length)
{
    g_autoptr (GString) text = g_string_new (NULL);
    PythonTimeUnit unit;
    gint64 value;

    memcpy (&value, bytes, sizeof value);
    if (!read_unit (runtime, object + SCALAR_UNIT, &unit)) {
        return NULL;
    }
    if (!is_length) {
        return append_value (text, value, &unit)
                   ? g_string_free (g_steal_pointer (&text), FALSE)
                   : NULL;
    }
    if (value == NOT_A_TIME || value > G_MAXINT64 / unit.count
        || value < G_MININT64 / unit.count) {
        return value == NOT_A_TIME ? g_strdup ("NaT") : NULL;
    }
    g_string_append_printf (text, "%" G_GINT64_FORMAT " %s", value * unit.count,
                            unit.unit == UNIT_GENERIC ? "" : units[unit.unit]);
    return g_string_free (g_steal_pointer (&text), FALSE);
}
