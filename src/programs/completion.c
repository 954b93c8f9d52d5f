/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a shell completes after the word pddt, from the table of options and that of commands. */
#include "programs/completion.h"
#include "command/command.h"
#include "job/metric.h"
#include "profile/export.h"
#include "programs/options.h"
#include "base/array.h"
#include <string.h>

typedef enum { NOTHING, WORDS, FILES, FOLDERS, PROCESSES, COMMANDS } Kind;

static const struct {
    const char *value;
    Kind kind;
} values[] = {
    { "FILE", FILES },       { "FOLDER", FOLDERS },      { "[=SOCKET]", FILES },
    { "PID", PROCESSES },    { "WHERE", WORDS },         { "LIST", WORDS },
    { "COMMAND", COMMANDS }, { "FORMAT[=FILE]", WORDS },
};

static Kind
get_kind (const ProgramOption *option)
{
    if (strcmp (option->name, "--remote-program") == 0) {
        return NOTHING;
    }
    return BASE_CHOOSE (i, G_N_ELEMENTS (values),
                        g_strcmp0 (option->value, values[i].value) == 0, values[i].kind,
                        option->value != NULL && strpbrk (option->value, "|=") != NULL
                            ? WORDS
                            : NOTHING);
}

/* What a value of the kind WORDS may be, each with a space behind it. */
static char *
dup_words (const ProgramOption *option)
{
    GString *words = g_string_new (NULL);

    if (strcmp (option->value, "WHERE") == 0) {
        g_string_append (words, "main mpi-init none start ");
    } else if (strcmp (option->value, "LIST") == 0) {
        for (guint i = 0; i < JOB_N_METRICS; i++) {
            const char *group = job_metric_get_info (i)->group;

            if (group != NULL && strstr (words->str, group) == NULL) {
                g_string_append_printf (words, "%s ", group);
            }
        }
    } else if (strcmp (option->value, "FORMAT[=FILE]") == 0) {
        for (const char *const *format = profile_export_get_formats (); *format != NULL;
             format++) {
            g_string_append_printf (words, "%s ", *format);
        }
    } else {
        g_auto (GStrv) parts = g_strsplit_set (option->value, "[]=|", -1);

        for (guint i = 0; parts[i] != NULL; i++) {
            g_string_append_printf (words, *parts[i] != '\0' ? "%s " : "", parts[i]);
        }
    }
    return g_string_free (words, FALSE);
}

static gboolean
is_optional (const ProgramOption *option)
{
    return option->value != NULL && g_str_has_prefix (option->value, "[=");
}

static const char bash_start[]
    = "# bash completion for pddt. Made by pddt --print-completion bash.\n"
      "_pddt() {\n"
      "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i IFS=$' \\t\\n'\n"
      "    COMPREPLY=()\n"
      "    # --name=value comes as three words\n"
      "    if [[ $word == = ]]; then word='' before=$before=\n"
      "    elif [[ $before == = && $COMP_CWORD -gt 2 ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}=\n"
      "    fi\n"
      "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "        case ${COMP_WORDS[i]} in\n"
      "            --) i=$((i + 1)); break ;;\n"
      "            =) i=$((i + 1)) ;;\n";
static const char bash_middle[]
    = "                [[ ${COMP_WORDS[i + 1]} == = ]] || i=$((i + 1)) ;;\n"
      "            -*) ;;\n"
      "            *) break ;;\n"
      "        esac\n"
      "    done\n"
      "    if ((i < COMP_CWORD)); then     # the user's command has begun\n"
      "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "        return\n"
      "    fi\n"
      "    case $before in\n";
static const char bash_end[]
    = "    if [[ $word == -* ]]; then\n"
      "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "    else\n"
      "        COMPREPLY=($(compgen -c -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "    fi\n"
      "}\n"
      "complete -o filenames -F _pddt pddt\n";

static void
append_bash_value (GString *text, const ProgramOption *option)
{
    static const char *const ways[]
        = { NULL, NULL, "-f", "-d", "-W \"$(cd /proc && echo [0-9]*)\"", NULL };
    Kind kind = get_kind (option);

    g_string_append_printf (text,
                            is_optional (option) ? "        %s=)\n            "
                                                 : "        %s|%s=)\n            ",
                            option->name, option->name);
    if (kind == COMMANDS) {
        g_auto (GStrv) words = command_dup_words ();
        g_autofree char *lines = g_strjoinv ("\\n", words);

        /* A word that has two parts stays one word of the shell. */
        g_string_append_printf (
            text,
            "IFS=$'\\n'\n            COMPREPLY=($(compgen -W $'%s' -- \"$word\"))\n"
            "            COMPREPLY=(\"${COMPREPLY[@]// /\\\\ }\")\n",
            lines);
    } else if (kind == WORDS) {
        g_autofree char *words = dup_words (option);

        g_string_append_printf (text, "COMPREPLY=($(compgen -W \"%s\" -- \"$word\"))\n",
                                g_strchomp (words));
    } else if (ways[kind] != NULL) {
        g_string_append_printf (text, "COMPREPLY=($(compgen %s -- \"$word\"))\n", ways[kind]);
    } else {
        g_string_append (text, ":\n");
    }
    g_string_append (text, "            return ;;\n");
}

static char *
format_bash (void)
{
    GString *text = g_string_new (bash_start), *options = g_string_new (NULL),
            *with_value = g_string_new (NULL);
    ProgramOption option;

    for (guint i = 0; program_options_get (i, &option); i++) {
        if (option.help != NULL) {
            g_string_append_printf (options, "%s%s", options->len > 0 ? " " : "", option.name);
            if (option.value != NULL && !is_optional (&option)) {
                g_string_append_printf (with_value, "%s%s", with_value->len > 0 ? "|" : "",
                                        option.name);
            }
        }
    }
    g_string_append_printf (text, "            %s)\n%s", with_value->str, bash_middle);
    for (guint i = 0; program_options_get (i, &option); i++) {
        if (option.help != NULL && option.value != NULL) {
            append_bash_value (text, &option);
        }
    }
    g_string_append_printf (text, "    esac\n    local options=\"%s\"\n", options->str);
    g_string_append (text, bash_end);
    g_string_free (options, TRUE);
    g_string_free (with_value, TRUE);
    return g_string_free (text, FALSE);
}

/* Text of a specification of _arguments: brackets and colons in it have a backslash. */
static void
append_zsh_text (GString *text, const char *words)
{
    for (; *words != '\0'; words++) {
        if (*words == '\'') {
            g_string_append (text, "'\\'");
        } else if (strchr ("[]:", *words) != NULL) {
            g_string_append_c (text, '\\');
        }
        g_string_append_c (text, *words);
    }
}

static void
append_zsh_value (GString *text, const ProgramOption *option)
{
    static const char *const ways[] = { " ",         NULL,    "_files",
                                        "_files -/", "_pids", "_pddt_commands" };
    Kind kind = get_kind (option);

    g_string_append (text, is_optional (option) ? "::" : ":");
    append_zsh_text (text, option->value);
    g_string_append_c (text, ':');
    if (kind == WORDS) {
        g_autofree char *words = dup_words (option);

        g_string_append_printf (text, "(%s)", g_strchomp (words));
    } else {
        g_string_append (text, ways[kind]);
    }
}

static char *
format_zsh (void)
{
    GString *text = g_string_new (
        "#compdef pddt\n# zsh completion for pddt. Made by pddt --print-completion zsh.\n"
        "_pddt_commands() {\n    local -a names=(");
    g_auto (GStrv) commands = command_dup_words ();
    ProgramOption option;

    for (guint i = 0; commands[i] != NULL; i++) {
        g_string_append_printf (text, "\n        '%s'", commands[i]);
    }
    g_string_append (text, ")\n    compadd -a names\n}\n_arguments -s -S \\\n");
    for (guint i = 0; program_options_get (i, &option); i++) {
        if (option.help != NULL) {
            const char *equals = option.value == NULL || strncmp (option.name, "--", 2) != 0
                                     ? ""
                                 : is_optional (&option) ? "=-"
                                                         : "=";

            g_string_append_printf (text, "    '*%s%s[", option.name, equals);
            append_zsh_text (text, option.help);
            g_string_append_c (text, ']');
            if (option.value != NULL) {
                append_zsh_value (text, &option);
            }
            g_string_append (text, "' \\\n");
        }
    }
    g_string_append (
        text, "    '(-)1:command:{ _command_names -e || _files }' '*::argument:_normal'\n");
    return g_string_free (text, FALSE);
}

char *
program_completion_format (const char *shell)
{
    return strcmp (shell, "bash") == 0  ? format_bash ()
           : strcmp (shell, "zsh") == 0 ? format_zsh ()
                                        : NULL;
}
