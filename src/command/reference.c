/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `help` says, and the command reference: both from the table of commands. */
#include "command/script-private.h"
#include "session/options.h"
#include <string.h>

static void
append_help (GString *text, const CommandRow *row)
{
    g_autofree char *words = g_strdelimit (g_strdup (row->words), ",", '\n');
    g_auto (GStrv) list = g_strsplit (words, "\n", -1);
    g_autofree char *joined = g_strjoinv (", ", list);

    g_string_append_printf (text, "%s%s%s\n    %s", row->name, *row->usage != '\0' ? " " : "",
                            row->usage, row->summary);
    if (*joined != '\0') {
        g_string_append_printf (text, "\n    also: %s", joined);
    }
    if (command_example_find (row->name) != NULL) {
        g_string_append_printf (text, "\n    example: %s", command_example_find (row->name));
    }
    for (guint i = 0; row->run == command_run_set_option && session_option_get (i) != NULL;
         i++) {
        const SessionOption *option = session_option_get (i);

        g_string_append_printf (text, "\n    %-18s %s\n%24sexample: set option %s %s, to %s",
                                option->name, option->help, "", option->name, option->example,
                                option->use);
    }
}

static char *
format_overview (void)
{
    GString *text
        = g_string_new ("[on SET] COMMAND; any unambiguous prefix of a command works");

    const CommandRow *row;

    for (guint i = 0; (row = command_table_get (i)) != NULL; i++) {
        int first = (int) strcspn (row->summary, "\n");

        g_string_append_printf (text, "\n  %-17s %.*s", row->name, first, row->summary);
    }
    g_string_append (
        text,
        "\nhelp COMMAND says more; help SET and help WHERE describe sets of ranks and places");
    return g_string_free (text, FALSE);
}

/* What stands for words of the user's in the commands' lines. */
static const struct {
    const char *name, *text;
} topics[] = {
    { "SET",
      "SET: PART{, PART} [except PART{, PART}]\n"
      "    3  0-7  0-30/2       a rank, a range, every second of it\n"
      "    all  even  odd       every rank, the even ones, the odd ones\n"
      "    nof N                the neighbours of rank N\n"
      "    NAME                 a set named with set NAME = SET or live set NAME = SET\n"
      "    running stepping blocked stopped breakpoint exception signal exited failed lost\n"
      "                         ranks in that state; stopped includes breakpoint, exception and\n"
      "                         signal\n"
      "    at FILE:LINE         stopped there\n"
      "    in FUNCTION          with that function on the stack\n"
      "    host GLOB            on those hosts\n"
      "    same N               whose stack is equal to rank N's\n"
      "    where (EXPR)         in which EXPR is true\n"
      "    except removes ranks from everything to its left" },
    { "WHERE",
      "WHERE: a place in the program\n"
      "    FILE:LINE            FILE may be the end of a path\n"
      "    FILE:FUNCTION        the function in that file\n"
      "    MODULE:FUNCTION      of that Python module; MODULE.FUNCTION is the same\n"
      "    LINE                 in the file of the selected frame\n"
      "    FUNCTION             also the end of a C++ or Python name; f(int) is one of several\n"
      "                         overloads, ::f is not ns::f\n"
      "    *ADDRESS             an instruction; in break, also *EXPR: what it is in each rank" },
};

char *
command_format_help (const char *name)
{
    GString *text;
    const CommandRow *row;
    g_autofree char *stripped = g_strstrip (g_strdup (name != NULL ? name : ""));

    if (*stripped == '\0') {
        return format_overview ();
    }
    for (guint i = 0; i < G_N_ELEMENTS (topics); i++) {
        if (strcmp (stripped, topics[i].name) == 0) {
            return g_strdup (topics[i].text);
        }
    }
    text = g_string_new (NULL);
    name = stripped;
    row = command_table_find (&name, NULL);
    if (row != NULL) {
        append_help (text, row);
        return g_string_free (text, FALSE);
    }
    for (guint i = 0; (row = command_table_get (i)) != NULL; i++) {
        if (g_str_has_prefix (row->name, stripped) || strstr (row->words, stripped) != NULL) {
            g_string_append (text, text->len > 0 ? "\n" : "");
            append_help (text, row);
        }
    }
    return g_string_free (text, text->len == 0);
}

static void
append_cell (GString *text, const char *cell)
{
    for (; *cell != '\0'; cell++) {
        g_string_append_printf (text, *cell == '|' ? "\\%c" : "%c", *cell);
    }
}

/* The values that it may have, the one at first in front. */
static void
append_option_values (GString *text, const SessionOption *option)
{
    g_auto (GStrv) words = g_strsplit (option->words != NULL ? option->words : "", "|", -1);

    g_string_append_printf (text, "`%s`", option->value);
    if (option->python != NULL) {
        g_string_append_printf (text, " (`%s` at a Python line)", option->python);
    }
    for (guint i = 0; words[i] != NULL && *words[i] != '\0'; i++) {
        if (strcmp (words[i], option->value) != 0) {
            g_string_append_printf (text, ", `%s`", words[i]);
        }
    }
    if (option->words == NULL || *option->words == '\0') {
        g_string_append (text, option->words == NULL ? ", or a text" : ", or another number");
    }
}

static void
append_topics_and_options (GString *text)
{
    g_string_append (text, "\n## Sets of ranks, and places\n");
    for (guint i = 0; i < G_N_ELEMENTS (topics); i++) {
        g_string_append_printf (text, "\n```\n%s\n```\n", topics[i].text);
    }
    g_string_append (text,
                     "\n## Options\n\n`set option NAME VALUE` changes one.\n\n"
                     "| option | values, the first one at the start | meaning | example |\n"
                     "| --- | --- | --- | --- |\n");
    for (guint i = 0; session_option_get (i) != NULL; i++) {
        const SessionOption *option = session_option_get (i);

        g_string_append_printf (text, "| `%s` | ", option->name);
        append_option_values (text, option);
        g_string_append_printf (text, " | %s | `set option %s %s`, to %s |\n", option->help,
                                option->name, option->example, option->use);
    }
}

char **
command_dup_words (void)
{
    GStrvBuilder *builder = g_strv_builder_new ();
    const CommandRow *row;
    char **all;

    for (guint i = 0; (row = command_table_get (i)) != NULL; i++) {
        g_auto (GStrv) words = g_strsplit (row->words, ",", -1);

        g_strv_builder_add (builder, row->name);
        g_strv_builder_addv (builder, (const char **) words);
    }
    all = g_strv_builder_end (builder);
    g_strv_builder_unref (builder);
    qsort (all, g_strv_length (all), sizeof *all, base_order_texts);
    return all;
}

static const struct {
    const char *name, *fields, *meaning;
} events[] = {
    { "stopped", "request, ranks, state, place; breakpoint, signal, exception and message",
      "ranks have stopped" },
    { "running", "request, ranks, state, place", "ranks have resumed, or are blocked" },
    { "exited", "request, ranks, state, status or signal", "ranks have ended" },
    { "detached", "request, ranks, state", "pddt has detached from them; they run on" },
    { "lost", "request, ranks, state, host", "their host does not answer" },
    { "state", "request, ranks, state, and the fields of that state's event",
      "answer to `show state`" },
    { "ranks", "request, ranks", "ranks have reported" },
    { "breakpoint", "request, ranks, breakpoint, places, text, gone",
      "where a breakpoint is set; without places it is pending" },
    { "profile", "request, ranks, seconds, samples, missed, classes, groups, frames",
      "answer to `profile`: seconds of each class and frame; of a frame its `depth`, place, "
      "`total`, `self`, and the total of each rank in `ranks`, or of each group together "
      "where `groups` has the ranks of each; `is_sampled` where samples have seen it between "
      "calls of a trace" },
    { "stacks", "request, ranks, frames, sampled",
      "the stack tree, outermost first; each frame has depth, ranks, count, place, arguments, locals, "
      "inlined, tail_call, calls_missing, incomplete" },
    { "values", "request, ranks, values, text, sampled, initial",
      "each value has name, groups (ranks, text, type, number, problem, digest of what the text "
      "leaves out) and, for numbers that "
      "differ, summary (min, min_at, max, max_at, mean, nan_at, inf_at)" },
    { "returned", "request, ranks, place, values, yielded",
      "what a finished function returned, or what a generator that goes on later yielded" },
    { "text", "request, ranks, text, initial, details",
      "an answer as plain text; of threads, registers, code, modules, mappings, signals and memory also "
      "each entry: kind, number or address, end, offset, name, text, place; here (the selected thread, the "
      "next instruction), gone (its file has changed or is deleted), readable, writable, executable, "
      "stop, print and pass where they are true" },
    { "frame", "request, ranks, number, place", "the selected frame" },
    { "failure", "request, ranks, code, text", "these ranks could not carry out the command" },
    { "error", "request, text; ranks",
      "the command failed, or something is wrong with the job" },
    { "notice", "request, ranks, text", "something the user should know; the job goes on" },
    { "message", "request, text", "the same for the whole job" },
    { "queue",
      "request, ranks, what, text; operation, method, communicator, peer or root, tag, "
      "datatype, bytes, collective, requests, messages, first, place",
      "a row of `show queue`; what: source, call, request, lock, in flight, not asked for, "
      "never asked for" },
    { "why",
      "request, ranks, verdict, text, culprits, behind, stuck, command, source, certain, parts",
      "what these ranks are waiting for; verdict is crashed, held, ended, mismatch, cycle, no-partner, "
      "system-call, missing, computing, unknown or free. One event for each fault; each part has "
      "ranks, call, place, culprit" },
    { "progress", "request, arrived, of",
      "a long operation: how many ranks have arrived; sent "
      "once more when all have" },
    { "log", "request, ranks, breakpoint, text", "a line of a breakpoint's `log`" },
    { "output", "ranks, stream, text",
      "a line of the program's output; without ranks, of the launcher's" },
    { "done", "request, ok, missing",
      "a command has completed; it ends the command's answers" },
};

/* The events and fields of --json. */
static void
append_events (GString *text)
{
    g_string_append (text, "| event | fields | meaning |\n| --- | --- | --- |\n");
    for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
        g_string_append_printf (text, "| `%s` | %s | %s |\n", events[i].name, events[i].fields,
                                events[i].meaning);
    }
    g_string_append (text,
                     "\nA place is `function`, `file`, `line`, `language`, or `module` and "
                     "`offset` where no line is known. Text that is not UTF-8 comes as "
                     "`{\"base64\":\"…\"}`.\n");
}

char *
command_format_reference (void)
{
    GString *text = g_string_new ("# Command reference\n\nMade from pddt's own tables by "
                                  "`pddt --print-reference`.\n\n## Commands\n\n"
                                  "`[on SET] COMMAND`; any unambiguous prefix of a command "
                                  "works.\n\n"
                                  "| command | words that also work | what it does |\n"
                                  "| --- | --- | --- |\n");
    const CommandRow *row;

    for (guint i = 0; (row = command_table_get (i)) != NULL; i++) {
        g_auto (GStrv) words = g_strsplit (row->words, ",", -1);

        g_string_append_printf (text, "| `%s%s", row->name, *row->usage != '\0' ? " " : "");
        append_cell (text, row->usage);
        g_string_append (text, "` |");
        for (guint j = 0; words[j] != NULL; j++) {
            g_string_append_printf (text, "%s `%s`", j > 0 ? "," : "", words[j]);
        }
        g_string_append (text, " | ");
        append_cell (text, row->summary);
        g_string_append (text, " |\n");
    }
    command_habits_describe (text);
    append_topics_and_options (text);
    g_string_append (text, "\n## Events of --json\n\n");
    append_events (text);
    return g_string_free (text, FALSE);
}
