/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variables that launchers set, those of Slurm last: inside an allocation the ranks of another
 * launcher see Slurm's too, the wrong ones. */
#include "job/launcher-rank.h"
#include <string.h>

static const char *
find_in_block (const char *block, gsize size, const char *name)
{
    gsize length = strlen (name);

    for (gsize at = 0; at < size; at += strnlen (block + at, size - at) + 1) {
        if (size - at > length && memcmp (block + at, name, length) == 0
            && block[at + length] == '=') {
            return block + at + length + 1;
        }
    }
    return NULL;
}

gboolean
job_launcher_rank_find (const char *block, gsize size, guint32 *ret_rank)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                                         "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };

    if (size == 0 || block[size - 1] != '\0') {
        return FALSE;
    }
    for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
        const char *text = find_in_block (block, size, names[i]);
        guint64 rank;

        if (text != NULL
            && g_ascii_string_to_unsigned (text, 10, 0, (1u << 24) - 1, &rank, NULL)) {
            *ret_rank = (guint32) rank;
            return TRUE;
        }
    }
    return FALSE;
}
