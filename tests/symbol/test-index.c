/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indexes of builds of the subject (given as arguments: optimised, DWARF 4 and 5, compressed, PIE
 * and not, stripped) against addr2line at every code address, and breakpoints by line and name.
 * Damaged files and indexes do no harm. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/error.h"
#include "index/image.h"
#include "symbol/scanner.h"
#include "symbol/server.h"

static char *folder;
static const char *source;

static IndexImage *
index_file (const char *path)
{
    g_autoptr (GError) error = NULL;
    SymbolElf *elf = symbol_elf_open (path, &error);
    g_assert_no_error (error);
    g_autoptr (SymbolDwarf) dwarf = symbol_dwarf_new (elf);
    g_autofree char *index_path = g_build_filename (folder, "one.idx", NULL);
    symbol_scan_write (dwarf, path, index_path, &error);
    g_assert_no_error (error);
    IndexImage *image = index_image_open (index_path, &error);
    g_assert_no_error (error);
    g_unlink (index_path);
    return image;
}

static guint32
find_mark (const char *mark)
{
    g_autofree char *content = NULL;
    g_assert_true (g_file_get_contents (source, &content, NULL, NULL));
    g_autofree char *text = g_strconcat ("//@ ", mark, "\n", NULL);
    const char *at = strstr (content, text);
    g_assert_nonnull (at);
    guint32 line = 1;
    for (const char *c = content; c < at; c++)
        line += *c == '\n';
    return line;
}

/* What addr2line -f -i says of an address: "function file:line" for each frame. */
static GPtrArray *
ask_oracle (const char *path, GArray *addresses)
{
    GPtrArray *answers = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GPtrArray) arguments = g_ptr_array_new_with_free_func (g_free);
    const char *fixed[] = { "addr2line", "-a", "-f", "-i", "-e", path };
    for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
        g_ptr_array_add (arguments, g_strdup (fixed[i]));
    for (guint i = 0; i < addresses->len; i++)
        g_ptr_array_add (arguments, g_strdup_printf ("0x%" G_GINT64_MODIFIER "x",
                                                     g_array_index (addresses, guint64, i)));
    g_ptr_array_add (arguments, NULL);
    g_autofree char *output = NULL;
    g_autoptr (GError) error = NULL;
    g_spawn_sync (NULL, (char **) arguments->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                  &output, NULL, NULL, &error);
    g_assert_no_error (error);
    g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
    GString *now = NULL;
    for (guint i = 0; lines[i] && lines[i][0]; i++) {
        if (g_str_has_prefix (lines[i], "0x")) {
            if (now)
                g_ptr_array_add (answers, g_string_free (now, FALSE));
            now = g_string_new (NULL);
            continue;
        }
        const char *place = lines[++i];
        char *extra = strstr (place, " (discriminator");
        if (extra)
            *extra = 0;
        const char *slash = strrchr (place, '/');
        g_string_append_printf (now, "%s %s\n", lines[i - 1], slash ? slash + 1 : place);
    }
    g_ptr_array_add (answers, g_string_free (now, FALSE));
    g_assert_cmpuint (answers->len, ==, addresses->len);
    return answers;
}

static char *
describe_address (const IndexImage *image, guint64 address)
{
    IndexFrame frames[20];
    GString *text = g_string_new (NULL);
    guint n = index_image_find_frames (image, address, frames, G_N_ELEMENTS (frames));
    for (guint i = 0; i < n; i++) {
        const char *file = frames[i].file ? strrchr (frames[i].file, '/') : NULL;
        g_string_append_printf (text, "%s ", frames[i].function ? frames[i].function : "??");
        if (frames[i].line)
            g_string_append_printf (text, "%s:%u\n", file ? file + 1 : frames[i].file,
                                    frames[i].line);
        else
            g_string_append_printf (text, "%s:?\n", file ? file + 1 : "??");
    }
    return g_string_free (text, FALSE);
}

/* With gdb's lines: of several rows at one address it takes the last that begins a statement, addr2line
 * the last. */
static void
compare_lines (const IndexImage *image, const char *path, const GArray *addresses)
{
    g_autoptr (GPtrArray) arguments = g_ptr_array_new_with_free_func (g_free);
    const char *fixed[] = { "gdb", "-nx", "-batch", path };
    g_autofree char *output = NULL;
    g_autoptr (GError) error = NULL;
    for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
        g_ptr_array_add (arguments, g_strdup (fixed[i]));
    for (guint i = 0; i < addresses->len; i++) {
        g_ptr_array_add (arguments, g_strdup ("-ex"));
        g_ptr_array_add (arguments, g_strdup_printf ("info line *0x%" G_GINT64_MODIFIER "x",
                                                     g_array_index (addresses, guint64, i)));
    }
    g_ptr_array_add (arguments, NULL);
    g_spawn_sync (NULL, (char **) arguments->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                  &output, NULL, NULL, &error);
    g_assert_no_error (error);
    g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
    for (guint i = 0; i < addresses->len; i++) {
        guint64 address = g_array_index (addresses, guint64, i);
        IndexFrame frame = { 0 };
        index_image_find_frames (image, address, &frame, 1);
        g_autofree char *start = g_strdup_printf ("Line %u of ", frame.line);
        g_assert_nonnull (lines[i]);
        g_assert_true (g_str_has_prefix (lines[i], start));
    }
}

/* Every byte of the program's own functions. */
static void
test_addresses (gconstpointer data)
{
    static const char *const functions[] = { "work", "subject_run", "main" };
    IndexImage *image = index_file (data);
    g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint64));
    g_autoptr (GArray) addresses = g_array_new (FALSE, FALSE, sizeof (guint64));
    for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
        guint64 low, size;
        g_assert_true (index_image_find_symbol (image, functions[i], &low, &size));
        for (guint64 at = low; at < low + size; at++)
            g_array_append_val (addresses, at);
    }
    g_autoptr (GPtrArray) expected = ask_oracle (data, addresses);
    for (guint i = 0; i < addresses->len; i++) {
        g_autofree char *found = describe_address (image,
                                                   g_array_index (addresses, guint64, i));
        if (strcmp (found, expected->pdata[i]) != 0)
            g_array_append_val (others, g_array_index (addresses, guint64, i));
    }
    g_assert_cmpuint (others->len, <, addresses->len);
    compare_lines (image, data, others);
    index_image_unref (image);
}

/* gdb's own breakpoint addresses, as text of hexadecimal numbers in rising order. */
static char *
ask_gdb (const char *path, const char *where)
{
    g_autofree char *command = g_strdup_printf ("break %s", where);
    const char *arguments[] = { "gdb",
                                "-nx",
                                "-batch",
                                "-ex",
                                "set breakpoint pending off",
                                "-ex",
                                command,
                                "-ex",
                                "info breakpoints",
                                path,
                                NULL };
    g_autofree char *output = NULL;
    g_autoptr (GError) error = NULL;
    g_spawn_sync (NULL, (char **) arguments, NULL,
                  G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL,
                  NULL, &error);
    g_assert_no_error (error);
    const char *table = strstr (output, "Num ");
    g_autoptr (GRegex) pattern = g_regex_new ("0x0*([0-9a-f]+) in ", 0, 0, NULL);
    g_autoptr (GMatchInfo) match = NULL;
    GString *text = g_string_new (NULL);
    for (g_regex_match (pattern, table ? table : "", 0, &match); g_match_info_matches (match);
         g_match_info_next (match, NULL)) {
        g_autofree char *number = g_match_info_fetch (match, 1);
        g_string_append_printf (text, "%s ", number);
    }
    return g_string_free (text, FALSE);
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
    const IndexPlace *left = a, *right = b;
    return left->address < right->address ? -1 : left->address > right->address;
}

static char *
list_places (GArray *places)
{
    GString *text = g_string_new (NULL);
    g_array_sort (places, compare_places);
    for (guint i = 0; i < places->len; i++)
        g_string_append_printf (text, "%" G_GINT64_MODIFIER "x ",
                                g_array_index (places, IndexPlace, i).address);
    return g_string_free (text, FALSE);
}

static void
test_breakpoints (gconstpointer data)
{
    static const char *const functions[] = { "work", "main", "subject_run" };
    static const char *const marks[] = { "work-first", "inlined", "call", "after-gap" };
    IndexImage *image = index_file (data);
    for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
        g_autoptr (GArray) places = index_image_find_function (image, functions[i]);
        g_autofree char *found = list_places (places);
        g_autofree char *expected = ask_gdb (data, functions[i]);
        if (strcmp (found, expected) != 0)
            g_test_fail_printf ("break %s: %s, gdb: %s", functions[i], found, expected);
    }
    for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
        g_autofree char *where = g_strdup_printf ("subject.c:%u", find_mark (marks[i]));
        g_autoptr (GArray) places = index_image_find_line (image, "subject.c",
                                                           find_mark (marks[i]));
        g_autofree char *found = list_places (places);
        g_autofree char *expected = ask_gdb (data, where);
        if (strcmp (found, expected) != 0)
            g_test_fail_printf ("break %s: %s, gdb: %s", where, found, expected);
    }
    /* gdb takes the first range of an inlined call, we the entry that the compiler names */
    IndexFrame frame;
    g_autoptr (GArray) places = index_image_find_function (image, "square");
    g_assert_cmpuint (places->len, ==, 1);
    g_assert_cmpuint (index_image_find_frames (image,
                                               g_array_index (places, IndexPlace, 0).address,
                                               &frame, 1),
                      ==, 1);
    g_assert_cmpstr (frame.function, ==, "square");
    g_assert_true (frame.inlined);
    index_image_unref (image);
}

/* A line without code: the next one with code in the same function; outside all: none. */
static void
test_moved_lines (gconstpointer data)
{
    IndexImage *image = index_file (data);
    guint32 gap = find_mark ("after-gap") - 2; /* the blank line */
    g_autoptr (GArray) places = index_image_find_line (image, "symbol/subject.c", gap);
    g_assert_cmpuint (places->len, >=, 1);
    g_assert_cmpuint (g_array_index (places, IndexPlace, 0).line, >, gap);
    g_assert_cmpstr (g_array_index (places, IndexPlace, 0).function, ==, "work");
    g_autoptr (GArray) none = index_image_find_line (image, "subject.c", 5);
    g_assert_cmpuint (none->len, ==, 0);
    g_autoptr (GArray) beyond = index_image_find_line (image, "subject.c", 100000);
    g_assert_cmpuint (beyond->len, ==, 0);
    g_assert_true (index_image_has_file (image, "subject.c"));
    g_assert_false (index_image_has_file (image, "ubject.c"));
    index_image_unref (image);
}

static void
test_steps (gconstpointer data)
{
    IndexImage *image = index_file (data);
    guint64 low, size, from, to;
    guint32 line;
    g_assert_true (index_image_find_symbol (image, "work", &low, &size));
    for (guint64 at = low; at < low + size; at++) {
        g_assert_true (index_image_find_step_range (image, at, &from, &to, &line));
        g_assert_true (from <= at && at < to && from >= low);
    }
    g_assert_true (index_image_is_statement (image, low));
    g_assert_false (index_image_find_step_range (image, 1, &from, &to, &line));
    index_image_unref (image);
}

/* Without debug information names come with their sizes; what no symbol covers has no name. */
static void
test_stripped (gconstpointer data)
{
    g_autofree char *copy = g_build_filename (folder, "stripped", NULL);
    const char *arguments[] = { "strip", "-g", "-o", copy, data, NULL };
    g_autoptr (GError) error = NULL;
    g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                  NULL, &error);
    g_assert_no_error (error);
    IndexImage *image = index_file (copy);
    guint64 low, size;
    IndexFrame frame;
    g_assert_false (index_image_has_lines (image));
    g_assert_true (index_image_find_symbol (image, "work", &low, &size));
    g_assert_cmpuint (index_image_find_frames (image, low + size - 1, &frame, 1), ==, 1);
    g_assert_cmpstr (frame.function, ==, "work");
    g_assert_cmpuint (index_image_find_frames (image, 0x10, &frame, 1), ==, 0);
    g_assert_cmpuint (index_image_find_body (image, low), >=, low);
    index_image_unref (image);
    g_unlink (copy);
}

/* Asks all there is to ask; only crashes and hangs would be wrong. */
static void
use_image (const IndexImage *image)
{
    IndexFrame frames[8];
    guint64 low, high;
    guint32 line;
    for (guint64 at = 0x1000; at < 0x1600; at += 7) {
        index_image_find_frames (image, at, frames, 8);
        index_image_find_step_range (image, at, &low, &high, &line);
        index_image_find_body (image, at);
        index_image_is_statement (image, at);
    }
    g_array_unref (index_image_find_function (image, "work"));
    g_array_unref (index_image_find_line (image, "subject.c", 50));
}

static void
test_hostile_index (gconstpointer data)
{
    g_autofree char *index_path = g_build_filename (folder, "hostile.idx", NULL);
    g_autoptr (SymbolDwarf) dwarf = symbol_dwarf_new (symbol_elf_open (data, NULL));
    g_assert_true (symbol_scan_write (dwarf, data, index_path, NULL));
    g_autofree char *content = NULL;
    gsize size;
    g_assert_true (g_file_get_contents (index_path, &content, &size, NULL));
    g_autoptr (GRand) random = g_rand_new_with_seed (3);
    for (guint round = 0; round < 400; round++) {
        g_autofree char *bytes = g_memdup2 (content, size);
        for (guint n = 0; n < 1 + round % 8; n++)
            bytes[g_rand_int_range (random, round % 2 ? 24 : 0, round % 3 ? size : 300)]
                = g_rand_int (random);
        gsize length = round % 50 == 49 ? (gsize) g_rand_int_range (random, 0, size) : size;
        g_assert_true (g_file_set_contents (index_path, bytes, length, NULL));
        IndexImage *image = index_image_open (index_path, NULL);
        if (image)
            use_image (image);
        index_image_unref (image);
    }
    g_unlink (index_path);
}

/* Bytes of the ELF file from its debug sections on are changed at random. */
static void
test_hostile_debug (gconstpointer data)
{
    g_autofree char *copy = g_build_filename (folder, "hostile", NULL);
    g_autofree char *index_path = g_build_filename (folder, "hostile.idx", NULL);
    g_autofree char *content = NULL;
    gsize size;
    g_assert_true (g_file_get_contents (data, &content, &size, NULL));
    g_autoptr (GRand) random = g_rand_new_with_seed (5);
    SymbolElf *whole = symbol_elf_open (data, NULL);
    gsize first = symbol_elf_find_section (whole, ".debug_info")->offset;
    symbol_elf_free (whole);
    for (guint round = 0; round < 300; round++) {
        g_autofree char *bytes = g_memdup2 (content, size);
        for (guint n = 0; n < 1 + round % 30; n++)
            bytes[g_rand_int_range (random, round % 10 ? first : 0, size)]
                = g_rand_int (random);
        g_assert_true (g_file_set_contents (copy, bytes, size, NULL));
        SymbolElf *elf = symbol_elf_open (copy, NULL);
        if (!elf)
            continue;
        g_autoptr (SymbolDwarf) dwarf = symbol_dwarf_new (elf);
        g_assert_true (symbol_scan_write (dwarf, copy, index_path, NULL));
        g_autoptr (GError) error = NULL;
        IndexImage *image = index_image_open (index_path, &error);
        g_assert_no_error (error);
        use_image (image);
        index_image_unref (image);
    }
    g_unlink (copy);
    g_unlink (index_path);
}

static void
test_not_elf (void)
{
    g_autoptr (GError) error = NULL;
    g_assert_null (symbol_elf_open (source, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    g_clear_error (&error);
    g_assert_null (symbol_elf_open ("/nonexistent", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_clear_error (&error);
    g_assert_null (index_image_open (source, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
}

/* This program is large enough for several threads: whoever was faster, the index says the same, and
 * what addr2line or gdb says. */
static void
test_threads (void)
{
    const char *path = "/proc/self/exe";
    g_autofree char *real = g_file_read_link (path, NULL);
    IndexImage *first = index_file (real);
    g_autoptr (GArray) bodies = index_image_list_bodies (first);
    g_autoptr (GArray) asked = g_array_new (FALSE, FALSE, sizeof (guint64));
    g_assert_cmpuint (bodies->len, >, 100);
    for (guint i = 0; i < bodies->len; i++)
        g_array_append_val (asked, g_array_index (bodies, guint64, i));
    g_autoptr (GPtrArray) expected = ask_oracle (real, asked);
    for (guint round = 0; round < 10; round++) {
        IndexImage *again = index_file (real);
        for (guint i = 0; i < bodies->len; i++) {
            g_autofree char *a = describe_address (first, g_array_index (bodies, guint64, i));
            g_autofree char *b = describe_address (again, g_array_index (bodies, guint64, i));
            g_assert_cmpstr (a, ==, b);
        }
        for (guint i = asked->len; i-- > 0 && !round;) {
            g_autofree char *found = describe_address (again,
                                                       g_array_index (asked, guint64, i));
            if (strcmp (found, expected->pdata[i]) == 0)
                g_array_remove_index (asked, i);
        }
        index_image_unref (again);
    }
    g_assert_cmpuint (asked->len, <, bodies->len);
    compare_lines (first, real, asked);
    index_image_unref (first);
}

static void
add_test (const char *name, const char *path, void (*test) (gconstpointer))
{
    g_autofree char *base = g_path_get_basename (path);
    g_autofree char *whole = g_strdup_printf ("/symbol/index/%s/%s", name, base);
    g_test_add_data_func (whole, path, test);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    source = argv[1];
    folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    for (int i = 2; i < argc; i++) {
        add_test ("addresses", argv[i], test_addresses);
        add_test ("breakpoints", argv[i], test_breakpoints);
        add_test ("steps", argv[i], test_steps);
        add_test ("stripped", argv[i], test_stripped);
        add_test ("moved-lines", argv[i], test_moved_lines);
        add_test ("hostile-index", argv[i], test_hostile_index);
        add_test ("hostile-debug", argv[i], test_hostile_debug);
    }
    g_test_add_func ("/symbol/index/not-elf", test_not_elf);
    g_test_add_func ("/symbol/index/threads", test_threads);
    int status = g_test_run ();
    g_rmdir (folder);
    g_free (folder);
    return status;
}
