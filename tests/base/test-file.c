/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files are read, and which are refused without blocking: pipes, devices, sockets,
 * folders, files of /proc, and files that are too large. */
#include "base/error.h"
#include "base/file.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static char *
dup_path (const char *name)
{
    return g_build_filename (folder, name, NULL);
}

static void
expect_refusal (const char *path, gsize limit, int code, const char *reason)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *wanted = g_strdup_printf ("cannot read %s: %s", path, reason);

    g_assert_null (base_file_read (path, limit, NULL, &error));
    g_assert_error (error, BASE_ERROR, code);
    g_assert_cmpstr (error->message, ==, wanted);
}

static void
test_text (void)
{
    g_autofree char *path = dup_path ("text"), *link = dup_path ("link");
    const char bytes[] = "one\ntwo\0three";
    gsize size = 0;

    g_assert_true (g_file_set_contents (path, bytes, sizeof bytes, NULL));
    g_assert_cmpint (symlink (path, link), ==, 0);
    for (const char *const *name = (const char *const[]){ path, link, NULL }; *name != NULL;
         name++) {
        g_autofree char *text = base_file_read (*name, sizeof bytes, &size, NULL);

        g_assert_cmpmem (text, size, bytes, sizeof bytes);
        g_assert_cmpint (text[size], ==, '\0');
    }
    g_assert_true (g_file_set_contents (path, "", 0, NULL));
    g_autofree char *nothing = base_file_read (path, 0, &size, NULL);
    g_assert_cmpstr (nothing, ==, "");
    g_assert_cmpuint (size, ==, 0);
    g_unlink (path);
    g_unlink (link);
}

static void
test_no_files (void)
{
    static const char *const made_up[]
        = { "/dev/zero",      "/dev/tty",        "/proc/kmsg",
            "/proc/self/mem", "/proc/self/maps", "/sys/kernel/mm/transparent_hugepage/enabled",
            "/proc/self" };
    g_autofree char *pipe = dup_path ("pipe"), *led = dup_path ("led"),
                    *socket_path = dup_path ("socket");
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
    g_assert_cmpint (symlink (pipe, led), ==, 0);
    g_strlcpy (address.sun_path, socket_path, sizeof address.sun_path);
    g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
    expect_refusal (pipe, 100, BASE_ERROR_UNSUPPORTED, "it is not a regular file");
    expect_refusal (led, 100, BASE_ERROR_UNSUPPORTED, "it is not a regular file");
    expect_refusal (socket_path, 100, BASE_ERROR_UNSUPPORTED, "it is not a regular file");
    expect_refusal (folder, 100, BASE_ERROR_UNSUPPORTED, "it is not a regular file");
    for (gsize i = 0; i < G_N_ELEMENTS (made_up); i++) {
        if (access (made_up[i], R_OK) == 0) {
            expect_refusal (made_up[i], 1 << 20, BASE_ERROR_UNSUPPORTED,
                            "it is not a regular file");
        }
    }
    close (fd);
    g_unlink (pipe);
    g_unlink (led);
    g_unlink (socket_path);
}

static void
test_size (void)
{
    g_autofree char *path = dup_path ("large");
    g_autofree char *length = g_format_size ((guint64) 1 << 40),
                    *most = g_format_size (64 << 20);
    g_autofree char *expected = g_strdup_printf ("it is too large, %s; %s at most", length,
                                                 most);
    g_autofree char *size = g_format_size (101), *limit = g_format_size (100);
    g_autofree char *nearly = g_strdup_printf ("it is too large, %s; %s at most", size, limit);
    int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    g_assert_cmpint (ftruncate (fd, (off_t) 1 << 40), ==, 0); /* it takes no room */
    expect_refusal (path, 64 << 20, BASE_ERROR_INVALID, expected);
    g_assert_cmpint (ftruncate (fd, 101), ==, 0);
    expect_refusal (path, 100, BASE_ERROR_INVALID, nearly);
    close (fd);
    g_unlink (path);
    expect_refusal (path, 100, BASE_ERROR_NOT_FOUND, "No such file or directory");
}

/* The kernel's files have no size. */
static void
test_process (void)
{
    g_autofree char *wanted = NULL, *longer = g_strnfill (10000, 'x');
    g_autofree char *command = base_file_read_process (getpid (), "cmdline", NULL);
    g_autofree char *status = base_file_read_process (getpid (), "status", NULL);
    char *const child[] = { (char *) "/bin/sleep", (char *) "600", NULL };
    char *const environment[] = { longer, (char *) "LAST=1", NULL };
    gsize size = 0;
    GPid pid;

    g_assert_nonnull (strstr (command, "file"));
    g_assert_true (g_str_has_prefix (status, "Name:\t"));
    g_assert_true (g_spawn_async (NULL, (char **) child, (char **) environment,
                                  G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL));
    while (size < 10000 || wanted[0] != 'x') { /* it is the parent's until it has executed */
        g_free (wanted);
        wanted = base_file_read_process (pid, "environ", &size);
        g_assert_nonnull (wanted);
    }
    g_assert_cmpuint (size, ==, 10000 + 1 + strlen ("LAST=1") + 1);
    g_assert_cmpstr (wanted, ==, longer);
    g_assert_cmpstr (wanted + 10001, ==, "LAST=1");
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
    g_assert_null (base_file_read_process (pid, "environ", &size));
}

int
main (int argc, char **argv)
{
    int status;

    g_test_init (&argc, &argv, NULL);
    folder = g_dir_make_tmp ("test-file-XXXXXX", NULL);
    g_test_add_func ("/base/file/text", test_text);
    g_test_add_func ("/base/file/no-files", test_no_files);
    g_test_add_func ("/base/file/size", test_size);
    g_test_add_func ("/base/file/process", test_process);
    status = g_test_run ();
    g_rmdir (folder);
    g_free (folder);
    return status;
}
