/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a job that runs already, as its launcher knows them: MPIR_proctable in the launcher's
 * memory ("The MPIR Process Acquisition Interface", MPI Forum 2010), which is read from outside,
 * without a stop and without a write; else those below the launcher and its daemons (below.c). */
#include "base/array.h"
#include "base/elf.h"
#include "base/error.h"
#include "job/rank-set.h"
#include "launch/below-private.h"
#include "launch/hand-over.h"
#include "launch/launch.h"
#include "launch/targets-private.h"
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_ENTRIES (1u << 20)
#define MAX_HOST 256
#define MAX_FILE (256 << 20)

/* MPIR_PROCDESC: char *host_name, char *executable_name, int pid. */
typedef struct {
    guint64 host, executable;
    gint32 pid;
    gint32 pad;
} ProcEntry;

/* ---- symbols of the launcher's libraries ---- */

/* The lowest address at which the file is mapped, against its first segment's own. */
static gboolean
find_lowest (const BaseElfImage *image, const BaseElfHeader *header, guint64 *ret_lowest)
{
    gboolean found = FALSE;
    for (guint i = 0; i < MIN (header->n_segments, BASE_ELF_MAX_LOADED); i++) {
        Elf64_Phdr part;
        if (base_elf_read_segment (image, header, i, &part) && part.p_type == PT_LOAD) {
            guint64 start = part.p_vaddr & ~(base_memory_get_page_size () - 1);
            *ret_lowest = found ? MIN (*ret_lowest, start) : start;
            found = TRUE;
        }
    }
    return found;
}

static guint64
find_in_section (const BaseElfImage *image, const BaseElfHeader *header,
                 const Elf64_Shdr *table, const char *name)
{
    Elf64_Shdr strings;
    Elf64_Sym symbol;
    return base_elf_read_section (image, header, table->sh_link, &strings)
                   && base_elf_find_symbol (image, table, &strings, name, &symbol)
               ? symbol.st_value
               : 0;
}

/* Value of a symbol less the file's lowest address; FALSE: it has none of that name. */
static gboolean
find_symbol (const guint8 *file, gsize size, const char *name, guint64 *ret_offset)
{
    const BaseElfImage image = base_elf_in_bytes (file, size);
    BaseElfHeader header;
    guint64 lowest = 0, value = 0;
    if (!base_elf_read_header (&image, &header) || !find_lowest (&image, &header, &lowest)) {
        return FALSE;
    }
    for (guint i = 0; value == 0 && i < header.n_sections; i++) {
        Elf64_Shdr section;
        if (!base_elf_read_section (&image, &header, i, &section)) {
            break;
        }
        if (section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB) {
            value = find_in_section (&image, &header, &section, name);
        }
    }
    *ret_offset = value - lowest;
    return value != 0;
}

/* The fifth word of a line of the memory map (proc(5)). */
static guint64
find_inode (const char *line)
{
    guint64 inode = 0;
    sscanf (line, "%*s %*s %*s %*s %" G_GUINT64_FORMAT, &inode);
    return inode;
}

/* Reads the mapped file itself, because its owner may have replaced the name: opening a pipe
 * would block, and truncating a mapped file would kill the reader. Caller owns; NULL. */
static guint8 *
read_file (const char *path, guint64 inode, gsize *ret_size)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;
    guint8 *content = NULL;
    gsize done = 0;
    if (fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode) && info.st_ino == inode
        && info.st_size > 0 && info.st_size <= MAX_FILE) {
        content = g_try_malloc ((gsize) info.st_size);
    }
    while (content && done < (gsize) info.st_size) {
        gssize got = pread (fd, content + done, (gsize) info.st_size - done, (off_t) done);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            break;
        }
        done += (gsize) MAX (got, 0);
    }
    if (fd >= 0) {
        close (fd);
    }
    *ret_size = done;
    return content;
}

/* Address of one of the launcher's variables. lines: its memory map. */
static gboolean
find_address (pid_t launcher, char **lines, const char *name, guint64 *ret_address)
{
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; lines[i]; i++) {
        const char *path = strchr (lines[i], '/');
        guint64 offset, start = g_ascii_strtoull (lines[i], NULL, 16);
        if (!path || !g_hash_table_add (seen, g_strdup (path))) {
            continue;
        }
        g_autofree char *real = g_strdup_printf ("/proc/%d/root%s", (int) launcher, path);
        gsize size = 0;
        g_autofree guint8 *content = read_file (real, find_inode (lines[i]), &size);
        if (content && find_symbol (content, size, name, &offset)) {
            *ret_address = start + offset;
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- the table ---- */

static gsize
read_memory (pid_t pid, guint64 address, gpointer data, gsize size)
{
    struct iovec local = { data, size }, remote = { (gpointer) (gsize) address, size };
    gssize done = process_vm_readv (pid, &local, 1, &remote, 1, 0);
    return (gsize) MAX (done, 0);
}

/* Up to the end of the page that a name ends in, at most MAX_HOST bytes. */
static char *
read_name (pid_t pid, guint64 address)
{
    char text[MAX_HOST + 1];
    gsize in_page = 4096 - address % 4096;
    gsize size = read_memory (pid, address, text, MIN (in_page, MAX_HOST));
    if (size == in_page && size < MAX_HOST && !memchr (text, 0, size)) {
        size += read_memory (pid, address + size, text + size, MAX_HOST - size);
    }
    text[size] = '\0';
    return g_strdup (text);
}

static gboolean
is_this_host (const char *name)
{
    const char *own = g_get_host_name ();
    gsize length = strcspn (own, ".");
    return strcmp (name, "localhost") == 0 || strcmp (name, own) == 0
           || (strncmp (name, own, length) == 0
               && (name[length] == '\0' || name[length] == '.'));
}

static void
note_elsewhere (GHashTable *others, const char *host, gint32 pid, guint32 rank)
{
    GPtrArray *targets = g_hash_table_lookup (others, host);
    if (!targets) {
        targets = launch_targets_new ();
        g_hash_table_insert (others, g_strdup (host), targets);
    }
    launch_targets_add (targets, pid, rank);
}

char *
launch_proctable_dup_text (pid_t launcher, const char *name)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) launcher);
    g_autofree char *text = NULL;
    guint64 at, address = 0;
    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        return NULL;
    }
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    if (!find_address (launcher, lines, name, &at)
        || read_memory (launcher, at, &address, sizeof address) != sizeof address
        || address == 0) {
        return NULL;
    }
    return read_name (launcher, address);
}

gboolean
launch_proctable_read (pid_t launcher, GPtrArray *targets, GHashTable *others, GError **error)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) launcher);
    g_autofree char *text = NULL;
    g_autofree ProcEntry *entries = NULL;
    guint64 size_at, table_at, table = 0;
    gint32 n = 0;
    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        base_error_set (error, BASE_ERROR_DENIED, "its memory map cannot be read");
        return FALSE;
    }
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    if (!find_address (launcher, lines, "MPIR_proctable_size", &size_at)
        || !find_address (launcher, lines, "MPIR_proctable", &table_at)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "it has no table of processes");
        return FALSE;
    }
    if (read_memory (launcher, size_at, &n, sizeof n) != sizeof n
        || read_memory (launcher, table_at, &table, sizeof table) != sizeof table) {
        base_error_set (error, BASE_ERROR_DENIED, "its memory cannot be read: %s",
                        g_strerror (errno));
        return FALSE;
    }
    entries = n > 0 && (guint32) n <= MAX_ENTRIES ? g_new0 (ProcEntry, n) : NULL;
    if (!entries
        || read_memory (launcher, table, entries, (gsize) n * sizeof *entries)
               != (gsize) n * sizeof *entries) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "its table of processes is empty");
        return FALSE;
    }
    for (guint32 rank = 0; rank < (guint32) n; rank++) {
        g_autofree char *host = read_name (launcher, entries[rank].host);
        guint32 own;
        if (is_this_host (host)) {
            /* the pid of an ended process may have been reused */
            if (launch_target_find_rank (entries[rank].pid, &own) && own != rank) {
                continue;
            }
            launch_targets_add (targets, entries[rank].pid, rank);
        } else {
            note_elsewhere (others, host, entries[rank].pid, rank);
        }
    }
    return TRUE;
}

/* ---- all of the job ---- */

static char *
format_others (GPtrArray *others)
{
    g_autoptr (GString) text = g_string_new (NULL);
    for (guint i = 0; i < others->len; i++) {
        const LaunchRemote *remote = others->pdata[i];
        if (remote->words) {
            g_string_append_printf (text, "%sthose on %s", text->len > 0 ? "; " : "",
                                    remote->host);
            continue;
        }
        g_autoptr (JobRankSet) set = job_rank_set_new ();
        for (guint j = 0; j < remote->targets->len; j++) {
            job_rank_set_add (set, ((const LaunchTarget *) remote->targets->pdata[j])->rank);
        }
        g_autofree char *numbers = job_rank_set_format (set);
        g_string_append_printf (text, "%s%s on %s", text->len > 0 ? "; " : "", numbers,
                                remote->host);
    }
    return text->len > 0 ? g_strdup (text->str) : NULL;
}

BASE_ORDER_POINTERS (compare_remotes, LaunchRemote, g_strcmp0 (left->host, right->host))

/* Sets all sizes to the highest rank of all hosts plus one. */
static void
set_sizes (GPtrArray *targets, GPtrArray *remotes)
{
    g_autoptr (GPtrArray) all = g_ptr_array_new ();
    g_ptr_array_extend (all, targets, NULL, NULL);
    for (guint i = 0; i < remotes->len; i++) {
        g_ptr_array_extend (all, ((LaunchRemote *) remotes->pdata[i])->targets, NULL, NULL);
    }
    launch_targets_set_size (all);
}

static char *
print_refusal (BaseTextForm form, pid_t pid, const GError *reason)
{
    /* Translators: a process, and why: "it has ended". */
    return base_text_print (form, "cannot attach to the job of process %d: %s", (int) pid,
                            base_error_get (reason, form));
}

/* A living process of this user, or for root of any user; and its launcher. */
static gboolean
check_launcher (pid_t *pid, GError **error)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d", (int) *pid);
    g_autoptr (GError) reason = NULL;
    struct stat info;
    if (stat (path, &info) != 0) {
        base_error_set (&reason, BASE_ERROR_NOT_FOUND, "there is no such process");
    } else if (!launch_target_is_living (*pid)) {
        base_error_set (&reason, BASE_ERROR_NOT_FOUND, "it has ended");
    } else if (info.st_uid != geteuid () && geteuid () != 0) {
        const struct passwd *owner = getpwuid (info.st_uid);
        if (owner) {
            base_error_set (&reason, BASE_ERROR_DENIED, "it belongs to %s", owner->pw_name);
        } else {
            base_error_set (&reason, BASE_ERROR_DENIED, "it belongs to user %u",
                            (guint) info.st_uid);
        }
    } else if (launch_below_find_launcher (*pid, pid, &reason)) {
        return TRUE;
    }
    base_error_set_text (error, reason->code,
                         base_text_new_take (print_refusal (BASE_TEXT_ENGLISH, *pid, reason),
                                             print_refusal (BASE_TEXT_SHOWN, *pid, reason)));
    return FALSE;
}

GPtrArray *
launch_targets_find_all (pid_t *pid, GPtrArray **ret_remote, GError **error)
{
    g_autoptr (GPtrArray) targets = launch_targets_new ();
    g_autoptr (GPtrArray) remotes
        = g_ptr_array_new_with_free_func ((GDestroyNotify) launch_remote_free);
    g_autoptr (GHashTable) agents = g_hash_table_new (NULL, NULL);
    g_autoptr (GHashTable) others = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           (GDestroyNotify) g_ptr_array_unref);
    g_autoptr (GError) reason = NULL;
    gpointer host, list;
    if (!check_launcher (pid, error)) {
        return NULL;
    }
    pid_t launcher = *pid;
    if (!launch_proctable_read (launcher, targets, others, &reason)) {
        launch_below_find_agents (launcher, agents, remotes);
        launch_below_find (launcher, agents, targets);
    }
    launch_targets_drop_doubles (targets);
    BASE_WALK (others, &host, &list) {
        LaunchRemote *remote = g_new0 (LaunchRemote, 1);
        remote->host = g_strdup (host);
        remote->targets = g_ptr_array_ref (list);
        g_ptr_array_add (remotes, remote);
    }
    g_ptr_array_sort (remotes, compare_remotes);
    if (targets->len == 0 && remotes->len == 0) {
        base_error_set (
            error, BASE_ERROR_NOT_FOUND,
            "cannot attach to the job of process %d: it has started no rank (it has no table of "
            "processes, and none of its child processes has a rank number)",
            (int) launcher);
        return NULL;
    }
    set_sizes (targets, remotes);
    *ret_remote = g_steal_pointer (&remotes);
    return g_steal_pointer (&targets);
}

GPtrArray *
launch_targets_find (pid_t launcher, char **ret_elsewhere, GError **error)
{
    g_autoptr (GPtrArray) remotes = NULL;
    g_autoptr (GPtrArray) targets = launch_targets_find_all (&launcher, &remotes, error);
    if (!targets) {
        return NULL;
    }
    *ret_elsewhere = format_others (remotes);
    if (targets->len == 0) {
        base_error_set (error, BASE_ERROR_NOT_FOUND,
                        "cannot attach to the job of process %d: "
                        "its ranks are all on other hosts",
                        (int) launcher);
        return NULL;
    }
    return g_steal_pointer (&targets);
}
