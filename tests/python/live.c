/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting and reading a Python process without any other layer of pddt. */
#include "live.h"
#include "../support/report.h"
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPORT_SECONDS 30

typedef struct {
    BaseMemoryReader reader;
    pid_t pid;
} LiveMemory;

#define MAX_BATCH 64u

/* All at once; what is not whole then is asked for again by itself. */
static void
read_items (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    LiveMemory *memory = (LiveMemory *) reader;
    struct iovec local[MAX_BATCH] = { 0 };
    struct iovec remote[MAX_BATCH] = { 0 };
    gsize wanted = 0;

    g_assert_cmpuint (n_items, <=, MAX_BATCH);
    for (guint i = 0; i < n_items; i++) {
        local[i] = (struct iovec) { items[i].data, items[i].size };
        remote[i] = (struct iovec) { (void *) items[i].address, items[i].size };
        items[i].done = items[i].size;
        wanted += items[i].size;
    }
    if (process_vm_readv (memory->pid, local, n_items, remote, n_items, 0) == (ssize_t) wanted) {
        return;
    }
    for (guint i = 0; i < n_items; i++) {
        ssize_t done = process_vm_readv (memory->pid, &local[i], 1, &remote[i], 1, 0);

        items[i].done = done > 0 ? (gsize) done : 0;
    }
}

static guint64
find_first_address (const char *path)
{
    g_autofree char *data = NULL;
    gsize size;
    const Elf64_Ehdr *header;
    const Elf64_Phdr *segments;

    if (!g_file_get_contents (path, &data, &size, NULL) || size < sizeof *header
        || memcmp (data, ELFMAG, SELFMAG) != 0) {
        return G_MAXUINT64;
    }
    header = (const Elf64_Ehdr *) data;
    segments = (const Elf64_Phdr *) (data + header->e_phoff);
    for (guint i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD) {
            return segments[i].p_vaddr;
        }
    }
    return G_MAXUINT64;
}

static GArray *
list_images (pid_t pid)
{
    g_autofree char *name = g_strdup_printf ("/proc/%d/maps", pid);
    g_autofree char *text = NULL;
    g_auto (GStrv) lines = NULL;
    GArray *images = g_array_new (FALSE, TRUE, sizeof (PythonImage));

    g_assert_true (g_file_get_contents (name, &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        const char *path = strchr (lines[i], '/');
        char *end;
        PythonImage *last = images->len > 0
                                ? &g_array_index (images, PythonImage, images->len - 1)
                                : NULL;
        PythonImage image = { 0 };

        if (path == NULL) {
            continue;
        }
        image.start = g_ascii_strtoull (lines[i], &end, 16);
        image.end = g_ascii_strtoull (end + 1, &end, 16);
        image.path = g_intern_string (path);
        if (last != NULL && last->path == image.path) {
            last->end = image.end;
        } else if (find_first_address (path) != G_MAXUINT64) {
            image.bias = image.start - find_first_address (path);
            g_array_append_val (images, image);
        }
    }
    return images;
}

/* Nothing survives a test that fails. */
static void
end_with_parent (gpointer user)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
}

Live *
live_start (const char *interpreter, const char *script)
{
    Live *live = g_new0 (Live, 1);
    LiveMemory *memory = g_new0 (LiveMemory, 1);
    g_autofree char *path = g_path_is_absolute (script)
                                ? g_strdup (script)
                                : g_test_build_filename (G_TEST_DIST, script, NULL);
    const char *arguments[] = { interpreter, path, NULL };
    g_autoptr (GError) error = NULL;
    int output;

    g_assert_true (g_spawn_async_with_pipes (NULL, (char **) arguments, NULL,
                                             G_SPAWN_DO_NOT_REAP_CHILD, end_with_parent, NULL,
                                             &live->pid,
                                             &live->input, &output, NULL, &error));
    live->report = report_read (output, REPORT_SECONDS);
    close (output);
    memory->pid = live->pid;
    memory->reader.read = read_items;
    live->memory = &memory->reader;
    live->images = list_images (live->pid);
    return live;
}

void
live_stop (Live *live)
{
    kill (live->pid, SIGKILL);
    waitpid (live->pid, NULL, 0);
    close (live->input);
    g_array_unref (live->images);
    g_free (live->memory);
    g_free (live->report);
    g_free (live);
}

static void
add_pyenv (GPtrArray *found)
{
    const char *root = g_getenv ("PYENV_ROOT");
    g_autofree char *versions = root != NULL
                                    ? g_build_filename (root, "versions", NULL)
                                    : g_build_filename (g_get_home_dir (), ".pyenv/versions",
                                                        NULL);
    g_autoptr (GDir) folder = g_dir_open (versions, 0, NULL);
    const char *name;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        guint64 minor = g_str_has_prefix (name, "3.") ? g_ascii_strtoull (name + 2, NULL, 10) : 0;
        g_autofree char *program = g_build_filename (versions, name, "bin/python3", NULL);

        if (minor >= 8 && minor <= 14 && g_file_test (program, G_FILE_TEST_IS_EXECUTABLE)) {
            g_ptr_array_add (found, g_steal_pointer (&program));
        }
    }
}

char **
live_list_interpreters (void)
{
    GPtrArray *found = g_ptr_array_new ();

    g_ptr_array_add (found, g_strdup ("/usr/bin/python3"));
    add_pyenv (found);
    g_ptr_array_add (found, NULL);
    return (char **) g_ptr_array_free (found, FALSE);
}

char *
live_format_stack (PythonRuntime *runtime, const PythonThread *thread)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) frames = python_runtime_read_frames (runtime, thread, &error);
    GString *text = g_string_new (NULL);

    if (frames == NULL) {
        g_string_printf (text, "%s\n", error->message);
        return g_string_free (text, FALSE);
    }
    for (guint i = 0; i < frames->len; i++) {
        const PythonFrame *frame = g_ptr_array_index (frames, i);

        g_string_append_printf (text, "%s|%s|%u\n", frame->function,
                                frame->file != NULL ? frame->file : "", frame->line);
    }
    return g_string_free (text, FALSE);
}
