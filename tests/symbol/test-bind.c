/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions, locals and types of the subject, which runs inside this very process: bound by the
 * symbol layer from this file's debug information, run by index's machine on this memory. */
#include <link.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/channel.h"
#include "base/error.h"
#include "evaluate/code.h"
#include "index/image.h"
#include "evaluate/program.h"
#include "subject.h"
#include "symbol/server.h"
#include "../support/pseudo.h"

static SymbolServer *server;
static char *own_path;
static guint64 bias, frame, pc;
static gboolean has_language; /* to show reasons in */
static char *folder;

static void
read_own (BaseMemoryReader *reader, BaseMemoryItem *items, guint n)
{
    for (guint i = 0; i < n; i++) {
        struct iovec local = { items[i].data, items[i].size };
        struct iovec remote = { (void *) items[i].address, items[i].size };
        gssize done = process_vm_readv (getpid (), &local, 1, &remote, 1, 0);
        items[i].done = done < 0 ? 0 : done;
    }
}

static gboolean
write_own (BaseMemoryReader *reader, guint64 address, const void *data, gsize size,
           GError **error)
{
    memcpy ((void *) address, data, size);
    return TRUE;
}

static BaseMemoryReader memory = { read_own, write_own };

static gboolean
read_register (gpointer user, guint number, guint64 *ret_value)
{
    *ret_value = number == 6 ? frame : number == 16 ? pc : number;
    return number == 6 || number == 16 || number == 3;
}

static GBytes *user_kept; /* the user's $x */
static char *kept_type;

static GBytes *
find_kept (gpointer user, const char *name)
{
    return strcmp (name, "x") == 0 ? user_kept : NULL;
}

static void
keep (gpointer user, const char *name, const char *type, const guint8 *bytes, gsize size)
{
    g_assert_cmpstr (name, ==, "x");
    g_clear_pointer (&user_kept, g_bytes_unref);
    g_clear_pointer (&kept_type, g_free);
    if (bytes)
        user_kept = g_bytes_new (bytes, size);
    kept_type = g_strdup (type);
}

static EvaluateContext
get_context (void)
{
    return (EvaluateContext){ .memory = &memory,
                              .read_register = read_register,
                              .bias = bias,
                              .cfa = frame + 16,
                              .find_kept = find_kept,
                              .keep = keep };
}

static GVariant *
ask (const char *verb, GVariant *arguments, gboolean *ret_good)
{
    g_autoptr (GVariant) question = g_variant_ref_sink (g_variant_new ("(sv)", verb,
                                                                       arguments));
    int fd;
    g_autoptr (GVariant) answer = g_variant_ref_sink (symbol_server_answer (server, question,
                                                                            &fd));
    GVariant *content;
    g_assert_cmpint (fd, ==, -1);
    g_variant_get (answer, "(bv)", ret_good, &content);
    return content;
}

static EvaluateProgram *
bind_text (const char *expression, char **ret_failure)
{
    gboolean good;
    g_autoptr (GVariant) content
        = ask ("bind", g_variant_new ("(^aytu^ay)", own_path, pc - bias, 0, expression), &good);
    if (!good) {
        g_variant_get (content, BASE_CHANNEL_ERROR, NULL, ret_failure, NULL, NULL);
        return NULL;
    }
    g_autoptr (GError) error = NULL;
    EvaluateProgram *program = evaluate_program_decode (content, &error);
    g_assert_no_error (error);
    return program;
}

static void
check_value (const char *expression, const char *expected)
{
    g_autofree char *failure = NULL;
    g_autoptr (GError) error = NULL;
    g_autoptr (EvaluateProgram) program = bind_text (expression, &failure);
    if (!program) {
        if (g_strcmp0 (failure, expected) != 0)
            g_test_fail_printf ("%s: %s", expression, failure);
        return;
    }
    EvaluateContext context = get_context ();
    g_autoptr (JobValue) value = evaluate_program_run (program, &context, NULL, &error);
    if (!value)
        g_test_fail_printf ("%s: %s", expression, error->message);
    if (!g_pattern_match_simple (expected, value->text))
        g_test_fail_printf ("%s = %s, not %s", expression, value->text, expected);
    if (value->is_problem && has_language) {
        g_autofree char *shown = job_value_print (BASE_TEXT_SHOWN, value);
        pseudo_check (value->text, shown);
    }
}

static void
check_type (const char *expression, gboolean expand, const char *expected)
{
    gboolean good;
    g_autoptr (GVariant) content = ask ("type",
                                        g_variant_new ("(^aytu^ayb)", own_path, pc - bias, 0,
                                                       expression, expand),
                                        &good);
    g_assert_true (good);
    g_autoptr (EvaluateProgram) program = evaluate_program_decode (content, NULL);
    g_assert_nonnull (program);
    EvaluateContext context = get_context ();
    g_autofree char *text = evaluate_program_write_type (program, &context);
    g_assert_cmpstr (text, ==, expected);
}

/* The helper survives what it cannot read. */
static void
check_no_type (const char *expression)
{
    gboolean good;
    g_autoptr (GVariant) content
        = ask ("type", g_variant_new ("(^aytu^ayb)", own_path, pc - bias, 0, expression, TRUE),
               &good);
    g_assert_false (good);
}

static char *
list_variables (EvaluateVariables which)
{
    gboolean good;
    GString *text = g_string_new (NULL);
    g_autoptr (GVariant) content
        = ask ("variables", g_variant_new ("(^aytuu)", own_path, pc - bias, 0, (guint32) which),
               &good);
    g_assert_true (good);
    EvaluateContext context = get_context ();
    for (gsize i = 0; i < g_variant_n_children (content); i++) {
        g_autoptr (GVariant) child = g_variant_get_child_value (content, i);
        g_autoptr (EvaluateProgram) program = evaluate_program_decode (child, NULL);
        g_autoptr (JobValue) value = evaluate_program_run (program, &context, NULL, NULL);
        g_string_append_printf (text, "%s=%s;", evaluate_program_get_name (program),
                                value->text);
    }
    return g_string_free (text, FALSE);
}

static void (*at_place) (const char *place);

static __attribute__ ((noinline)) void
on_place (const char *place)
{
    frame = *(guint64 *) __builtin_frame_address (0);
    pc = (guint64) __builtin_return_address (0) - 1;
    at_place (place);
}

static void
check_scalars (const char *place)
{
    if (strcmp (place, "outer") != 0)
        return;
    check_value ("counter", "42");
    check_value ("letter", "122 'z'");
    check_value ("bell", "7 '\\a'");
    check_value ("byte", "200 '\\310'");
    check_value ("flag", "true");
    check_value ("paint", "GREEN");
    check_value ("mixed", "13");
    check_value ("wide", "9223372036854775808");
    check_value ("third", "0.33333334");
    check_value ("extended", "1.25");
    check_value ("whirl", "1.5 + 2.5i");
    check_value ("table[0]", "0.1");
    check_value ("text", "\"abc\\000\\000*\"");
    check_value ("BLUE", "BLUE");
    check_value ("hidden", "(struct opaque ?) 0x0");
    check_value ("own", "<thread-local storage unknown>");
    check_value ("function", "(int (?)(const char ?)) 0x*");
    check_value ("calls", "3");
    check_value ("$rip == $pc && $rbp", "1");
    check_value ("$rbx", "3");
    check_value ("$rcx", "<not saved>");
}

static void
check_aggregates (const char *place)
{
    if (strcmp (place, "outer") != 0)
        return;
    check_value ("origin.bits", "{low = 5, middle = 99, high = -3}");
    check_value ("origin", "{x = 1, y = -2, name = 0x* \"zero \\\"o\\\"\", next = 0x*, bits = "
                           "{low = 5, middle = 99, high = -3}, {f = 1.5, u = 1069547520}}");
    check_value ("matrix", "{{1, 2, 3}, {4, 5, 6}}");
    check_value ("matrix[1]", "{4, 5, 6}");
    check_value ("matrix[1][2]", "6");
    check_value ("table", "{0.1, 2.5, 1e+100, 0, 0, 0, 0, 0...}");
    check_value ("table[1:2]", "{2.5, 1e+100}");
    check_value ("*matrix@1", "{{1, 2, 3}}");
    check_value ("vla", "{7, *, *, 9}");
    check_value ("grid[1][n - 2]", "5");
    check_value ("grid + 1", "cannot compute with rows of unknown length");
    check_value ("*where", "{x = 1,*");
    check_value ("where", "(struct point ?) 0x*");
    check_value ("where->next->next->y", "-2");
    check_value ("origin.u", "1069547520");
}

static void
check_operators (const char *place)
{
    if (strcmp (place, "outer") != 0)
        return;
    check_value ("1 + 2 * 3 - 4 / 2 % 3", "5");
    check_value ("(1 + 2) << 3 | 1 ^ 3 & 2", "27");
    check_value ("7 / 2.0", "3.5");
    check_value ("-7 / 2", "-3");
    check_value ("-1 < 0u", "0");
    check_value ("-1 < 0", "1");
    check_value ("0xffffffff + 1", "0");
    check_value ("1 ? 2 : 3.5", "2");
    check_value ("0 || counter == 42 && !0", "1");
    check_value ("~0u", "4294967295");
    check_value ("(char) 65", "65 'A'");
    check_value ("(unsigned char) -1 == 255", "1");
    check_value ("(struct point *) 0", "(struct point ?) 0x0");
    check_value ("sizeof (struct point)", "32");
    check_value ("sizeof matrix / sizeof (int)", "6");
    check_value ("&origin == where", "1");
    check_value ("&matrix[1] - &matrix[0]", "1");
    check_value ("*(&counter + 0)", "42");
    check_value ("(word) 3", "3");
    check_value ("'a' + 1", "98");
    check_value ("1 / 0", "<division by zero>");
    check_value ("*(int *) 8", "<cannot read memory at 0x8>");
    check_value ("nowhere", "no symbol \"nowhere\"");
    check_value ("where->nothing", "no member \"nothing\" in struct point");
    check_value ("counter +", "cannot read expression: a value is missing after \"counter +\"");
    check_value ("(counter", "cannot read expression: \")\" is missing after \"(counter\"");
    check_value ("'c", "cannot read expression: the quote (') is not closed");
    check_value ("counter )", "cannot read expression: unexpected \")\"");
    check_value ("*counter", "cannot dereference a value of type int");
    check_value ("i", "no symbol \"i\"");
    check_no_type ("typeof (+");
    check_no_type ("typeof ('word (");
    check_type ("where", FALSE, "struct point *");
    check_type ("matrix", FALSE, "int [2][3]");
    check_type ("vla", FALSE, "int [4]");
    check_type ("function", FALSE, "int (*)(const char *)");
    check_type ("struct bits", TRUE,
                "struct bits {\n    unsigned int low : 3;\n    unsigned int middle : 7;\n"
                "    int high : 5;\n}");
}

/* As the engine asks: with what is kept behind the expression. */
static void
check_kept_value (const char *expression, const char *expected)
{
    g_autofree char *text = user_kept
                                ? g_strdup_printf ("%s%cx %s%c", expression, EVALUATE_KEPT_MARK,
                                                   kept_type, EVALUATE_KEPT_MARK)
                                : g_strdup_printf ("%s%c", expression, EVALUATE_KEPT_MARK);
    check_value (text, expected);
}

static void
check_kept (const char *place)
{
    static const struct {
        const char *expression, *value;
    } cases[] = {
        { "$x", "void" },
        { "$x + 1", "cannot compute with values of types void and int" },
        { "$_isvoid ($x)", "1" },
        { "$x = counter", "42" },
        { "$x + 1", "43" },
        { "$_isvoid ($x)", "0" },
        { "$x += 2.5", "44.5" },
        { "$x", "44.5" },
        { "$x = 5", "5" },
        { "$x++", "5" },
        { "++$x", "7" },
        { "$x--", "7" },
        { "$x == 6 && sizeof $x == 4", "1" },
        { "matrix[1][$x - 4]", "6" },
        { "$x = origin", "{x = 1, y = -2,*" },
        { "$x.y", "-2" },
        { "$x.bits.high", "-3" },
        { "$x = origin.bits.middle", "99" },
        { "$x", "99" },
        { "$x = &origin", "(struct point ?) 0x*" },
        { "$x->next->y", "-2" },
        { "$x = matrix", "{{1, 2, 3}, {4, 5, 6}}" },
        { "$x[1][1]", "5" },
        { "$x = {7, 8}", "{7, 8}" },
        { "$x[1]", "8" },
        { "$x = whirl", "1.5 + 2.5i" },
        { "$_cimag ($x)", "2.5" },
        { "$x = (void) 0", "void" },
        { "$x", "void" },
        { "$_creal (7i + 3)", "3" },
        { "$_exitcode", "void" },
        { "$_creal (1)", "a value of type int has no real or imaginary part" },
        { "$bpnum", "void" },
        { "$numfound", "void" },
        { "$rbx", "3" },
        { "$_siginfo", "no $_siginfo: the thread was not stopped by a signal" },
    };
    check_value ("$x", "no register \"$x\"");
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
        check_kept_value (cases[i].expression, cases[i].value);
    check_value ("$x\003x struct nowhere\003",
                 "the type of $x, struct nowhere, is not known here");
    check_value ("$x\003x int\003", "<not known here>");
}

/* The members' places, against what the compiler says. */
static void
check_layout (const char *place)
{
    static const char bits[] = "/* offset      |    size */  type = struct bits {\n"
                               "/*      0: 0   |       4 */    unsigned int low : 3;\n"
                               "/*      0: 3   |       4 */    unsigned int middle : 7;\n"
                               "/*      1: 2   |       4 */    int high : 5;\n"
                               "/* XXX  1-bit padding    */\n/* XXX  2-byte padding   */\n\n"
                               "                               /* total size (bytes):    4 */\n"
                               "                             }";
    static const char point[]
        = "/* offset      |    size */  type = struct point {\n"
          "/* 0x0000      |  0x0004 */    int x;\n/* 0x0004      |  0x0004 */    int y;\n"
          "/* 0x0008      |  0x0008 */    const char *name;\n/* 0x0010      |  0x0008 */    struct point *next;\n"
          "/* 0x0018      |  0x0004 */    struct bits {\n"
          "/* 0x0018: 0x0 |  0x0004 */        unsigned int low : 3;\n"
          "/* 0x0018: 0x3 |  0x0004 */        unsigned int middle : 7;\n"
          "/* 0x0019: 0x2 |  0x0004 */        int high : 5;\n"
          "/* XXX  1-bit padding    */\n/* XXX  2-byte padding   */\n\n"
          "                                   /* total size (bytes):    4 */\n"
          "                               } bits;\n"
          "/* 0x001c      |  0x0004 */    union {\n"
          "/*                0x0004 */        float f;\n/*                0x0004 */        unsigned int u;\n\n"
          "                                   /* total size (bytes):    4 */\n"
          "                               };\n\n"
          "                               /* total size (bytes):   32 */\n"
          "                             }";
    check_type ("/o struct bits", TRUE, bits);
    check_type ("/od struct bits", TRUE, bits);
    check_type ("/ox origin", TRUE, point);
    check_type ("/o int", TRUE, "int");
    check_type ("/o struct bits", FALSE, "struct bits");
}

/* Numbers and arrays that stand in the expression. */
static void
check_literals (const char *place)
{
    static const struct {
        const char *expression, *value;
    } cases[] = {
        { "0x1.1", "1.0625" },
        { "0x1.8p6", "96" },
        { "0x00.1p-1", "0.03125" },
        { "0x1ep", "cannot read expression: invalid number \"0x1ep\"" },
        { "18446744073709551615", "18446744073709551615" },
        { "18446744073709551616",
          "cannot read expression: the number 18446744073709551616 is too large" },
        { "counter + 0x10000000000000000u",
          "cannot read expression: the number 0x10000000000000000u is too large" },
        { "18446744073709551616.0 > 1", "1" },
        { "sizeof 1.5l + sizeof 1.5f", "20" },
        { "23 + 7i", "23 + 7i" },
        { "23.125f - 7.5i", "23.125 + -7.5i" },
        { "(5 + 5i) * (2 + 2i)", "0 + 20i" },
        { "(20 - 4i) / (3 + 2i)", "4 + -4i" },
        { "~(1 + 2i)", "1 + -2i" },
        { "7i / 0", "<division by zero>" },
        { "(1 + 2i) == (1 + 2i)", "1" },
        { "(_Complex int) (23.75 + 8.88i)", "23 + 8i" },
        { "whirl + 1i", "1.5 + 3.5i" },
        { "{1, 2, 3}", "{1, 2, 3}" },
        { "{'a', 'b'}", "\"ab\"" },
        { "{{1, 2}, {3, 4}}[1][0]", "3" },
        { "{counter, 5}[0] + 1", "43" },
        { "sizeof {1, 2, 3}", "12" },
        { "{origin.bits.low, 1u}", "{5, 1}" },
        { "{1, 2.5}", "cannot make an array of values of types int and double" },
        { "*{7, 8}", "7" },
        { "{1, 2} + 1", "<not in memory>" },
        { "{}", "cannot read expression: unexpected \"}\"" },
        { "*\"foo\"", "102 'f'" },
        { "\"a\\0b\"", "\"a\\000b\"" },
        { "sizeof \"a\\0b\"", "4" },
        { "(char *) \"foo\"", "<not in memory>" },
        { "(short []) 0x12345678", "{22136, 4660}" },
        { "(short [3]) 0x12345678", "cannot convert a value of type int to short [3]" },
        { "1.2df", "1.2" },
        { "12345.67df", "12345.67" },
        { "1.2345678df", "1.234568" },
        { "1.234567E+97df", "Infinity" },
        { "9.9999995e96df", "Infinity" },
        { "1.2E96df", "1.200000E+96" },
        { "1.0E-101df", "1E-101" },
        { "0.5E-101df", "0E-101" },
        { "1.5E-101df", "2E-101" },
        { "1.234567890123456E384dd", "1.234567890123456E+384" },
        { "9.9999999999999999E384dd", "Infinity" },
        { "1.2345678901234567890123456789012345dl", "1.234567890123456789012345678901234" },
        { "9.999999999999999999999999999999999E6144dl",
          "9.999999999999999999999999999999999E+6144" },
        { "12dd", "12" },
        { "-1.2dl", "-1.2" },
        { "1.4df / 1.2df", "1.166667" },
        { "2.1df + 2.7dd", "4.8" },
        { "3 + 2.1dl", "5.1" },
        { "1.2dd == 1", "0" },
        { "1.2df == 1.2dl", "1" },
        { "!0.df", "1" },
        { "1.5dd ? 3 : 4", "3" },
        { "(int) 8.3dd", "8" },
        { "(_Decimal32) 1.23456789dl", "1.234568" },
        { "(_Decimal64) 3.1", "3.100000000000000" },
        { "1.2df + 1.2", "cannot compute with values of types _Decimal32 and double" },
        { "~1.2df", "cannot compute with a value of type _Decimal32" },
        { "(double) 0.5dd", "0.5" },
    };
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
        check_value (cases[i].expression, cases[i].value);
    check_type ("2 + 1.7dd", FALSE, "_Decimal64");
    check_type ("__complex__ short", FALSE, "_Complex short");
    check_type ("{{0, 1, 2}, {3, 4, 5}}", FALSE, "int [2][3]");
    check_type ("(int * volatile const) 0", FALSE, "int * const volatile");
    check_type ("(int * __restrict__) 0", FALSE, "int * restrict");
}

static void
check_scopes (const char *place)
{
    gboolean inner = strcmp (place, "inner") == 0;
    check_value ("total", inner ? "-1" : "272");
    g_autofree char *arguments = list_variables (EVALUATE_VARIABLES_ARGUMENTS);
    g_autofree char *locals = list_variables (EVALUATE_VARIABLES_LOCALS);
    g_autofree char *globals = list_variables (EVALUATE_VARIABLES_GLOBALS);
    g_assert_true (g_pattern_match_simple (
        "n=4;f=1.5;where=(struct point ?) 0x*;callback=(subject_callback) 0x*;", arguments));
    if (inner)
        g_assert_nonnull (strstr (locals, "total=-1;"));
    else
        g_assert_nonnull (strstr (locals, "total=272;calls=3;vla={7, "));
    g_assert_nonnull (strstr (globals, "counter=42;table={"));
    g_assert_nonnull (strstr (globals,
                              "matrix={{1, 2, 3}, {4, 5, 6}};wide=9223372036854775808;"));
    g_assert_nonnull (strstr (globals, ";own="));
    g_assert_null (strstr (globals, "calls="));
    g_assert_null (strstr (globals, "pc="));
}

static void
ignore_change (gpointer user)
{
}

/* The text of a value of which the expression may change variables, or may not. */
static char *
get_value_text (const char *expression, gboolean may_change)
{
    EvaluateContext context = get_context ();
    g_autoptr (GError) error = NULL;
    g_autofree char *failure = NULL;
    g_autoptr (EvaluateProgram) program = bind_text (expression, &failure);
    g_assert_null (failure);
    context.note_change = may_change ? ignore_change : NULL;
    g_autoptr (JobValue) value = evaluate_program_run (program, &context, NULL, &error);
    g_assert_no_error (error);
    return g_strdup (value->text);
}

static void
check_assignments (const char *place)
{
    static const struct {
        const char *left, *right, *after;
    } cases[] = { { "counter", "counter * 2", "84" },
                  { "counter", "42", "42" },
                  { "third", "2", "2" },
                  { "origin.bits.middle", "17", "17" },
                  { "origin.bits", "origin.bits", "{low = 5, middle = 17, high = -3}" },
                  { "origin.bits.middle", "99", "99" },
                  { "paint", "0", "RED" },
                  { "paint", "GREEN", "GREEN" },
                  { "total", "total + 0", "272" } };
    /* the value told, and what is there then */
    static const struct {
        const char *text, *now, *after;
    } steps[] = { { "++counter", "43", "43" },
                  { "counter++", "43", "44" },
                  { "counter--", "44", "43" },
                  { "--counter", "42", "42" },
                  { "counter += 8", "50", "50" },
                  { "counter <<= 1", "100", "100" },
                  { "counter -= 60, counter + 1", "41", "40" },
                  { "counter = counter == 40 ? 42 : 0", "42", "42" } };
    if (strcmp (place, "outer") != 0)
        return;
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autofree char *text = g_strdup_printf ("%s = %s", cases[i].left, cases[i].right);
        g_autofree char *kept = get_value_text (text, FALSE);
        g_assert_cmpstr (kept, ==, "<cannot assign: nothing can be changed here>");
        g_autofree char *now = get_value_text (text, TRUE);
        g_assert_cmpstr (now, ==, cases[i].after);
        check_value (cases[i].left, cases[i].after);
    }
    for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
        g_autofree char *now = get_value_text (steps[i].text, TRUE);
        g_assert_cmpstr (now, ==, steps[i].now);
        check_value ("counter", steps[i].after);
    }
    g_autofree char *failure = NULL;
    g_assert_null (bind_text ("3 = 3", &failure));
    g_assert_cmpstr (failure, ==, "cannot assign to a number");
}

static void
test_place (gconstpointer data)
{
    at_place = data;
    g_assert_cmpint (subject_run (on_place), !=, 0);
}

static void
test_children (void)
{
    g_autoptr (EvaluateProgram) program = bind_text ("origin", NULL);
    EvaluateContext context = get_context ();
    g_autoptr (JobValue) value = evaluate_program_run (program, &context, NULL, NULL);
    g_assert_true (value->expandable);
    g_assert_cmpuint (value->children->len, ==, 6);
    const JobValue *x = value->children->pdata[0], *next = value->children->pdata[3];
    g_assert_cmpstr (x->name, ==, "x");
    g_assert_cmpstr (x->type, ==, "int");
    g_assert_true (x->is_number && x->number == 1);
    g_assert_true (next->expandable && !next->children);
}

/* Programs that somebody changed on the way do no harm. */
static void
test_hostile (void)
{
    static const char *const expressions[] = {
        "origin", "matrix[1:1]", "counter ? third : 1.5", "where->next->bits", "vla", "*table@3"
    };
    EvaluateContext context = get_context ();
    g_autoptr (GRand) random = g_rand_new_with_seed (7);
    for (guint i = 0; i < G_N_ELEMENTS (expressions); i++) {
        gboolean good;
        g_autoptr (GVariant) content
            = ask ("bind", g_variant_new ("(^aytu^ay)", own_path, pc - bias, 0, expressions[i]),
                   &good);
        gsize size = g_variant_get_size (content);
        for (guint round = 0; round < 1500; round++) {
            guint8 *bytes = g_memdup2 (g_variant_get_data (content), size);
            for (guint n = 0; n < 1 + round % 5; n++)
                bytes[g_rand_int_range (random, 0, size)] = g_rand_int (random);
            g_autoptr (GVariant) broken
                = g_variant_ref_sink (g_variant_new_from_data (g_variant_get_type (content),
                                                               bytes, size, FALSE, g_free,
                                                               bytes));
            g_autoptr (EvaluateProgram) program = evaluate_program_decode (broken, NULL);
            if (!program)
                continue;
            JobValue *value = evaluate_program_run (program, &context, NULL, NULL);
            job_value_free (value);
        }
    }
}

static int
find_bias (struct dl_phdr_info *info, size_t size, void *user)
{
    bias = info->dlpi_addr;
    return 1;
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    has_language = pseudo_open ();
    dl_iterate_phdr (find_bias, NULL);
    own_path = g_file_read_link ("/proc/self/exe", NULL);
    folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    server = symbol_server_new ();
    g_test_add_data_func ("/symbol/bind/scalars", check_scalars, test_place);
    g_test_add_data_func ("/symbol/bind/aggregates", check_aggregates, test_place);
    g_test_add_data_func ("/symbol/bind/operators", check_operators, test_place);
    g_test_add_data_func ("/symbol/bind/literals", check_literals, test_place);
    g_test_add_data_func ("/symbol/bind/kept", check_kept, test_place);
    g_test_add_data_func ("/symbol/bind/layout", check_layout, test_place);
    g_test_add_data_func ("/symbol/bind/scopes", check_scopes, test_place);
    g_test_add_data_func ("/symbol/bind/assignments", check_assignments, test_place);
    g_test_add_func ("/symbol/bind/children", test_children);
    g_test_add_func ("/symbol/bind/hostile", test_hostile);
    int status = g_test_run ();
    symbol_server_free (server);
    g_rmdir (folder);
    g_free (folder);
    g_free (own_path);
    return status;
}
