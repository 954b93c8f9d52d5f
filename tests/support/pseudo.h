/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A language in which each text is its English one within ‹ and ›. */
#pragma once
#include <glib.h>

/* Takes the catalogue that the build has made (PDDT_PSEUDO, the folder with xx/LC_MESSAGES). FALSE: there is no
 * locale with UTF-8, and gettext translates nothing. */
gboolean pseudo_open (void);
/* shown is english in that language: every letter of it stands within ‹ and ›, and without these it is english. */
void pseudo_check (const char *english, const char *shown);
