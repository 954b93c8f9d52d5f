/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the type of $_siginfo, the kernel's description of a signal (sigaction(2)), with gdb's
 * names and the C library's layout, without the program's debug information. */
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "symbol/parser-private.h"

typedef enum { WORD, UNSIGNED, SHORT, LONG, POINTER, VALUE, USER, GROUP, CLOCK } Form;

/* A member of a part of the union behind the signal's number; parts in gdb's order. */
static const struct {
    const char *part, *name;
    Form form;
    gsize offset;
} rows[] = {
    { "_kill", "si_pid", USER, offsetof (siginfo_t, si_pid) },
    { "_kill", "si_uid", GROUP, offsetof (siginfo_t, si_uid) },
    { "_timer", "si_tid", WORD, offsetof (siginfo_t, si_timerid) },
    { "_timer", "si_overrun", WORD, offsetof (siginfo_t, si_overrun) },
    { "_timer", "si_sigval", VALUE, offsetof (siginfo_t, si_value) },
    { "_rt", "si_pid", USER, offsetof (siginfo_t, si_pid) },
    { "_rt", "si_uid", GROUP, offsetof (siginfo_t, si_uid) },
    { "_rt", "si_sigval", VALUE, offsetof (siginfo_t, si_value) },
    { "_sigchld", "si_pid", USER, offsetof (siginfo_t, si_pid) },
    { "_sigchld", "si_uid", GROUP, offsetof (siginfo_t, si_uid) },
    { "_sigchld", "si_status", WORD, offsetof (siginfo_t, si_status) },
    { "_sigchld", "si_utime", CLOCK, offsetof (siginfo_t, si_utime) },
    { "_sigchld", "si_stime", CLOCK, offsetof (siginfo_t, si_stime) },
    { "_sigfault", "si_addr", POINTER, offsetof (siginfo_t, si_addr) },
    { "_sigfault", "_addr_lsb", SHORT, offsetof (siginfo_t, si_addr_lsb) },
    { "_sigfault", "_lower", POINTER, offsetof (siginfo_t, si_lower) },
    { "_sigfault", "_upper", POINTER, offsetof (siginfo_t, si_upper) },
    { "_sigpoll", "si_band", LONG, offsetof (siginfo_t, si_band) },
    { "_sigpoll", "si_fd", WORD, offsetof (siginfo_t, si_fd) },
    { "_sigsys", "_call_addr", POINTER, offsetof (siginfo_t, si_call_addr) },
    { "_sigsys", "_syscall", WORD, offsetof (siginfo_t, si_syscall) },
    { "_sigsys", "_arch", UNSIGNED, offsetof (siginfo_t, si_arch) },
};
#define UNION_OFFSET offsetof (siginfo_t, si_pid)
#define UNION_SIZE (sizeof (siginfo_t) - UNION_OFFSET)
#define VALUE_NAME "sigval_t"

static GArray *
get_members (SymbolType *type)
{
    if (!type->members)
        type->members = g_array_new (FALSE, TRUE, sizeof (SymbolMember));
    return type->members;
}

static void
add_member (SymbolBinding *binding, guint32 holder, const char *name, guint32 type,
            guint64 offset)
{
    SymbolMember member = { .type = type, .offset = offset, .name = g_strdup (name) };
    SymbolType *whole = symbol_type_get (binding, holder);
    guint64 end = offset + symbol_type_strip (binding, type)->size;
    g_array_append_val (get_members (whole), member);
    whole->size = MAX (whole->size, (end + 7) & ~(guint64) 7);
}

/* A structure or union of the name, which nothing in a program has. */
static guint32
make_holder (SymbolBinding *binding, EvaluateTypeKind kind, const char *name)
{
    g_autofree char *own = g_strconcat ("_siginfo.", name,
                                        NULL); /* it is found again by that */
    guint32 type = symbol_type_get_basic (binding, kind, 0, own);
    SymbolType *made = symbol_type_get (binding, type);
    g_free (made->name);
    made->name = g_strdup (name);
    made->is_siginfo = TRUE;
    return type;
}

static guint32
get_integer (SymbolBinding *binding, gboolean with_sign, guint64 size, const char *name)
{
    return symbol_type_get_basic (binding,
                                  with_sign ? EVALUATE_TYPE_SIGNED : EVALUATE_TYPE_UNSIGNED,
                                  size, name);
}

static guint32
get_form (SymbolBinding *binding, Form form)
{
    guint32 type;
    switch (form) {
    case UNSIGNED: return get_integer (binding, FALSE, 4, "unsigned int");
    case SHORT: return get_integer (binding, TRUE, 2, "short");
    case LONG: return get_integer (binding, TRUE, 8, "long");
    case USER: return get_integer (binding, TRUE, 4, "__pid_t");
    case GROUP: return get_integer (binding, FALSE, 4, "__uid_t");
    case CLOCK: return get_integer (binding, TRUE, 8, "__clock_t");
    case POINTER: return symbol_type_get_pointer (binding, 0);
    case VALUE:
        type = make_holder (binding, EVALUATE_TYPE_UNION, VALUE_NAME);
        if (!symbol_type_get (binding, type)->members) {
            add_member (binding, type, "sival_int", get_form (binding, WORD), 0);
            add_member (binding, type, "sival_ptr", get_form (binding, POINTER), 0);
        }
        return type;
    default: return get_integer (binding, TRUE, 4, "int");
    }
}

/* The rows of one part from row i on; the next part's first row. */
static guint
add_part (SymbolBinding *binding, guint32 fields, guint i)
{
    const char *part = rows[i].part;
    guint32 own = make_holder (binding, EVALUATE_TYPE_STRUCT, part), bounds = 0;
    for (; i < G_N_ELEMENTS (rows) && !strcmp (rows[i].part, part); i++) {
        guint64 offset = rows[i].offset - UNION_OFFSET;
        gboolean is_bound = !strcmp (rows[i].name, "_lower")
                            || !strcmp (rows[i].name, "_upper");
        guint64 first = offsetof (siginfo_t, si_lower) - UNION_OFFSET;
        if (is_bound && !bounds)
            bounds = make_holder (binding, EVALUATE_TYPE_STRUCT, "_addr_bnd");
        add_member (binding, is_bound ? bounds : own, rows[i].name,
                    get_form (binding, rows[i].form), is_bound ? offset - first : offset);
        if (is_bound && !strcmp (rows[i].name, "_upper"))
            add_member (binding, own, "_addr_bnd", bounds, first);
    }
    add_member (binding, fields, part, own, 0);
    return i;
}

const char *
symbol_siginfo_find_tag (const SymbolType *type)
{
    return !strcmp (type->name, SYMBOL_SIGINFO) ? "siginfo"
           : !strcmp (type->name, VALUE_NAME)   ? VALUE_NAME
                                                : NULL;
}

guint32
symbol_type_get_siginfo (SymbolBinding *binding)
{
    static const char *const front[] = { "si_signo", "si_errno", "si_code" };
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_STRUCT, sizeof (siginfo_t),
                                          SYMBOL_SIGINFO);
    if (symbol_type_get (binding, type)->members)
        return type;
    symbol_type_get (binding, type)->is_siginfo = TRUE;
    for (guint i = 0; i < G_N_ELEMENTS (front); i++)
        add_member (binding, type, front[i], get_form (binding, WORD), 4 * i);
    guint32 fields = make_holder (binding, EVALUATE_TYPE_UNION, "_sifields");
    add_member (binding, fields, "_pad",
                symbol_type_get_array (binding, get_form (binding, WORD), UNION_SIZE / 4), 0);
    for (guint i = 0; i < G_N_ELEMENTS (rows);)
        i = add_part (binding, fields, i);
    add_member (binding, type, "_sifields", fields, UNION_OFFSET);
    return type;
}
