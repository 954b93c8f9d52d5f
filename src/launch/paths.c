/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds pddt's own files relative to the running program: their relative paths are the same in
 * build and installed trees, so no path is compiled in. */
#include "base/error.h"
#include "launch/launch.h"
#include "launch/paths-private.h"
#include <string.h>
#include <unistd.h>

static const char *host_folder;

void
launch_paths_set_host_folder (const char *folder)
{
    host_folder = folder;
}

static char *
find_beside_self (const char *const *folders, const char *name, int mode)
{
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    g_autofree char *here = self ? g_path_get_dirname (self) : g_strdup (".");
    for (gsize i = 0; folders[i]; i++) {
        g_autofree char *joined = g_build_filename (here, folders[i], name, NULL);
        g_autofree char *path = g_canonicalize_filename (joined, "/");
        if (access (path, mode) == 0 && !g_file_test (path, G_FILE_TEST_IS_DIR)) {
            return g_steal_pointer (&path);
        }
    }
    return NULL;
}

/* What a build may leave out, and what the user then lacks. */
static const struct {
    const char *name, *reason;
} optional[] = {
    { "pddt-window", "pddt's window is not installed (Debian: pddt-gui): use --cli" },
    { "pddt-archive",
      "this pddt was built without OTF2, so it can neither measure nor read archives; build it "
      "again where OTF2 is installed (Debian: libopen-trace-format2-dev)" },
    { "pddt-python.so",
      "this pddt was built without Python; build it again where Python's library and headers are installed (Debian: "
      "python3-dev)" },
};

static void
set_missing (const char *name, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS (optional); i++) {
        if (strcmp (optional[i].name, name) == 0) {
            base_error_set (error, BASE_ERROR_NOT_FOUND, "%s", optional[i].reason);
            return;
        }
    }
    base_error_set (error, BASE_ERROR_NOT_FOUND,
                    "cannot find pddt's own program %s: the installation is incomplete", name);
}

char *
launch_find_program (const char *name, GError **error)
{
    static const char *const folders[] = {
        "",
        "../libexec/pddt",
        "../../bin",
        "../../src/programs",
        "../src/programs",
        "../script",
        NULL,
    };
    char *path = host_folder && strcmp (name, "pddt-start") == 0
                     ? g_build_filename (host_folder, name, NULL)
                     : find_beside_self (folders, name, X_OK);
    if (!path) {
        set_missing (name, error);
    }
    return path;
}

char *
launch_find_recorder (const char *name)
{
    static const char *const folders[] = {
        "", "../agent", "../libexec/pddt", "../../src/agent", NULL,
    };

    return find_beside_self (folders, name, R_OK);
}

char *
launch_find_queue (const char *name)
{
    static const char *const folders[] = { "../../data", "../share/pddt/queues",
                                           "../../share/pddt/queues", NULL };

    return find_beside_self (folders, name, R_OK);
}

char *
launch_find_runner (GError **error)
{
    static const char *const folders[] = {
        "../agent", "../libexec/pddt/agent", "agent", "../../src/agent", "../src/agent", NULL,
    };
    char *path = host_folder ? g_build_filename (host_folder, "agent", "pddt_runner.py", NULL)
                             : find_beside_self (folders, "pddt_runner.py", R_OK);
    if (!path) {
        base_error_set (error, BASE_ERROR_NOT_FOUND,
                        "cannot find pddt's Python runner: the installation is incomplete");
    }
    return path;
}
