/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a name under which a mapped file can be opened: if the program was rebuilt since, its
 * path names another file, which does not describe this process. */
#include "stack/modules-private.h"
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK_US 5000 /* a stack's frames ask about one file a hundred times */

/* FALSE: there is no such file. */
static gboolean
read_stamp (const char *path, StackStamp *ret_stamp)
{
    struct stat status;

    if (stat (path, &status) != 0) {
        return FALSE;
    }
    *ret_stamp = (StackStamp){ status.st_dev, status.st_ino, status.st_mtim.tv_sec,
                               status.st_mtim.tv_nsec };
    return TRUE;
}

static gboolean
is_same (const StackStamp *a, const StackStamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->seconds == b->seconds
           && a->nanoseconds == b->nanoseconds;
}

void
stack_origin_note (StackModuleEntry *entry)
{
    const StackStamp *stamp = stack_file_get_stamp (entry->file);

    entry->has_stamp = stamp != NULL;
    if (stamp != NULL) {
        entry->stamp = *stamp;
        entry->checked_us = g_get_monotonic_time (); /* it has just been found there */
    }
}

char *
stack_origin_dup_link (pid_t pid, guint64 start, guint64 end)
{
    return g_strdup_printf ("/proc/%d/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER
                            "x",
                            pid, start, end);
}

/* The kernel's own links lead to files without a name too. */
static gboolean
find_link (StackModuleEntry *entry)
{
    char *names[2] = { stack_origin_dup_link (entry->pid, entry->map_start, entry->map_end),
                       g_strdup_printf ("/proc/%d/exe", entry->pid) };
    gboolean found = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        StackStamp stamp;

        if (!found && entry->pid > 0 && read_stamp (names[i], &stamp)
            && is_same (&stamp, &entry->stamp) && access (names[i], R_OK) == 0) {
            g_free (entry->open_path);
            entry->open_path = g_steal_pointer (&names[i]);
            found = TRUE;
        }
        g_free (names[i]);
    }
    return found;
}

const char *
stack_module_get_file (const StackModule *module)
{
    StackModuleEntry *entry = (StackModuleEntry *) module;
    gint64 now = g_get_monotonic_time ();
    StackStamp stamp;

    if (entry->open_path == NULL) {
        return module->path;
    }
    if (!entry->has_stamp || entry->is_gone || now - entry->checked_us < CHECK_US) {
        return entry->open_path;
    }
    if ((read_stamp (entry->open_path, &stamp) && is_same (&stamp, &entry->stamp))
        || find_link (entry)) {
        entry->checked_us = now;
        return entry->open_path;
    }
    entry->is_gone = TRUE;
    g_free (entry->open_path);
    entry->open_path = g_strconcat (module->path, INDEX_CLIENT_GONE, NULL);
    return entry->open_path;
}

void
stack_module_forget_image (StackModule *module)
{
    g_clear_pointer (&module->image, index_image_unref);
    g_clear_pointer (&((StackModuleEntry *) module)->loss, g_free);
    ((StackModuleEntry *) module)->image_tried = FALSE;
}

gboolean
stack_module_is_gone (const StackModule *module)
{
    stack_module_get_file (module);
    return ((const StackModuleEntry *) module)->is_gone;
}

/* A copy of the vdso that pddt-symbols can open like any file; lives as long as this program. */
char *
stack_origin_dup_copy (const guint8 *bytes, gsize size)
{
    int fd = memfd_create ("vdso", MFD_CLOEXEC);

    if (fd >= 0 && write (fd, bytes, size) == (gssize) size) {
        return g_strdup_printf ("/proc/%d/fd/%d", getpid (), fd);
    }
    if (fd >= 0) {
        close (fd);
    }
    return NULL;
}
