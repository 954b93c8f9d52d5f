/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text that only one user of a Slurm cluster can read, whoever sees it on its way. */
#pragma once
#include <glib.h>

/* Encrypts the text with MUNGE for that user, on all hosts of the cluster. NULL: MUNGE is not here, or its daemon
 * does not answer. Caller owns. */
char *launch_seal (const char *text, guint32 uid);
/* It looks like what launch_seal gives. */
gboolean launch_seal_is_sealed (const char *word);
/* The text again, when this user or root has sealed it; base_secret_free. NOT_FOUND, DENIED. */
char *launch_unseal (const char *sealed, GError **error);
