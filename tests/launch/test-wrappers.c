/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the program stands behind words that run it as their child. */
#include "launch/wrappers-private.h"

static void
expect (const char *line, guint n)
{
    g_auto (GStrv) words = g_strsplit (line, " ", -1);
    gboolean is_container;
    g_assert_cmpuint (launch_wrappers_find (words, &is_container), ==, n);
    g_assert_true (n == 0 || is_container == (strstr (line, " exec ") != NULL));
}

static void
test_lines (void)
{
    expect ("timeout 10 app -k", 2);
    expect ("/usr/bin/timeout -k 1 -s KILL --foreground 10 app", 7);
    expect ("timeout -k1 --signal=KILL 10 app", 4);
    expect ("timeout --kill-after 1 -- 10 app", 5);
    expect ("timeout --unknown 10 app", 0);
    expect ("timeout 10", 0);
    expect ("timeout -k", 0);
    expect ("timeout", 0);
    expect ("time app", 1);
    expect ("/usr/bin/time -v -o file -f %e app -v", 6);
    expect ("time -p -av app", 0);
    expect ("env A=b app", 0);
    expect ("app timeout 10 app", 0);
    expect ("apptainer exec app.sif app -x", 3);
    expect ("/opt/bin/singularity exec -B /data:/mnt --nv --env=A=b app.sif app", 7);
    expect ("apptainer exec --containall app.sif app", 0); /* it would not see the session */
    expect ("apptainer run app.sif", 0);
    expect ("apptainer exec app.sif", 0);
    expect ("apptainer", 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/launch/wrappers/lines", test_lines);
    return g_test_run ();
}
