/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-call-search.h"
#include <string.h>
#include "gui/profile/profile-call-paint.h"

void
gui_profile_call_search_clear (GuiProfileCallSearch *search)
{
    g_free (search->is_found);
    *search = (GuiProfileCallSearch){ NULL, 0, 0 };
}

void
gui_profile_call_search_init (GuiProfileCallSearch *search, const ProfileCosts *costs,
                              const ProfileCallTree *tree, guint32 root, const char *text)
{
    g_autofree char *wanted = g_utf8_casefold (text, -1);
    g_autofree guint8 *matches = g_new0 (guint8, (gsize) costs->n_functions + 1);
    g_autofree guint8 *is_counted = g_new0 (guint8, (gsize) costs->n_functions + 1);
    guint32 behind = profile_call_tree_get (tree, root)->end;
    guint32 end = 0; /* of the outermost call that matches */

    *search = (GuiProfileCallSearch){ NULL, 0, 0 };
    if (*text == '\0') {
        return;
    }
    for (guint32 function = 1; function <= costs->n_functions; function++) {
        g_autofree char *name = gui_profile_call_dup_name (costs, function);
        g_autofree char *folded = g_utf8_casefold (name, -1);

        matches[function] = strstr (folded, wanted) != NULL;
    }
    search->is_found = g_new0 (guint8, tree->calls->len);
    for (guint32 i = MAX (root, 1); i < behind; i++) {
        const ProfileCall *call = profile_call_tree_get (tree, i);

        if (!matches[call->function]) {
            continue;
        }
        search->is_found[i] = TRUE;
        search->n_functions += !is_counted[call->function];
        is_counted[call->function] = TRUE;
        if (i >= end) {
            search->seconds += call->total;
            end = call->end;
        }
    }
}
