/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses libdebuginfod, loaded only if the user has named servers, because it depends on a web
 * client and its libraries. The cache is the one of all debuginfod clients. */
#include "symbol/fetch.h"
#include "base/array.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define MAX_FETCH_US (120 * G_USEC_PER_SEC)

/* debuginfod_find_debuginfo(3) */
typedef struct _Client Client;
typedef struct {
    Client *(*begin) (void);
    void (*set_progress) (Client *client, int (*progress) (Client *client, long a, long b));
    void (*set_user_data) (Client *client, void *data);
    void *(*get_user_data) (Client *client);
    int (*find) (Client *client, const unsigned char *build_id, int length, char **ret_path);
} Library;
static Library library; /* written by the thread that alone uses it */

typedef struct {
    char *build_id, *elf_path;
} Wish;

struct _SymbolFetcher {
    GMutex lock;
    GAsyncQueue *wishes; /* of Wish */
    GThread *thread;     /* NULL until the first wish */
    GHashTable *known;   /* build-id to path; "" asked for, or not to be had */
    GPtrArray *arrived;  /* elf_path */
    guint n_open;
    gint64 deadline; /* of the thread */
};

BASE_FREE (free_wish, Wish, wish, g_free (wish->build_id); g_free (wish->elf_path))

SymbolFetcher *
symbol_fetcher_new (void)
{
    SymbolFetcher *fetcher = g_new0 (SymbolFetcher, 1);
    g_mutex_init (&fetcher->lock);
    fetcher->wishes = g_async_queue_new_full (free_wish);
    fetcher->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    fetcher->arrived = g_ptr_array_new_with_free_func (g_free);
    return fetcher;
}

/* FALSE: not installed, or too old to be stopped. */
static gboolean
load_library (void)
{
    void *handle = dlopen ("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    const struct {
        void *to;
        const char *name;
    } symbols[] = { { &library.begin, "debuginfod_begin" },
                    { &library.set_progress, "debuginfod_set_progressfn" },
                    { &library.set_user_data, "debuginfod_set_user_data" },
                    { &library.get_user_data, "debuginfod_get_user_data" },
                    { &library.find, "debuginfod_find_debuginfo" } };
    for (guint i = 0; handle && i < G_N_ELEMENTS (symbols); i++) {
        void *found = dlsym (handle, symbols[i].name);
        if (!found)
            return FALSE;
        memcpy (symbols[i].to, &found, sizeof found);
    }
    return handle != NULL;
}

/* Not 0: give up. */
static int
on_progress (Client *client, long a, long b)
{
    SymbolFetcher *fetcher = library.get_user_data (client);
    return g_get_monotonic_time () > fetcher->deadline;
}

static void
fetch (SymbolFetcher *fetcher, const Wish *wish, Client *client)
{
    char *path = NULL;
    fetcher->deadline = g_get_monotonic_time () + MAX_FETCH_US;
    int fd = client ? library.find (client, (const unsigned char *) wish->build_id, 0, &path)
                    : -1;
    if (fd >= 0)
        close (fd);
    g_mutex_lock (&fetcher->lock);
    if (fd >= 0 && path) {
        g_hash_table_replace (fetcher->known, g_strdup (wish->build_id), g_strdup (path));
        g_ptr_array_add (fetcher->arrived, g_strdup (wish->elf_path));
    }
    fetcher->n_open--;
    g_mutex_unlock (&fetcher->lock);
    free (path);
}

static gpointer
run_thread (gpointer data)
{
    SymbolFetcher *fetcher = data;
    gboolean good = load_library ();
    Client *client = good ? library.begin () : NULL;
    if (!good)
        g_message ("DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not installed");
    if (client) {
        library.set_user_data (client, fetcher);
        library.set_progress (client, on_progress);
    }
    for (;;) {
        Wish *wish = g_async_queue_pop (fetcher->wishes);
        fetch (fetcher, wish, client);
        free_wish (wish);
    }
    return NULL;
}

/* Where libdebuginfod keeps what it has fetched (its manual, CACHE). */
char *
symbol_fetcher_make_place (const char *build_id)
{
    const char *set = g_getenv ("DEBUGINFOD_CACHE_PATH");
    return set ? g_build_filename (set, build_id, "debuginfo", NULL)
               : g_build_filename (g_get_user_cache_dir (), "debuginfod_client", build_id,
                                   "debuginfo", NULL);
}

static char *
find_cached (const char *build_id)
{
    char *path = symbol_fetcher_make_place (build_id);
    if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && access (path, R_OK) == 0)
        return path;
    g_free (path);
    return NULL;
}

static void
start_wish (SymbolFetcher *fetcher, const char *build_id, const char *elf_path)
{
    Wish *wish = g_new (Wish, 1);
    *wish = (Wish){ g_strdup (build_id), g_strdup (elf_path) };
    fetcher->n_open++;
    if (!fetcher->thread)
        fetcher->thread = g_thread_new ("fetch", run_thread, fetcher);
    g_async_queue_push (fetcher->wishes, wish);
}

char *
symbol_fetcher_find (SymbolFetcher *fetcher, const char *build_id, const char *elf_path)
{
    const char *servers = g_getenv ("DEBUGINFOD_URLS");
    char *path;
    if (!servers || !servers[strspn (servers, " ")])
        return NULL;
    g_mutex_lock (&fetcher->lock);
    const char *known = g_hash_table_lookup (fetcher->known, build_id);
    if (known) {
        path = known[0] ? g_strdup (known) : NULL;
    } else {
        path = find_cached (build_id);
        g_hash_table_insert (fetcher->known, g_strdup (build_id), g_strdup (path ? path : ""));
        if (!path)
            start_wish (fetcher, build_id, elf_path);
    }
    g_mutex_unlock (&fetcher->lock);
    return path;
}

gboolean
symbol_fetcher_is_busy (SymbolFetcher *fetcher)
{
    g_mutex_lock (&fetcher->lock);
    gboolean busy = fetcher->n_open > 0;
    g_mutex_unlock (&fetcher->lock);
    return busy;
}

char **
symbol_fetcher_list (SymbolFetcher *fetcher, guint from)
{
    GPtrArray *list = g_ptr_array_new ();
    g_mutex_lock (&fetcher->lock);
    for (guint i = from > fetcher->arrived->len ? 0 : from; i < fetcher->arrived->len; i++)
        g_ptr_array_add (list, g_strdup (fetcher->arrived->pdata[i]));
    g_mutex_unlock (&fetcher->lock);
    g_ptr_array_add (list, NULL);
    return (char **) g_ptr_array_free (list, FALSE);
}
