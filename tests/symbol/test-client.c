/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole way: pddt-symbols as a process (argument 1), its socket, the client. A restarted
 * pddt-symbols is asked again; a dead one gives an error; a cache that cannot be written does not
 * matter. Further arguments are files to index. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/error.h"
#include "index/client.h"
#include "../support/folder.h"

static const char *program, *subject;
static char *folder, *socket_path, *cache;

/* Listens before it starts the process, so that nobody waits. */
static pid_t
start_symbols_with (const char *cache_folder, const char *library)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    g_strlcpy (address.sun_path, socket_path, sizeof address.sun_path);
    g_unlink (socket_path);
    int fd = socket (AF_UNIX, SOCK_STREAM, 0);
    g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
    g_assert_cmpint (listen (fd, 4), ==, 0);
    pid_t pid = fork ();
    g_assert_cmpint (pid, >=, 0);
    if (pid == 0) {
        g_autofree char *number = g_strdup_printf ("%d", fd);
        if (library != NULL)
            g_setenv ("LD_PRELOAD", library, TRUE);
        execl (program, program, "--listen-fd", number, "--cache", cache_folder, NULL);
        _exit (127);
    }
    close (fd);
    return pid;
}

static pid_t
start_symbols (const char *cache_folder)
{
    return start_symbols_with (cache_folder, NULL);
}

static void
stop_symbols (pid_t pid)
{
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
}

static guint64
find_work (IndexClient *client)
{
    g_autoptr (GError) error = NULL;
    IndexImage *image = index_client_open_image (client, subject, &error);
    g_assert_no_error (error);
    g_assert_true (index_client_open_image (client, subject, NULL) == image);
    g_autoptr (GArray) places = index_image_find_function (image, "work");
    g_assert_cmpuint (places->len, ==, 1);
    return g_array_index (places, IndexPlace, 0).address;
}

static void
test_questions (void)
{
    pid_t pid = start_symbols (cache);
    IndexClient *client = index_client_new (socket_path);
    g_autoptr (GError) error = NULL;
    guint64 pc = find_work (client);
    const EvaluateProgram *program_of = index_client_bind (client, subject, pc, 0, "where->x",
                                                           &error);
    g_assert_no_error (error);
    g_assert_cmpstr (evaluate_program_get_type_name (program_of), ==, "int");
    g_assert_true (index_client_bind (client, subject, pc, 0, "where->x", NULL) == program_of);
    GPtrArray *locals = index_client_bind_variables (client, subject, pc, 0,
                                                     EVALUATE_VARIABLES_ARGUMENTS, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (locals->len, ==, 4);
    g_assert_cmpstr (evaluate_program_get_name (locals->pdata[0]), ==, "n");
    g_autofree char *type = index_client_describe_type (client, subject, pc, 0, "*where", FALSE,
                                                        &error);
    g_assert_cmpstr (type, ==, "struct point");
    g_assert_null (index_client_bind (client, subject, pc, 0, "nowhere", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_assert_cmpstr (error->message, ==, "no symbol \"nowhere\"");
    g_clear_error (&error);
    g_assert_null (index_client_bind (client, subject, pc, 0, "1 +", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
    g_clear_error (&error);
    g_assert_null (index_client_open_image (client, "/nonexistent", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    index_client_free (client);
    stop_symbols (pid);
}

static void
test_restart (void)
{
    pid_t pid = start_symbols (cache);
    IndexClient *client = index_client_new (socket_path);
    g_autoptr (GError) error = NULL;
    guint64 pc = find_work (client);
    stop_symbols (pid);
    pid = start_symbols (cache);
    g_assert_nonnull (index_client_bind (client, subject, pc, 0, "n", &error));
    g_assert_no_error (error);
    stop_symbols (pid);
    g_assert_null (index_client_bind (client, subject, pc, 0, "f", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    index_client_free (client);
}

static void
test_no_cache (void)
{
    pid_t pid = start_symbols ("/proc/nowhere");
    IndexClient *client = index_client_new (socket_path);
    g_assert_cmpuint (find_work (client), !=, 0);
    index_client_free (client);
    stop_symbols (pid);
}

static guint
count_entries (void)
{
    g_autoptr (GDir) entries = g_dir_open (cache, 0, NULL);
    guint n = 0;
    while (entries != NULL && g_dir_read_name (entries) != NULL)
        n++;
    return n;
}

/* A copy in memory, as the daemon has of the vdso, bears the number of a process: nobody would ask for it again. */
static void
test_nameless (void)
{
    pid_t pid = start_symbols (cache);
    IndexClient *client = index_client_new (socket_path);
    g_autoptr (GError) error = NULL;
    int file = open (subject, O_RDONLY | O_CLOEXEC);
    g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", (int) getpid (), file);
    g_assert_cmpuint (find_work (client), !=, 0);
    guint n = count_entries ();
    g_assert_cmpuint (n, >, 0);
    g_assert_nonnull (index_client_open_image (client, path, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (count_entries (), ==, n);
    index_client_free (client);
    stop_symbols (pid);
    close (file);
}

/* A libdwarf that crashes costs the macros, and nothing else. */
static void
test_crash (void)
{
    const char *path = g_getenv ("PDDT_TEST_MACROS"),
               *library = g_getenv ("PDDT_TEST_CRASHING");
    for (guint crashes = 0; path != NULL && crashes < 2; crashes++) {
        pid_t pid = start_symbols_with (cache, crashes ? library : NULL);
        IndexClient *client = index_client_new (socket_path);
        g_autoptr (GError) error = NULL;
        IndexImage *image = index_client_open_image (client, path, &error);
        g_assert_no_error (error);
        g_autoptr (GArray) places = index_image_find_function (image, "work");
        guint64 pc = g_array_index (places, IndexPlace, 0).address;
        for (guint turn = 0; turn < 2; turn++) {
            const EvaluateProgram *bound = index_client_bind (client, path, pc, 0, "n", &error);
            g_assert_no_error (error);
            g_assert_nonnull (bound);
            bound = index_client_bind (client, path, pc, 0, "__STDC__", &error);
            g_assert_true ((bound == NULL) == crashes);
            g_assert_true (!crashes
                           || g_str_has_suffix (error->message,
                                                "libdwarf, which reads them, crashes"));
            g_clear_error (&error);
        }
        index_client_free (client);
        stop_symbols (pid);
    }
}

/* Whatever else the machine has: it must be indexed, and answer. */
static void
test_file (gconstpointer path)
{
    pid_t pid = start_symbols (cache);
    IndexClient *client = index_client_new (socket_path);
    g_autoptr (GError) error = NULL;
    gint64 before = g_get_monotonic_time ();
    IndexImage *image = index_client_open_image (client, path, &error);
    g_assert_no_error (error);
    g_test_message ("%s: %.1f ms", (const char *) path,
                    (g_get_monotonic_time () - before) / 1e3);
    g_assert_cmpstr (index_image_get_path (image), ==, path);
    index_client_free (client);
    stop_symbols (pid);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    program = argv[1];
    subject = argv[2];
    folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    socket_path = g_build_filename (folder, "symbols", NULL);
    cache = g_build_filename (folder, "cache", NULL);
    g_test_add_func ("/symbol/client/questions", test_questions);
    g_test_add_func ("/symbol/client/restart", test_restart);
    g_test_add_func ("/symbol/client/no-cache", test_no_cache);
    g_test_add_func ("/symbol/client/nameless", test_nameless);
    g_test_add_func ("/symbol/client/crash", test_crash);
    for (int i = 3; i < argc; i++) {
        g_autofree char *name = g_strdup_printf ("/symbol/client/file%s", argv[i]);
        if (g_file_test (argv[i], G_FILE_TEST_EXISTS))
            g_test_add_data_func (name, argv[i], test_file);
    }
    int status = g_test_run ();
    folder_remove (folder);
    g_free (socket_path);
    g_free (cache);
    g_free (folder);
    return status;
}
