/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which calls of the Calls view match what is searched for. */
#pragma once
#include "profile/call-tree.h"

typedef struct {
    guint8 *is_found;  /* for each call of the tree; NULL: nothing is searched for */
    guint n_functions; /* that match */
    double seconds;    /* of the calls that match; one inside another counts once */
} GuiProfileCallSearch;

/* Functions whose name contains the text, case-insensitively, in the root (an index in the tree; 0: all) and what it has
 * called; "": no search. */
void gui_profile_call_search_init (GuiProfileCallSearch *search, const ProfileCosts *costs,
                                   const ProfileCallTree *tree, guint32 root, const char *text);
void gui_profile_call_search_clear (GuiProfileCallSearch *search); /* zeros are fine */
