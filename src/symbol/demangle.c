/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the names that linkers see of C++'s functions (Itanium C++ ABI, 5.1), and what is left of them
 * without results and parameters: as debug information names functions. */
#include <stdlib.h>
#include <string.h>
#include <libiberty/demangle.h>

#include "symbol/demangle.h"

char *
symbol_demangle (const char *name)
{
    if (name[0] != '_' || name[1] != 'Z')
        return NULL;
    char *text = cplus_demangle_v3 (name, DMGL_PARAMS | DMGL_ANSI);
    char *copy = g_strdup (text);
    free (text);
    return copy;
}

/* Where the bracket that the text ends in begins; NULL: it ends in none. */
static char *
find_last_bracket (char *text, gsize length)
{
    int depth = 0;
    for (gsize i = length; i-- > 0;) {
        depth += (text[i] == ')') - (text[i] == '(');
        if (!depth)
            return text[i] == '(' ? text + i : NULL;
    }
    return NULL;
}

/* Cuts " const", " &", " [clone .part.0]" and the parameters in front of them. */
static void
cut_parameters (char *text)
{
    static const char *const endings[] = { " const", " volatile", " &&", " &", " noexcept" };
    char *clone = strstr (text, " [clone ");
    if (clone)
        *clone = 0;
    for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
        if (g_str_has_suffix (text, endings[i])) {
            text[strlen (text) - strlen (endings[i])] = 0;
            i = (guint) -1; /* once more from the first */
        }
    char *bracket = find_last_bracket (text, strlen (text));
    /* "operator()" and "(anonymous namespace)" are names */
    if (bracket && bracket > text && !(g_str_has_prefix (bracket, "()") && bracket - text >= 8 &&
                                       !strncmp (bracket - 8, "operator", 8)) &&
        !g_str_has_prefix (bracket, "(anonymous"))
        *bracket = 0;
}

/* Behind the result that the names of templates' functions begin with. */
static const char *
skip_result (const char *text)
{
    const char *start = text;
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (!depth && g_str_has_prefix (at, "operator") && (at == text || at[-1] == ' ' || at[-1] == ':') &&
            !g_ascii_isalnum (at[8]) && at[8] != '_')
            break;
        depth += (*at == '<' || *at == '(' || *at == '{') - (*at == '>' || *at == ')' || *at == '}');
        if (*at == ' ' && !depth)
            start = at + 1;
    }
    return start;
}

char *
symbol_demangle_function (const char *name)
{
    g_autofree char *whole = symbol_demangle (name);
    /* thunks, guards, vtables and their like keep their words */
    if (!whole || g_str_has_prefix (whole, "non-virtual thunk to ") || strstr (whole, "thunk to ") ||
        strstr (whole, " for "))
        return g_steal_pointer (&whole);
    cut_parameters (whole);
    const char *start = skip_result (whole);
    return *start ? g_strdup (start) : g_steal_pointer (&whole);
}
