/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes cache entries: the files that one depends on, then the index. Never maps
 * files of the folder: another process may truncate them at any time, which would crash the
 * reader. */
#include "symbol/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "index/format.h"
#include "symbol/identity.h"

#define MAGIC "PDDTBIN2"
#define MAX_BINDING (64u << 20)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
#define DEFAULT_LIMIT_MB 2048
#define PIECE (128u << 10) /* bytes hashed at a time; part of the entry's format */
#define MAX_AGE_S (90 * 24 * 3600)
#define USED_S (24 * 3600) /* a use is recorded once a day */
#define PRUNE_PART                                                                             \
    64u /* of the limit: so much more is stored before the folder is looked through again */

typedef struct {
    char magic[8];
    guint32 version, binding_size;
    guint64 size, hash; /* of the index */
} Head;

struct _SymbolCache {
    char *folder; /* NULL: not to be used */
    guint64 limit;
    guint64 stored; /* bytes since the folder was looked through */
    gboolean is_pruned;
};

static gboolean
is_own_folder (const char *path)
{
    struct stat info;
    return lstat (path, &info) == 0 && S_ISDIR (info.st_mode) && info.st_uid == geteuid ()
           && (info.st_mode & 022) == 0;
}

SymbolCache *
symbol_cache_new (const char *folder)
{
    SymbolCache *cache = g_new0 (SymbolCache, 1);
    const char *limit = g_getenv ("PDDT_CACHE_MB");
    guint64 megabytes = DEFAULT_LIMIT_MB;
    if (limit && !g_ascii_string_to_unsigned (limit, 10, 0, 1 << 30, &megabytes, NULL))
        megabytes = DEFAULT_LIMIT_MB;
    cache->limit = megabytes << 20;
    g_mkdir_with_parents (folder, 0700);
    if (is_own_folder (folder))
        cache->folder = g_strdup (folder);
    else
        g_message (
            "cannot use %s as the cache: it is not a folder that only this user can write to",
            folder);
    return cache;
}

BASE_FREE_PUBLIC (symbol_cache_free, SymbolCache, cache, g_free (cache->folder))

char *
symbol_cache_make_path (const SymbolCache *cache, const char *file, gboolean fetches)
{
    g_autofree char *identity = symbol_identity_read (file);
    /* a process has that name for it, and no later one the same */
    if (!cache->folder || identity[0] == '-' || g_str_has_prefix (file, "/proc/"))
        return NULL;
    g_autofree char *text = g_strdup_printf ("%s %d %d\n%s\n%s", MAGIC, INDEX_VERSION, fetches,
                                             identity, file);
    g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
    return g_strdup_printf ("%s/%s.idx", cache->folder, sum);
}

/* ---- in memory ---- */

gboolean
symbol_cache_seal (int memory)
{
    return fcntl (memory, F_ADD_SEALS, SEALS | F_SEAL_SEAL) == 0;
}

gboolean
symbol_cache_is_sealed (int memory)
{
    int seals = fcntl (memory, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS;
}

static gboolean
copy (int to, int from, off_t offset, guint64 size)
{
    while (size) {
        ssize_t done = sendfile (to, from, &offset, MIN (size, 1u << 30));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return FALSE;
        size -= (guint64) done;
    }
    return TRUE;
}

/* FALSE: it cannot be mapped. */
static gboolean
hash_memory (int memory, gsize size, guint64 *ret_hash)
{
    void *bytes = size ? mmap (NULL, size, PROT_READ, MAP_PRIVATE, memory, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return FALSE;
    *ret_hash = 0;
    for (gsize at = 0; at < size; at += PIECE)
        *ret_hash = base_hash_bytes (*ret_hash, (guint8 *) bytes + at, MIN (size - at, PIECE));
    munmap (bytes, size);
    return TRUE;
}

/* ---- finding ---- */

static gboolean
is_bound (GVariant *companions)
{
    GVariantIter iter;
    const char *path, *identity;
    gboolean good = g_variant_is_normal_form (companions)
                    && g_variant_n_children (companions) > 0;
    g_variant_iter_init (&iter, companions);
    while (good && g_variant_iter_next (&iter, "(^&ay&s)", &path, &identity)) {
        g_autofree char *now = symbol_identity_read (path);
        good = strcmp (now, identity) == 0;
    }
    return good;
}

static gboolean
check_head (int fd, guint64 size, Head *head)
{
    if (pread (fd, head, sizeof *head, 0) != sizeof *head
        || memcmp (head->magic, MAGIC, sizeof head->magic) != 0
        || head->version != INDEX_VERSION || head->binding_size > MAX_BINDING
        || size - sizeof *head < head->binding_size
        || size - sizeof *head - head->binding_size != head->size)
        return FALSE;
    guint8 *bytes = g_malloc (head->binding_size + 1);
    gboolean is_read = pread (fd, bytes, head->binding_size, sizeof *head)
                       == (ssize_t) head->binding_size;
    g_autoptr (GVariant) companions
        = g_variant_ref_sink (g_variant_new_from_data (G_VARIANT_TYPE (SYMBOL_CACHE_COMPANIONS),
                                                       bytes, head->binding_size, FALSE, g_free,
                                                       bytes));
    return is_read && is_bound (companions);
}

/* Copies and hashes piece by piece while the data is in the processor's cache: this is hardly
 * slower than copying alone, and the hash covers exactly the copied bytes, even if the file
 * changes meanwhile. */
static gboolean
copy_and_hash (int to, int from, off_t offset, guint64 size, guint64 *ret_hash)
{
    g_autofree guint8 *piece = g_malloc (PIECE);
    *ret_hash = 0;
    for (guint64 at = 0; at < size;) {
        gsize wanted = (gsize) MIN (size - at, PIECE), got = 0;
        while (got < wanted) { /* whole pieces, as they were hashed when they were stored */
            ssize_t n = pread (from, piece + got, wanted - got, offset + (off_t) (at + got));
            if (n == 0 || (n < 0 && errno != EINTR))
                return FALSE;
            got += (gsize) MAX (n, 0);
        }
        *ret_hash = base_hash_bytes (*ret_hash, piece, got);
        if (pwrite (to, piece, got, (off_t) at) != (ssize_t) got)
            return FALSE;
        at += got;
    }
    return TRUE;
}

/* Sealed, and what was stored; -1. */
static int
copy_entry (int fd, const Head *head)
{
    int memory = memfd_create ("pddt-index", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    guint64 hash;
    if (memory >= 0
        && copy_and_hash (memory, fd, (off_t) (sizeof *head + head->binding_size), head->size,
                          &hash)
        && hash == head->hash && symbol_cache_seal (memory))
        return memory;
    if (memory >= 0)
        close (memory);
    return -1;
}

int
symbol_cache_find (const char *entry)
{
    int fd = open (entry, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), memory = -1;
    struct stat info;
    Head head;
    gboolean good = fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode)
                    && info.st_uid == geteuid () && (info.st_mode & 077) == 0
                    && info.st_size > (off_t) sizeof (Head)
                    && check_head (fd, (guint64) info.st_size, &head);
    if (good)
        memory = copy_entry (fd, &head);
    if (memory >= 0 && info.st_mtim.tv_sec + USED_S < g_get_real_time () / G_USEC_PER_SEC)
        futimens (fd, NULL);
    if (fd >= 0)
        close (fd);
    return memory;
}

/* ---- storing ---- */

typedef struct {
    char *path;
    gint64 used;
    guint64 size;
} Entry;

BASE_ORDER (compare_entries, Entry, BASE_BY (used))

static void
clear_entry (gpointer data)
{
    g_free (((Entry *) data)->path);
}

static GArray *
list_entries (const char *folder, guint64 *ret_size)
{
    GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));
    g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
    const char *name;
    g_array_set_clear_func (entries, clear_entry);
    *ret_size = 0;
    while (dir && (name = g_dir_read_name (dir))) {
        Entry entry = { g_build_filename (folder, name, NULL), 0, 0 };
        struct stat info;
        if (strstr (name, ".idx") && lstat (entry.path, &info) == 0 && S_ISREG (info.st_mode)) {
            entry.used = info.st_mtim.tv_sec;
            entry.size = (guint64) info.st_size;
            *ret_size += entry.size;
            g_array_append_val (entries, entry);
        } else {
            g_free (entry.path);
        }
    }
    g_array_sort (entries, compare_entries);
    return entries;
}

/* A folder may have ten thousands of entries: the first one that is stored has it looked through, and then one of many. */
static void
prune (SymbolCache *cache, guint64 stored)
{
    guint64 size;
    cache->stored += stored;
    if (cache->is_pruned && cache->stored < cache->limit / PRUNE_PART)
        return;
    cache->is_pruned = TRUE;
    cache->stored = 0;
    g_autoptr (GArray) entries = list_entries (cache->folder, &size);
    gint64 now = g_get_real_time () / G_USEC_PER_SEC;
    BASE_EACH_ROW (entries, const Entry, entry) {
        if ((size <= cache->limit && entry->used + MAX_AGE_S > now)
            || unlink (entry->path) != 0)
            continue;
        size -= entry->size;
    }
}

void
symbol_cache_store (SymbolCache *cache, const char *entry, GVariant *companions, int memory)
{
    g_autofree char *part = g_strconcat (entry, ".XXXXXX", NULL);
    gsize binding = g_variant_get_size (companions);
    Head head = { MAGIC, INDEX_VERSION, (guint32) binding, 0, 0 };
    struct stat info;
    if (!cache->folder || binding > MAX_BINDING || fstat (memory, &info) != 0
        || (guint64) info.st_size > cache->limit || !is_bound (companions)
        || !hash_memory (memory, (gsize) info.st_size, &head.hash))
        return;
    head.size = (guint64) info.st_size;
    int fd = g_mkstemp_full (part, O_WRONLY | O_CLOEXEC, 0600);
    gboolean good = fd >= 0 && write (fd, &head, sizeof head) == sizeof head
                    && write (fd, g_variant_get_data (companions), binding) == (ssize_t) binding
                    && copy (fd, memory, 0, (guint64) info.st_size);
    if (fd >= 0 && close (fd) != 0)
        good = FALSE;
    if (fd >= 0 && (!good || rename (part, entry) != 0))
        unlink (part);
    prune (cache, head.size);
}
