/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions evaluated by reading alone, on every interpreter: each gives what the interpreter's
 * own eval and repr gave in the same frame, and what would need code is refused with the reason. */
#include "base/error.h"
#include "live.h"
#include <string.h>

typedef struct {
    Live *live;
    PythonRuntime *runtime;
    GPtrArray *frames;
    PythonFrame *work;
} Rig;

static void
open_rig (Rig *rig, const char *interpreter, const char *script)
{
    gint64 deadline = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    rig->live = live_start (interpreter, script);
    rig->runtime = python_runtime_open (rig->live->memory,
                                        (PythonImage *) rig->live->images->data,
                                        rig->live->images->len, NULL);
    g_assert_nonnull (rig->runtime);
    while (g_get_monotonic_time () < deadline) {
        g_autoptr (GArray) threads = NULL;

        python_runtime_invalidate (rig->runtime);
        threads = python_runtime_read_threads (rig->runtime, NULL);
        g_assert_nonnull (threads);
        rig->frames = python_runtime_read_frames (rig->runtime,
                                                  &g_array_index (threads, PythonThread, 0),
                                                  NULL);
        rig->work = rig->frames != NULL && rig->frames->len > 0
                        ? g_ptr_array_index (rig->frames, 0)
                        : NULL;
        if (rig->work != NULL && strcmp (rig->work->function, "work") == 0) {
            return;
        }
        g_clear_pointer (&rig->frames, g_ptr_array_unref);
    }
    g_assert_not_reached ();
}

static void
close_rig (Rig *rig)
{
    g_ptr_array_unref (rig->frames);
    python_runtime_free (rig->runtime);
    live_stop (rig->live);
}

/* As Python's backslashreplace writes it. */
static char *
make_ascii (const char *text)
{
    GString *ascii = g_string_new (NULL);

    g_assert_true (g_utf8_validate (text, -1, NULL));
    for (; *text != '\0'; text = g_utf8_next_char (text)) {
        gunichar character = g_utf8_get_char (text);

        if (character < 0x80) {
            g_string_append_c (ascii, (char) character);
        } else {
            g_string_append_printf (ascii,
                                    character < 0x100     ? "\\x%02x"
                                    : character < 0x10000 ? "\\u%04x"
                                                          : "\\U%08x",
                                    character);
        }
    }
    return g_string_free (ascii, FALSE);
}

static JobValue *
evaluate (Rig *rig, const char *text, GError **error)
{
    const PythonLimits limits = { 2, 200, 400, 400 };

    return python_frame_evaluate (rig->runtime, rig->work, text, &limits, error);
}

static void
test_equal (gconstpointer data)
{
    Rig rig;
    g_auto (GStrv) lines = NULL;
    guint n_wrong = 0;
    guint n = 0;

    open_rig (&rig, data, "expressions.py");
    lines = g_strsplit (rig.live->report, "\n", -1);
    for (guint i = 0; lines[i] != NULL && strcmp (lines[i], "end") != 0; i++) {
        g_auto (GStrv) words = g_strsplit (lines[i], "\t", 2);
        g_autoptr (GError) error = NULL;
        g_autoptr (JobValue) value = evaluate (&rig, words[0], &error);
        g_autofree char *seen = value != NULL ? make_ascii (value->text)
                                              : g_strdup (error->message);

        n++;
        if (strcmp (words[1], "*") != 0 ? strcmp (seen, words[1]) != 0 : value == NULL) {
            g_test_message ("%s: expected %s, seen %s", words[0], words[1], seen);
            n_wrong++;
        }
    }
    g_assert_cmpuint (n_wrong, ==, 0);
    g_assert_cmpuint (n, >, 130);
    close_rig (&rig);
}

static void
test_refused (gconstpointer data)
{
    static const struct {
        const char *text;
        int code;
        const char *why;
    } refused[] = {
        { "absent", BASE_ERROR_NOT_FOUND, "*no symbol \"absent\"" },
        { "late", BASE_ERROR_NOT_FOUND, "*\"late\"*" }, /* which of two, from 3.12 on */
        { "plain.computed", BASE_ERROR_UNSUPPORTED, "*\"plain.computed\"*is a property" },
        { "plain.missing", BASE_ERROR_NOT_FOUND, "*no attribute \"missing\"" },
        { "slotted.unbound", BASE_ERROR_NOT_FOUND, "*no attribute*" },
        { "computes.any", BASE_ERROR_UNSUPPORTED, "*__getattr__*" },
        { "computes[0]", BASE_ERROR_UNSUPPORTED, "*__getitem__*" },
        { "computes == 1", BASE_ERROR_UNSUPPORTED, "*can compare Computes and int" },
        { "len(computes)", BASE_ERROR_UNSUPPORTED, "*__len__*" },
        { "not computes", BASE_ERROR_UNSUPPORTED, "*__bool__*" },
        { "plain.method()", BASE_ERROR_UNSUPPORTED, "*it is a call" },
        { "print(1)", BASE_ERROR_UNSUPPORTED, "*it is a call" },
        { "few[3]", BASE_ERROR_NOT_FOUND, "no item [3]" },
        { "few[-4]", BASE_ERROR_NOT_FOUND, "no item*" },
        { "table[9]", BASE_ERROR_NOT_FOUND, "no item [9]" },
        { "table['zz']", BASE_ERROR_NOT_FOUND, "no key \"zz\"" },
        { "zero / zero", BASE_ERROR_INVALID, "ZeroDivisionError*" },
        { "word + 1", BASE_ERROR_UNSUPPORTED, "*can compute with str and int" },
        { "huge * huge", BASE_ERROR_UNSUPPORTED, "*the result is too large" },
        { "[x for x in few]", BASE_ERROR_UNSUPPORTED, "*comprehension" },
        { "lambda: 1", BASE_ERROR_UNSUPPORTED, "*lambda" },
        { "f'{word}'", BASE_ERROR_UNSUPPORTED, "*an f-string" },
        { "few[", BASE_ERROR_INVALID, "*it is incomplete" },
        { "", BASE_ERROR_INVALID, "*it is incomplete" },
        { "1 +", BASE_ERROR_INVALID, "*it is incomplete" },
        { "few few", BASE_ERROR_INVALID, "*not a Python expression*" },
        { "'open", BASE_ERROR_INVALID, "*it is incomplete" },
        { "integer = 3", BASE_ERROR_INVALID, "*not a Python expression*" },
        { "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1",
          BASE_ERROR_INVALID, "*" },
    };
    Rig rig;

    open_rig (&rig, data, "expressions.py");
    for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
        g_autoptr (GError) error = NULL;
        JobValue *value = evaluate (&rig, refused[i].text, &error);

        g_test_message ("%s: %s", refused[i].text,
                        error != NULL ? error->message : value->text);
        g_assert_null (value);
        g_assert_error (error, BASE_ERROR, refused[i].code);
        g_assert_true (g_pattern_match_simple (refused[i].why, error->message));
    }
    close_rig (&rig);
}

static void
test_children (gconstpointer data)
{
    static const struct {
        const char *text, *child, *shown;
    } rows[] = {
        { "plain", "name", "'p'" },  { "slotted", "slot", "1" },
        { "point", "y", "2.5" },     { "few", "[2]", "3" },
        { "mapping", "['a']", "1" }, { "many[10:20]", "[0]", "10" },
        { "structure", "y", "2.5" }, { "block", "[1]", "3" },
        { "queue", "[0]", "100" },   { "keys", "[0]", "4" },
        { "numbers", "[1]", "2.5" }, { "couple", "[1]", "'r'" },
    };
    Rig rig;

    open_rig (&rig, data, "expressions.py");
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autoptr (JobValue) value = evaluate (&rig, rows[i].text, NULL);
        const char *shown = NULL;

        g_assert_nonnull (value);
        g_assert_true (value->expandable);
        for (guint j = 0; value->children != NULL && j < value->children->len; j++) {
            const JobValue *child = g_ptr_array_index (value->children, j);

            if (g_strcmp0 (child->name, rows[i].child) == 0) {
                shown = child->text;
            }
        }
        g_test_message ("%s %s", rows[i].text, rows[i].child);
        g_assert_cmpstr (shown, ==, rows[i].shown);
    }
    close_rig (&rig);
}

/* What leads back to itself is shown up to a depth; what is nested deeper than any program writes is
 * refused. Neither takes the debugger with it. */
static void
test_cycles (gconstpointer data)
{
    static const char *const texts[] = { "returning",      "own",        "own[1]",
                                         "returning.make", "own == own", "own[0] == own[1]",
                                         "own < [own]" };
    g_autoptr (GString) tower = g_string_new ("1");
    Rig rig;

    open_rig (&rig, data, "expressions.py");
    for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (JobValue) value = evaluate (&rig, texts[i], &error);

        g_assert_true (value != NULL || error != NULL);
        g_assert_true (value == NULL || strlen (value->text) < 20000);
    }
    if (strstr (rig.live->report, "grid.shape") != NULL) {
        g_autoptr (JobValue) holder = evaluate (&rig, "holder", NULL);

        g_assert_nonnull (holder);
    }
    for (guint i = 0; i < 100000; i++) {
        g_string_append (tower, "**1");
    }
    g_assert_null (evaluate (&rig, tower->str, NULL));
    close_rig (&rig);
}

static void
test_mpi (gconstpointer data)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        { "comm", "<mpi4py.MPI.Intracomm COMM_WORLD>" },
        { "null", "<mpi4py.MPI.Comm COMM_NULL>" },
        { "kind", "<mpi4py.MPI.Datatype DOUBLE>" },
        { "operation", "<mpi4py.MPI.Op SUM>" },
        { "request", "<mpi4py.MPI.Request REQUEST_NULL>" },
        { "own", "<mpi4py.MPI.Intracomm COMM_NULL>" },
        { "status", "<mpi4py.MPI.Status source=3, tag=77, error=0>" },
    };
    Rig rig;

    open_rig (&rig, data, "mpi.py");
    if (!g_str_has_prefix (rig.live->report, "mpi4py")) {
        g_test_message ("%s has no mpi4py", (const char *) data);
        close_rig (&rig);
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autoptr (JobValue) value = evaluate (&rig, rows[i].text, NULL);

        g_assert_nonnull (value);
        g_assert_cmpstr (value->text, ==, rows[i].shown);
    }
    close_rig (&rig);
}

int
main (int argc, char **argv)
{
    g_auto (GStrv) interpreters = live_list_interpreters ();

    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/python/expression/mpi4py", interpreters[0], test_mpi);
    for (guint i = 0; interpreters[i] != NULL; i++) {
        g_autofree char *equal = g_strdup_printf ("/python/expression/equal%s",
                                                  interpreters[i]);
        g_autofree char *refused = g_strdup_printf ("/python/expression/refused%s",
                                                    interpreters[i]);
        g_autofree char *cycles = g_strdup_printf ("/python/expression/cycles%s",
                                                   interpreters[i]);
        g_autofree char *children = g_strdup_printf ("/python/expression/children%s",
                                                     interpreters[i]);

        g_test_add_data_func (equal, interpreters[i], test_equal);
        g_test_add_data_func (refused, interpreters[i], test_refused);
        g_test_add_data_func (cycles, interpreters[i], test_cycles);
        g_test_add_data_func (children, interpreters[i], test_children);
    }
    return g_test_run ();
}
