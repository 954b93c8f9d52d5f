/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filter files: two kinds of blocks, SCOREP_FILE_NAMES_BEGIN … _END and SCOREP_REGION_NAMES_BEGIN … _END, of rules EXCLUDE
 * and INCLUDE with patterns of a shell; the last rule that matches decides. See "scorep --help" and
 * the appendix "Filtering" of Score-P's manual. */
#include "profile/trace-settings.h"
#include "agent/trace-layout.h"
#include "base/error.h"
#include "base/file.h"
#include "profile/trace-files.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_SETTINGS (1u << 20)

#define DEFAULT_RULES "file -<frozen importlib*>\n"

typedef struct {
    const char *block;   /* "file", "region"; NULL: outside */
    char sign;           /* of the patterns that follow; 0: none yet */
    gboolean is_mangled; /* the word MANGLED is to follow, or a pattern */
    GString *text;
} Parser;

/* The next word of the line, its backslashes resolved; NULL: no more. Caller owns. */
static char *
take_word (const char **at)
{
    GString *word;

    *at += strspn (*at, " \t\r");
    if (**at == '\0' || **at == '#') {
        return NULL;
    }
    word = g_string_new (NULL);
    while (**at != '\0' && strchr (" \t\r", **at) == NULL) {
        if (**at == '\\' && (*at)[1] != '\0') {
            /* fnmatch knows what an escaped wildcard is */
            if (strchr ("*?[]\\", (*at)[1]) != NULL) {
                g_string_append_c (word, '\\');
            }
            (*at)++;
        }
        g_string_append_c (word, *(*at)++);
    }
    return g_string_free (word, FALSE);
}

static const char *
take_block (Parser *parser, const char *word)
{
    static const struct {
        const char *begin, *end, *block;
    } blocks[] = {
        { "SCOREP_FILE_NAMES_BEGIN", "SCOREP_FILE_NAMES_END", "file" },
        { "SCOREP_REGION_NAMES_BEGIN", "SCOREP_REGION_NAMES_END", "region" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
        if (strcmp (word, blocks[i].begin) == 0) {
            if (parser->block != NULL) {
                return "a block begins inside another one";
            }
            parser->block = blocks[i].block;
            parser->sign = 0;
            return "";
        }
        if (strcmp (word, blocks[i].end) == 0) {
            if (g_strcmp0 (parser->block, blocks[i].block) != 0) {
                return "no such block has begun";
            }
            parser->block = NULL;
            return "";
        }
    }
    return NULL;
}

/* NULL: the word is fine; else what is wrong. */
static const char *
take (Parser *parser, const char *word)
{
    const char *answer = take_block (parser, word);

    if (answer != NULL) {
        return *answer != '\0' ? answer : NULL;
    }
    if (parser->block == NULL) {
        return "a rule stands outside of SCOREP_FILE_NAMES_BEGIN and SCOREP_REGION_NAMES_BEGIN";
    }
    if (strcmp (word, "EXCLUDE") == 0 || strcmp (word, "INCLUDE") == 0) {
        parser->sign = *word == 'E' ? '-' : '+';
        parser->is_mangled = TRUE;
        return NULL;
    }
    if (parser->sign == 0) {
        return "a pattern stands before EXCLUDE or INCLUDE";
    }
    if (!parser->is_mangled || strcmp (word, "MANGLED") != 0) { /* Python has one name alone */
        g_string_append_printf (parser->text, "%s %c%s\n", parser->block, parser->sign, word);
    }
    parser->is_mangled = FALSE;
    return NULL;
}

static gboolean
parse_filter (const char *path, GString *text, GError **error)
{
    Parser parser = { .text = text };
    g_autofree char *content = NULL;
    g_autoptr (GError) reason = NULL;
    g_auto (GStrv) lines = NULL;

    if (!g_file_get_contents (path, &content, NULL, &reason)) {
        g_set_error (error, BASE_ERROR,
                     g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT)
                         ? BASE_ERROR_NOT_FOUND
                         : BASE_ERROR_DENIED,
                     "cannot read the filter file %s: %s", path, reason->message);
        return FALSE;
    }
    lines = g_strsplit (content, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        const char *at = lines[i], *wrong = NULL;
        char *word;

        while (wrong == NULL && (word = take_word (&at)) != NULL) {
            wrong = take (&parser, word);
            g_free (word);
        }
        if (wrong != NULL) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "%s:%u: %s", path, i + 1,
                         wrong);
            return FALSE;
        }
    }
    if (parser.block != NULL) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "%s: the last block does not end",
                     path);
        return FALSE;
    }
    return TRUE;
}

char *
profile_trace_settings_format (const ProfileTraceSettings *settings, GError **error)
{
    GString *text = g_string_new (DEFAULT_RULES);

    if (settings->filter != NULL && !parse_filter (settings->filter, text, error)) {
        g_string_free (text, TRUE);
        return NULL;
    }
    for (guint i = 0; settings->lines != NULL && i < settings->lines->len; i++) {
        g_string_append_printf (text, "lines %s\n",
                                (const char *) g_ptr_array_index (settings->lines, i));
    }
    if (settings->has_c_calls) {
        g_string_append (text, "calls c\n");
    }
    if (settings->has_memory) {
        g_string_append (text, "memory python\n");
    }
    if (settings->has_native_memory) {
        g_string_append (text, "memory native\n");
    }
    if (settings->when_full != NULL && g_str_has_prefix (settings->when_full, "keep-")) {
        g_string_append_printf (text, "buffer %s %" G_GUINT64_FORMAT "\n",
                                settings->when_full + strlen ("keep-"), settings->buffer);
    }
    return g_string_free (text, FALSE);
}

char *
profile_trace_settings_find_unmatched (const char *settings, const char *folder)
{
    g_auto (GStrv) lines = g_strsplit (settings, "\n", -1);
    GString *text = g_string_new (NULL);

    for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++) { /* the first is pddt's own */
        g_autofree char *name = g_strdup_printf (PDDT_TRACE_MATCHED "%u", i);
        g_autofree char *path = g_build_filename (folder, name, NULL);
        const char *value = strchr (lines[i], ' ');
        const char *word = value == NULL                           ? NULL
                           : g_str_has_prefix (lines[i], "lines ") ? "--lines "
                           : !g_str_has_prefix (lines[i], "file ")
                                   && !g_str_has_prefix (lines[i], "region ")
                               ? NULL
                           : value[1] == '-' ? "EXCLUDE "
                                             : "INCLUDE ";

        if (word != NULL && !g_file_test (path, G_FILE_TEST_EXISTS)) {
            g_string_append_printf (text, "%s%s%s", text->len > 0 ? ", " : "", word,
                                    value + (*word == '-' ? 1 : 2));
        }
    }
    return g_string_free (text, text->len == 0);
}

char *
profile_trace_settings_read_unmatched (const char *folder)
{
    g_autofree char *spool = g_build_filename (folder, PROFILE_TRACE_FOLDER, NULL);
    g_autofree char *settings = NULL;
    BasePlace place = { .folder = open (spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                        .name = (char *) "settings" };

    if (place.folder < 0) {
        return NULL;
    }
    settings = base_file_read_place (&place, MAX_SETTINGS);
    close (place.folder);
    return settings != NULL ? profile_trace_settings_find_unmatched (settings, spool) : NULL;
}
