/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises network file systems: their device numbers differ between hosts, while the inode
 * is the server's. */
#include "symbol/identity.h"

#include <sys/stat.h>
#include <sys/vfs.h>

static const guint32 shared_systems[] = {
    0x6969,     /* NFS */
    0x0bd00bd0, /* Lustre */
    0x47504653, /* GPFS */
    0x19830326, /* BeeGFS */
    0x00c36400, /* Ceph */
    0xaad7aaea, /* PanFS */
    0x5346414f, /* AFS */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB2 */
};

static char *
format (const struct stat *info, const struct statfs *system)
{
    guint64 device = info->st_dev;
    for (gsize i = 0; i < G_N_ELEMENTS (shared_systems); i++)
        if ((guint32) system->f_type == shared_systems[i])
            device = shared_systems[i];
    return g_strdup_printf ("%" G_GINT64_MODIFIER "x:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
                            ":%" G_GINT64_FORMAT ".%09ld:%" G_GINT64_FORMAT ".%09ld",
                            device, (guint64) info->st_ino, (guint64) info->st_size,
                            (gint64) info->st_mtim.tv_sec, info->st_mtim.tv_nsec,
                            (gint64) info->st_ctim.tv_sec, info->st_ctim.tv_nsec);
}

char *
symbol_identity_read (const char *path)
{
    struct stat info;
    struct statfs system;
    return stat (path, &info) == 0 && statfs (path, &system) == 0 ? format (&info, &system)
                                                                  : g_strdup ("-");
}

char *
symbol_identity_read_fd (int fd)
{
    struct stat info;
    struct statfs system;
    return fstat (fd, &info) == 0 && fstatfs (fd, &system) == 0 ? format (&info, &system)
                                                                : g_strdup ("-");
}
