/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --json: the words and fields of the contract; every line is one whole JSON object. */
#include "rig.h"
#include <string.h>

static const char *skip_value (const char *at, guint depth);

static const char *
skip_string (const char *at)
{
    g_assert_cmpint (*at, ==, '"');
    for (at++; *at != '"'; at++) {
        g_assert_cmpint ((guchar) *at, >=, 0x20);
        if (*at == '\\') {
            at++;
            g_assert_nonnull (strchr ("\"\\/bfnrtu", *at));
        }
    }
    return at + 1;
}

static const char *
skip_list (const char *at, char end, guint depth)
{
    at++;
    while (*at != end) {
        if (end == '}') {
            at = skip_string (at);
            g_assert_cmpint (*at++, ==, ':');
        }
        at = skip_value (at, depth + 1);
        g_assert_true (*at == ',' || *at == end);
        if (*at == ',') {
            at++;
            g_assert_cmpint (*at, !=, end);
        }
    }
    return at + 1;
}

static const char *
skip_value (const char *at, guint depth)
{
    static const char *const words[] = { "true", "false", "null" };
    char *end;

    g_assert_cmpuint (depth, <, 10);
    if (*at == '"') {
        return skip_string (at);
    }
    if (*at == '{' || *at == '[') {
        return skip_list (at, *at == '{' ? '}' : ']', depth);
    }
    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        if (g_str_has_prefix (at, words[i])) {
            return at + strlen (words[i]);
        }
    }
    g_ascii_strtod (at, &end);
    g_assert_true (end != at);
    return end;
}

static void
assert_json (const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

    for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++) {
        g_assert_cmpint (*lines[i], ==, '{');
        g_assert_cmpint (*skip_value (lines[i], 0), ==, '\0');
        g_assert_true (g_utf8_validate (lines[i], -1, NULL));
    }
}

static void
check (Rig *rig, const char *line, const char *expected)
{
    g_autofree char *text = rig_run (rig, line);

    assert_json (text);
    g_assert_cmpstr (text, ==, expected);
}

static void
test_stopped (void)
{
    g_autoptr (Rig) rig = rig_new (6, TRUE);
    g_autoptr (JobEvent) event = rig_event (JOB_EVENT_STATE, "0-3,5");

    event->state = JOB_STATE_BREAKPOINT;
    event->number = 1;
    event->request = 2;
    event->place = rig_place ("work at /abs/app.py:12");
    event->place->language = JOB_LANGUAGE_PYTHON;
    session_apply (rig->session, event);
    check (rig, "wait",
           "{\"event\":\"stopped\",\"request\":2,\"ranks\":\"0-3,5\",\"state\":\"breakpoint\","
           "\"breakpoint\":1,\"function\":\"work\",\"file\":\"/abs/app.py\",\"line\":12,"
           "\"language\":\"python\"}\n{\"event\":\"done\",\"request\":1,\"ok\":true}\n");
}

static void
test_missing (void)
{
    g_autoptr (Rig) rig = rig_new (5, TRUE);
    JobEvent *event = rig_event (JOB_EVENT_ACCEPTED, "0-3");
    g_autofree char *text = NULL;

    session_set_deadlines (rig->session, 10, 10);
    rig_answer (rig, event, NULL);
    text = rig_run (rig, "print x");
    assert_json (text);
    g_assert_nonnull (strstr (text, "{\"event\":\"done\",\"request\":1,\"ok\":false,"
                                    "\"missing\":\"4\"}\n"));
}

static void
test_bytes (void)
{
    g_autoptr (Rig) rig = rig_new (2, TRUE);
    g_autoptr (JobEvent) event = rig_event (JOB_EVENT_OUTPUT, "1");
    g_autofree char *text = NULL;

    event->number = 1;
    event->bytes = g_bytes_new ("\xff\xfe\n\"q\"\\\t\x01\xc3\xa4\n", 12);
    session_apply (rig->session, event);
    text = rig_run (rig, "wait");
    assert_json (text);
    g_assert_true (g_str_has_prefix (
        text, "{\"event\":\"output\",\"ranks\":\"1\",\"stream\":\"stdout\",\"text\":"
              "{\"base64\":\"//4=\"}}\n"
              "{\"event\":\"output\",\"ranks\":\"1\",\"stream\":\"stdout\",\"text\":"
              "\"\\\"q\\\"\\\\\\u0009\\u0001\xc3\xa4\"}\n"));
}

static void
test_lost (void)
{
    g_autoptr (Rig) rig = rig_new (4, TRUE);

    rig_state (rig, "2-3", JOB_STATE_LOST, 0, "localhost", NULL);
    check (
        rig, "on 2 wait",
        "{\"event\":\"lost\",\"request\":0,\"ranks\":\"2-3\",\"state\":\"lost\","
        "\"host\":\"localhost\"}\n{\"event\":\"error\",\"request\":1,\"ranks\":\"2\","
        "\"text\":\"lost while waiting\"}\n{\"event\":\"done\",\"request\":1,\"ok\":false}\n");
}

static gboolean
arrive_later (gpointer user)
{
    Rig *rig = user;

    if (strstr (rig->text->str, "\"arrived\":1,") == NULL) {
        return G_SOURCE_CONTINUE;
    }
    rig_state (rig, "1-2", JOB_STATE_STOPPED, 0, NULL, "main at /a/app.c:11");
    return G_SOURCE_REMOVE;
}

/* A step for which some ranks take their time: how many have arrived, and once more when all have. */
static void
test_progress (void)
{
    g_autoptr (Rig) rig = rig_new (3, TRUE);
    g_autofree char *next = NULL, *text = NULL;

    rig_state (rig, "0-2", JOB_STATE_STOPPED, 0, NULL, "main at /a/app.c:10");
    next = rig_run (rig, "next");
    rig_state (rig, "0", JOB_STATE_STOPPED, 0, NULL, "main at /a/app.c:11");
    g_timeout_add (20, arrive_later, rig);
    text = rig_run (rig, "wait 100");
    assert_json (text);
    g_assert_nonnull (
        strstr (text, "{\"event\":\"progress\",\"request\":1,\"arrived\":1,\"of\":3}\n"));
    g_assert_nonnull (
        strstr (text, "{\"event\":\"progress\",\"request\":1,\"arrived\":3,\"of\":3}\n"));
}

/* Every command, with whatever it answers: valid lines, and a `done` at the end of each. */
static void
test_all_valid (void)
{
    static const char *const lines[] = {
        "show state",    "show sets",
        "show options",  "show breakpoints",
        "help",          "help step",
        "why",           "break \"x y.c\":3",
        "catch throw",   "watch \"a\\b\"",
        "on 9 step",     "nonsense \"\\\x01",
        "set a = 0",     "live set b = stopped",
        "pick 0",        "list",
        "list none.c:3", "where full",
        "step 3",        "expect exited",
        "x/4xb 0",       "show diverged",
        "quit",
    };
    g_autoptr (Rig) rig = rig_new (4, TRUE);

    rig_state (rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "f<\"a\", b> at /a/x\\y.c:3");
    for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        g_autofree char *text = rig_run (rig, lines[i]);

        assert_json (text);
        g_assert_nonnull (strstr (text, "{\"event\":\"done\","));
    }
    g_assert_true (command_context_is_quit (rig->context));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/json/stopped", test_stopped);
    g_test_add_func ("/command/json/missing", test_missing);
    g_test_add_func ("/command/json/bytes", test_bytes);
    g_test_add_func ("/command/json/lost", test_lost);
    g_test_add_func ("/command/json/progress", test_progress);
    g_test_add_func ("/command/json/all-valid", test_all_valid);
    return g_test_run ();
}
