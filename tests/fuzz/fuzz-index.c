/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index file through its validation and every question. */
#include <sys/mman.h>
#include <unistd.h>

#include "index/image.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
ask_all (const IndexImage *image)
{
    IndexFrame frames[8];
    guint64 low, high;
    guint32 line;
    for (guint64 at = 0x1000; at < 0x1600; at += 11) {
        index_image_find_frames (image, at, frames, 8);
        index_image_find_step_range (image, at, &low, &high, &line);
        index_image_find_body (image, at);
        index_image_is_statement (image, at);
    }
    g_array_unref (index_image_find_function (image, "work"));
    g_array_unref (index_image_find_line (image, "subject.c", 50));
    index_image_find_symbol (image, "main", &low, &high);
    index_image_has_file (image, "subject.c");
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    int fd = memfd_create ("fuzz", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
    if (fd >= 0 && write (fd, data, size) == (gssize) size) {
        IndexImage *image = index_image_open (path, NULL);
        if (image)
            ask_all (image);
        index_image_unref (image);
    }
    close (fd);
    return 0;
}
