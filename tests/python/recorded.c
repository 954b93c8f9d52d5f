/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The copy is sparse, as a core's: pages that were never touched are not kept. */
#include "recorded.h"
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u

typedef struct {
    guint64 start, end;
    guint64 offset;
    char *path;          /* of the mapped file; NULL when there is none */
} Area;

typedef struct {
    BaseMemoryReader reader;
    GArray *areas;       /* of Area, ascending */
    GHashTable *pages;   /* page address to its bytes */
} Recorded;

static const Area *
find_area (const Recorded *recorded, guint64 address)
{
    for (guint i = 0; i < recorded->areas->len; i++) {
        const Area *area = &g_array_index (recorded->areas, Area, i);

        if (address >= area->start && address < area->end) {
            return area;
        }
    }
    return NULL;
}

/* Bytes of [address, address + size), which lies in one page. */
static gsize
read_part (const Recorded *recorded, guint64 address, guint8 *data, gsize size)
{
    const guint8 *page = g_hash_table_lookup (recorded->pages,
                                              GSIZE_TO_POINTER (address & ~(guint64) (PAGE - 1)));
    const Area *area;
    ssize_t done = 0;
    int fd;

    if (page != NULL) {
        memcpy (data, page + address % PAGE, size);
        return size;
    }
    area = find_area (recorded, address);
    if (area == NULL || area->path == NULL) {
        return 0;
    }
    fd = open (area->path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        done = pread (fd, data, size, (off_t) (area->offset + (address - area->start)));
        close (fd);
    }
    return done > 0 ? (gsize) done : 0;
}

static void
read_items (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    for (guint i = 0; i < n_items; i++) {
        guint8 *data = items[i].data;
        gsize wanted;
        gsize done;

        items[i].done = 0;
        do {
            guint64 address = items[i].address + items[i].done;

            wanted = MIN (items[i].size - items[i].done, PAGE - (gsize) (address % PAGE));
            done = wanted > 0 ? read_part ((Recorded *) reader, address, data + items[i].done,
                                           wanted)
                              : 0;
            items[i].done += done;
        } while (wanted > 0 && done == wanted);
    }
}

/* Thread stacks are large and hardly touched: what the kernel never made is not copied. */
static void
copy_area (Recorded *recorded, pid_t pid, const Area *area)
{
    g_autofree char *name = g_strdup_printf ("/proc/%d/pagemap", pid);
    int fd = open (name, O_RDONLY | O_CLOEXEC);
    g_autofree guint64 *present = NULL;
    gsize count = (area->end - area->start) / PAGE;

    present = g_new0 (guint64, count);
    g_assert_cmpint (fd, >=, 0);
    g_assert_cmpint (pread (fd, present, count * 8, (off_t) (area->start / PAGE * 8)), ==,
                     count * 8);
    close (fd);
    for (gsize i = 0; i < count; i++) {
        guint64 address = area->start + i * PAGE;
        guint8 *page;
        struct iovec local;
        struct iovec remote = { (void *) address, PAGE };

        if (present[i] >> 62 == 0) {
            continue;
        }
        page = g_malloc (PAGE);
        local = (struct iovec) { page, PAGE };
        if (process_vm_readv (pid, &local, 1, &remote, 1, 0) == PAGE) {
            g_hash_table_insert (recorded->pages, GSIZE_TO_POINTER (address), page);
        } else {
            g_free (page);
        }
    }
}

static void
free_area (gpointer data)
{
    g_free (((Area *) data)->path);
}

BaseMemoryReader *
recorded_new (pid_t pid)
{
    Recorded *recorded = g_new0 (Recorded, 1);
    g_autofree char *name = g_strdup_printf ("/proc/%d/maps", pid);
    g_autofree char *text = NULL;
    g_auto (GStrv) lines = NULL;

    recorded->reader.read = read_items;
    recorded->areas = g_array_new (FALSE, TRUE, sizeof (Area));
    g_array_set_clear_func (recorded->areas, free_area);
    recorded->pages = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    g_assert_true (g_file_get_contents (name, &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++) {
        g_auto (GStrv) words = g_strsplit_set (lines[i], " ", 6);
        const char *path = strchr (lines[i], '/');
        char *end;
        Area area = { 0 };

        area.start = g_ascii_strtoull (words[0], &end, 16);
        area.end = g_ascii_strtoull (end + 1, NULL, 16);
        area.offset = g_ascii_strtoull (words[2], NULL, 16);
        area.path = path != NULL ? g_strdup (path) : NULL;
        g_array_append_val (recorded->areas, area);
        if (words[1][1] == 'w') {
            copy_area (recorded, pid, &area);
        }
    }
    return &recorded->reader;
}

void
recorded_free (BaseMemoryReader *reader)
{
    Recorded *recorded = (Recorded *) reader;

    g_array_unref (recorded->areas);
    g_hash_table_unref (recorded->pages);
    g_free (recorded);
}
