/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hosts of a running Open MPI job as its daemons are told them, and what is none. */
#include "launch/below-private.h"

static void
expect_hosts (const char *text, const char *expected)
{
    g_auto (GStrv) hosts = launch_below_parse_hosts (text);
    g_autofree char *joined = hosts ? g_strjoinv (" ", hosts) : NULL;
    g_assert_cmpstr (joined, ==, expected);
}

static void
test_hosts (void)
{
    expect_hosts ("login,node[1:1-2]@0(3)", "login node1 node2");
    expect_hosts ("login@0(1)", "login");
    expect_hosts ("a[2:8-10,12].x,b,c-[3:7]@0(6)", "a08.x a09.x a10.x a12.x b c-007");
    expect_hosts ("a,b", "a b");
    expect_hosts ("node[1:1-2", NULL);
    expect_hosts ("node[x:1]", NULL);
    expect_hosts ("node[1:3-2]@0", NULL);
    expect_hosts ("node[1:0-4294967295]@0", NULL);
    expect_hosts ("node[99:1]@0", NULL);
    expect_hosts (",a", NULL);
    expect_hosts ("", NULL);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/launch/below/hosts", test_hosts);
    return g_test_run ();
}
