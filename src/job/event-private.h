/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an event has beside its numbers and texts, whatever it is. content: NULL is nothing. */
#pragma once
#include "job/event.h"

gpointer job_content_dup (JobContent kind, gconstpointer content);
void job_content_free (JobContent kind, gpointer content);
/* Both are equal, or can be merged. */
gboolean job_content_is_alike (JobContent kind, gconstpointer a, gconstpointer b);
/* Of alike ones; takes a, and returns both. Processes are in no order then. */
gpointer job_content_merge (JobContent kind, gpointer a, gconstpointer b);
guint job_content_hash (JobContent kind, gconstpointer content); /* equal of alike ones */
