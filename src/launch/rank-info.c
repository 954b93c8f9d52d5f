/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process's rank, from the variables that launchers set. */
#include "launch/shim.h"

typedef struct {
    const char *rank, *size, *local_rank;
} RankNames;

static const RankNames launchers[] = {
    { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK" },
    { "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK" },
    { "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID" },
    { "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID" },
};

static gboolean
read_number (const char *text, guint32 *ret_number)
{
    guint64 number;
    if (!text || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &number, NULL)) {
        return FALSE;
    }
    *ret_number = (guint32) number;
    return TRUE;
}

LaunchRankInfo
launch_rank_info_read (const char *(*find) (const char *name))
{
    for (gsize i = 0; i < G_N_ELEMENTS (launchers); i++) {
        LaunchRankInfo info = { 0 };
        if (read_number (find (launchers[i].rank), &info.rank)
            && read_number (find (launchers[i].size), &info.size) && info.rank < info.size) {
            if (!read_number (find (launchers[i].local_rank), &info.local_rank)) {
                info.local_rank = info.rank;
            }
            return info;
        }
    }
    return (LaunchRankInfo){ .rank = 0, .size = 1, .local_rank = 0 };
}

gboolean
launch_rank_info_find (const char *(*find) (const char *name), gint64 size,
                       LaunchRankInfo *ret_info)
{
    guint32 rank;
    if (size < 0 || find ("OMPI_COMM_WORLD_SIZE") || !read_number (find ("PMIX_RANK"), &rank)) {
        *ret_info = launch_rank_info_read (find);
        return TRUE;
    }
    *ret_info = (LaunchRankInfo){ .rank = rank, .size = (guint32) size, .local_rank = rank };
    return rank < size;
}
