/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The translations of a program's texts. */
#pragma once

/* Finds them in the build tree, in the installation that the program is in, or in `installed`. Call it before any text is
 * formed. */
void base_words_init (const char *domain, const char *installed);
