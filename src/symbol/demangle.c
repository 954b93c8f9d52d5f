/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demangles C++ linker names (Itanium C++ ABI, 5.1), completely, or without results and
 * parameters as in debug information. */
#include <stdlib.h>
#include <string.h>
#include <libiberty/demangle.h>

#include "symbol/demangle.h"

char *
symbol_demangle (const char *name)
{
    if (name[0] != '_' || name[1] != 'Z')
        return NULL;
    const char *version = strchr (name, '@'); /* of a symbol that a library has in several */
    g_autofree char *plain = version ? g_strndup (name, (gsize) (version - name)) : NULL;
    char *text = cplus_demangle_v3 (plain ? plain : name, DMGL_PARAMS | DMGL_ANSI);
    char *copy = text ? g_strconcat (text, version, NULL) : NULL;
    free (text);
    return copy;
}

char *
symbol_demangle_function (const char *name)
{
    if (name[0] != '_' || name[1] != 'Z')
        return NULL;
    char *text = cplus_demangle_v3 (name, DMGL_ANSI);
    char *clone = text ? strstr (text, " [clone ") : NULL;
    char *copy = text ? g_strndup (text, clone ? (gsize) (clone - text) : strlen (text)) : NULL;
    free (text);
    return copy;
}
