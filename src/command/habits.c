/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the words of gdb's that pddt's table does not have mean here: another spelling of one that it has, nothing at
 * all, or a sentence that names pddt's word. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

typedef enum {
    HABIT_SAME,  /* text: the command that it is */
    HABIT_QUIET, /* accepted: there is nothing to do */
    HABIT_ELSE,  /* text: pddt's own way */
    HABIT_NOT    /* text: why there is none */
} HabitKind;

typedef struct {
    const char *words; /* those that share the row are separated by '|' */
    HabitKind kind;
    const char *text;
} Habit;

#define FILES "name the program when pddt starts; pddt --core FILE opens core files"
#define NO_BACK "pddt runs programs forward only"
#define NO_TRACE "log lines of break and pddt --trace record what a program does"
#define NO_SCRIPT                                                                              \
    "python runs Python, which has if and while, and define names several commands"
#define NO_TUI "pddt without --cli opens a window, and list shows the source here"
#define NO_TARGET "pddt --attach PID attaches to a running program"
#define NO_PRINTERS "set option printers says who shows values"

static const Habit habits[] = {
    { "br|bre|brea", HABIT_SAME, "break" },
    { "d|del", HABIT_SAME, "delete" },
    { "dis|disa", HABIT_SAME, "disable" },
    { "en", HABIT_SAME, "enable" },
    { "fg", HABIT_SAME, "continue" },
    { "fin", HABIT_SAME, "finish" },
    { "f", HABIT_SAME, "frame" },
    { "do|dow", HABIT_SAME, "down" },
    { "h", HABIT_SAME, "help" },
    { "j", HABIT_SAME, "jump" },
    { "q", HABIT_SAME, "quit" },
    { "r", HABIT_SAME, "restart" },
    { "t", HABIT_SAME, "thread" },
    { "u", HABIT_SAME, "until" },
    { "w", HABIT_SAME, "where" },
    { "info all-registers|info float|info vector|info r", HABIT_SAME, "show registers" },
    { "info watchpoints|info dprintf", HABIT_SAME, "show breakpoints" },
    { "info inferiors|info program", HABIT_SAME, "show state" },
    { "info stack|info s", HABIT_SAME, "where" },
    { "info handle", HABIT_SAME, "show signals" },
    { "info dll|info files|info target", HABIT_SAME, "show modules" },
    { "info f", HABIT_SAME, "info frame" },
    { "thread apply all bt|thread apply all backtrace|thread apply all where|taas bt|tfaas bt",
      HABIT_SAME, "where threads" },
    { "faas", HABIT_SAME, "frame apply all -s" },
    { "taas", HABIT_SAME, "thread apply all -s" },
    { "tfaas", HABIT_SAME, "thread apply all -s -- frame apply all -s" },
    { "frame level", HABIT_SAME, "frame" },
    { "save breakpoints", HABIT_SAME, "save" },
    { "hbreak", HABIT_SAME, "break" },
    { "thbreak", HABIT_SAME, "tbreak" },
    { "inspect|expression|print-object|po", HABIT_SAME, "print" },
    { "kill inferiors", HABIT_SAME, "kill" },
    { "detach inferiors", HABIT_SAME, "detach" },
    { "delete breakpoints", HABIT_SAME, "delete" },
    { "disable breakpoints", HABIT_SAME, "disable" },
    { "enable breakpoints", HABIT_SAME, "enable" },
    { "delete display", HABIT_SAME, "undisplay" },
    { "dir", HABIT_SAME, "directory" },
    { "set can-use-hw-watchpoints 0", HABIT_SAME, "set option hardware-watch off" },
    { "set can-use-hw-watchpoints 1", HABIT_SAME, "set option hardware-watch on" },
    { "set variable", HABIT_SAME, "set var" },
    { "set scheduler-locking", HABIT_SAME, "set option scheduler-locking" },
    { "set follow-fork-mode", HABIT_SAME, "set option follow-fork" },
    { "set detach-on-fork off", HABIT_SAME, "set option follow-fork both" },
    { "set detach-on-fork on", HABIT_SAME, "set option follow-fork parent" },
    { "set disable-randomization off", HABIT_SAME, "set option randomise on" },
    { "set disable-randomization on", HABIT_SAME, "set option randomise off" },
    { "set print elements", HABIT_SAME, "set option limit-items" },
    { "set print characters", HABIT_SAME, "set option limit-bytes" },
    { "set print repeats", HABIT_SAME, "set option limit-repeats" },
    { "set print max-depth", HABIT_SAME, "set option limit-depth" },
    { "set confirm|set pagination|set width|set height|set verbose|set style|set debuginfod|"
      "set breakpoint pending|set print thread-events|set print inferior-events|set auto-load|"
      "set history|set prompt|set editing|set python|set trace-commands|set max-completions",
      HABIT_QUIET, "" },

    { "info args|i args", HABIT_ELSE, "show locals lists arguments and locals" },
    { "info source|info sources", HABIT_ELSE, "info line names the file, and list shows it" },
    { "info address", HABIT_ELSE, "print &NAME shows where a variable or function is" },
    { "info main", HABIT_ELSE, "list main shows it, and break main stops there" },
    { "info classes", HABIT_ELSE, "info types TEXT lists types" },
    { "info common|info module|info modules", HABIT_ELSE, "show globals lists them" },
    { "info auxv|info os", HABIT_ELSE, "show maps and show modules say what is mapped" },
    { "info proc cmdline|info proc cwd|info proc exe|info proc files|info proc stat|"
      "info proc status|info proc all|info terminal",
      HABIT_ELSE, "show maps lists the mappings; everything else is in /proc/PID" },
    { "macro define|macro undef|macro list", HABIT_ELSE,
      "pddt knows the macros of the program alone: set $NAME = VALUE keeps a value" },
    { "info vtbl", HABIT_ELSE,
      "print *POINTER shows the dynamic type, and info symbol names an entry" },
    { "info exceptions", HABIT_ELSE, "catch throw stops at exceptions" },
    { "info checkpoints|checkpoint|restart checkpoint", HABIT_NOT,
      "restart starts the job again" },
    { "info record|info rec|record|rec", HABIT_NOT, NO_BACK },
    { "reverse-continue|reverse-finish|reverse-next|reverse-nexti|reverse-step|reverse-stepi|rc|"
      "rn|rs|rsi|rni|bookmark|goto-bookmark|info bookmarks|delete bookmark",
      HABIT_NOT, NO_BACK },
    { "info tracepoints|info tp|info tvariables|info static-tracepoint-markers|trace|ftrace|strace|"
      "tstart|tstop|tstatus|tsave|tdump|tfind|teval|tvariable|passcount|collect|actions|"
      "while-stepping|agent-printf|delete tracepoints|delete tvariable|save tracepoints|tr|tra|trac|tp",
      HABIT_NOT, NO_TRACE },
    { "info copying|info warranty|show copying|show warranty", HABIT_ELSE,
      "pddt is free software, under the GNU General Public License 3 or later" },
    { "info auto-load|info extensions|info frame-filter|info pretty-printer|info type-printers|"
      "info unwinder|info xmethod|info missing-debug-handlers|info missing-objfile-handlers|"
      "disable pretty-printer|enable pretty-printer|"
      "disable frame-filter|enable frame-filter|disable type-printer|enable type-printer|"
      "disable unwinder|enable unwinder|disable xmethod|enable xmethod|"
      "add-auto-load-safe-path|add-auto-load-scripts-directory",
      HABIT_ELSE, NO_PRINTERS },
    { "info connections|target|remote|monitor|disconnect|flash-erase|compare-sections",
      HABIT_ELSE, NO_TARGET },
    { "info dcache|info mem|mem|delete mem|disable mem|enable mem|memory-tag|info probes|"
      "disable probes|enable probes|info selectors|info tasks|task|overlay|section|"
      "jit-reader-load|jit-reader-unload|maintenance|maint|mt|compile|explore|guile|gu|guile-repl|gr|"
      "info guile|info gu|ov|ovly|new-ui|interpreter-exec|with|add-symbol-file-from-memory|nosharedlibrary|"
      "ws|stepping|remove-symbol-file|complete|dont-repeat|init-if-undefined|alias|define-prefix|pipe|update",
      HABIT_NOT, "help lists what there is" },
    { "tui|info win|layout|focus|refresh|winheight|winwidth|winname|fs|wh|ww", HABIT_ELSE,
      NO_TUI },
    { "thread name|thread find", HABIT_ELSE, "show threads lists threads with their names" },
    { "frame function|frame address|frame view|select-frame", HABIT_ELSE,
      "frame N selects a frame, with N from where" },
    { "inferior|add-inferior|remove-inferiors|clone-inferior", HABIT_ELSE,
      "pick SET chooses the ranks that commands act on" },
    { "attach", HABIT_ELSE, "pddt --attach PID attaches to a running program" },
    { "file|exec-file|symbol-file|core-file|core|target core|target exec|add-symbol-file|sharedlibrary",
      HABIT_ELSE, FILES },
    { "start|starti", HABIT_ELSE,
      "restart starts the job again; it stops at main, or where --stop-at says" },
    { "set args|show args|set environment|unset environment|show environment|path|set cwd|cd",
      HABIT_ELSE, "the command line that starts pddt says it, and restart uses it again" },
    { "shell|make|edit|!", HABIT_ELSE, "use another terminal" },
    { "rwatch|awatch", HABIT_ELSE, "watch EXPR stops when the value changes" },
    { "dprintf", HABIT_ELSE, "break WHERE log \"TEXT {EXPR}\" prints without stopping" },
    { "break-range", HABIT_ELSE,
      "break WHERE takes one place; rbreak REGEX takes many functions" },
    { "enable once", HABIT_ELSE, "tbreak WHERE stops once" },
    { "enable count|enable delete|enable display|disable display|delete checkpoint", HABIT_ELSE,
      "delete N, disable N and enable N take numbers; undisplay N ends a display" },
    { "catch assert|catch handlers|catch unload|tcatch assert|tcatch handlers|tcatch unload",
      HABIT_ELSE, "help catch lists the events that can be caught" },
    { "queue-signal", HABIT_ELSE, "signal SIGNAL continues with it" },
    { "demangle", HABIT_ELSE, "info symbol ADDRESS shows names demangled" },
    { "eval|if|while|end", HABIT_NOT, NO_SCRIPT },
    { "python-interactive", HABIT_ELSE, "python takes lines up to end" },
    { "apropos|add-auto-load", HABIT_NOT, "help lists what there is" },
    { "append|restore|dump memory|dump value|dump binary|dump ihex|dump srec|dump tekhex|dump verilog",
      HABIT_ELSE, "generate-core-file saves memory, and x/FMT ADDR shows it" },
    { "up-silently|down-silently", HABIT_ELSE, "up N and down N select frames" },
    { "set print", HABIT_ELSE,
      "print/F chooses a format, and show options lists the limits of what is shown" },
    { "show convenience|show conv|show values", HABIT_ELSE,
      "print $NAME shows a variable that set $NAME = VALUE made" },
    { "show user", HABIT_ELSE, "help NAME shows a command that define made" },
    { "show directories|show substitute-path|unset substitute-path", HABIT_ELSE,
      "directory FOLDER and set substitute-path FROM TO say where moved sources are" },
    { "set listsize|show listsize", HABIT_ELSE, "list A,B shows lines A to B" },
    { "info set", HABIT_ELSE, "show options lists pddt's options" },
    { "show version|info version", HABIT_ELSE, "pddt --version prints it" },
    { "set language|set step-mode|set non-stop|"
      "set schedule-multiple|set exec-wrapper|set inferior-tty|tty|set stop-on-solib-events|"
      "set unwindonsignal|set max-value-size|set backtrace|set disassembly-flavor|set debug|"
      "set architecture|set charset|set host-charset|set sysroot|set osabi|set startup-with-shell|"
      "set multiple-symbols|set opaque-type-resolution|set cp-abi|set demangle-style|set remote|"
      "set watchdog|set write|set complaints|set exec-direction|"
      "set record|set circular-trace-buffer|set trace-notes|set tdesc|set tui|set typeprinters",
      HABIT_ELSE, "show options lists pddt's options" },
};

/* The words stand at the beginning of the line, whole, with any blanks between them. NULL: they do not; else
 * what follows them. */
static const char *
match_words (const char *line, const char *words, gsize size)
{
    const char *end = words + size;

    line = command_skip_spaces (line);
    while (words < end) {
        gsize length = strcspn (words, " |");

        length = MIN (length, (gsize) (end - words));
        if (strncmp (line, words, length) != 0
            || (line[length] != '\0' && !g_ascii_isspace (line[length])
                && (g_ascii_isalnum (line[length]) || strchr ("-_=", line[length]) != NULL))) {
            return NULL;
        }
        line = command_skip_spaces (line + length);
        words += length;
        words += words < end && *words == ' ';
    }
    return *line == '=' ? NULL : line; /* "set print = 0-3" names a set */
}

/* The row with the longest words that the line begins with. */
static const Habit *
find_habit (const char *line, const char **ret_rest, char **ret_words)
{
    const Habit *found = NULL;
    gsize longest = 0;

    for (guint i = 0; i < G_N_ELEMENTS (habits); i++) {
        for (const char *words = habits[i].words; *words != '\0';) {
            gsize length = strcspn (words, "|");
            const char *rest = match_words (line, words, length);

            if (rest != NULL && length > longest) {
                found = &habits[i];
                longest = length;
                *ret_rest = rest;
                g_free (*ret_words);
                *ret_words = g_strndup (words, length);
            }
            words += length + (words[length] == '|');
        }
    }
    return found;
}

/* "set $x = 1" is "set var $x = 1": a set of ranks has no such name. NULL: it is something else. */
static char *
dup_kept (const char *line)
{
    const char *name = match_words (line, "set", strlen ("set"));

    return name != NULL && *name == '$' ? g_strconcat ("set var ", name, NULL) : NULL;
}

gboolean
command_habit_translate (const char *line, char **ret_line, GError **error)
{
    const char *rest = NULL;
    g_autofree char *words = NULL;
    const Habit *habit = find_habit (line, &rest, &words);

    *ret_line = dup_kept (line);
    if (habit == NULL) {
        return TRUE;
    }
    g_clear_pointer (ret_line, g_free);
    switch (habit->kind) {
    case HABIT_SAME: *ret_line = g_strconcat (habit->text, " ", rest, NULL); return TRUE;
    case HABIT_QUIET: *ret_line = g_strdup (""); return TRUE;
    case HABIT_ELSE:
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "no %s: %s", words, habit->text);
        return FALSE;
    default:
        g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED, "not supported: %s; %s", words,
                     habit->text);
        return FALSE;
    }
}

void
command_habits_describe (GString *text)
{
    static const char *const forms[] = { [HABIT_SAME] = "works: `%s`",
                                         [HABIT_QUIET] = "accepted, without effect%s",
                                         [HABIT_ELSE] = "no: %s",
                                         [HABIT_NOT] = "not supported: %s" };

    g_string_append (
        text, "\n## gdb's other commands\n\nWhat gdb has and the table of commands above "
              "has not.\n\n| gdb | here |\n| --- | --- |\n");
    for (guint i = 0; i < G_N_ELEMENTS (habits); i++) {
        g_auto (GStrv) words = g_strsplit (habits[i].words, "|", -1);
        g_autofree char *joined = g_strjoinv ("`, `", words);

        g_string_append_printf (text, "| `%s` | ", joined);
        g_string_append_printf (text, forms[habits[i].kind], habits[i].text);
        g_string_append (text, " |\n");
    }
}
