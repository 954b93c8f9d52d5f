/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encrypts a text so that only one user of a Slurm cluster can read it. */
#pragma once
#include <glib.h>

/* Encrypts the text with MUNGE for that user, on all hosts of the cluster. NULL: MUNGE is not
 * installed, or its daemon does not answer. Caller owns. */
char *launch_seal (const char *text, guint32 uid);
/* TRUE when it looks like a result of launch_seal. */
gboolean launch_seal_is_sealed (const char *word);
/* Decrypts a text that this user or root has sealed. Free with base_secret_free. NOT_FOUND,
 * DENIED. */
char *launch_unseal (const char *sealed, GError **error);
