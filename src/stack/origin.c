/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a name under which a mapped file can be opened: if the program was rebuilt since, its
 * path names another file, which does not describe this process. */
#include "base/file.h"
#include "stack/modules-private.h"
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
is_same (const struct stat *status, const StackStamp *stamp)
{
    return status->st_dev == stamp->device && status->st_ino == stamp->inode
           && status->st_mtim.tv_sec == stamp->seconds
           && status->st_mtim.tv_nsec == stamp->nanoseconds;
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
        struct stat status;

        if (!found && entry->pid > 0 && stat (names[i], &status) == 0
            && is_same (&status, &entry->stamp) && access (names[i], R_OK) == 0) {
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
    gint64 now = g_get_monotonic_time (), seen_us = now;
    struct stat status;

    if (entry->open_path == NULL) {
        return module->path;
    }
    /* a stack's frames ask about one file a hundred times */
    if (!entry->has_stamp || entry->is_gone || now - entry->checked_us < BASE_FILE_LATELY_US) {
        return entry->open_path;
    }
    if ((base_file_stat_lately (entry->open_path, &status, &seen_us)
         && is_same (&status, &entry->stamp))
        || find_link (entry)) {
        entry->checked_us = seen_us;
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
