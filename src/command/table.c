/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row per command: its words, its help, what it does. Help, completion and the command
 * reference are made from these rows and from nothing else. */
#include "command/script-private.h"
#include "base/error.h"
#include <string.h>

#define QUERY (COMMAND_RANKS | COMMAND_LIVING)
#define MOTION (COMMAND_RANKS | COMMAND_LIVING | COMMAND_MOVING)

static const CommandRow rows[] = {
    { "show state", "", "",
      "show each group of ranks on one line: state and place; never stops a rank",
      COMMAND_AT_ONCE, JOB_VERB_STATE, command_run_show_state },
    { "show sets", "", "", "list the named sets", COMMAND_WHOLE_JOB, JOB_VERB_NONE,
      command_run_show_sets },
    { "show threads", "info threads", "", "list the threads of the ranks", QUERY,
      JOB_VERB_THREADS, command_run_plain },
    { "show signals", "info signals", "", "show what pddt does with each signal", QUERY,
      JOB_VERB_SIGNALS, command_run_plain },
    { "show modules", "info sharedlibrary", "", "list the loaded programs and libraries", QUERY,
      JOB_VERB_MODULES, command_run_plain },
    { "show maps", "info proc mappings", "",
      "list the memory mappings, with the files behind them", QUERY, JOB_VERB_MAPS,
      command_run_plain },
    { "show breakpoints", "info b,info breakpoints,status", "[N…]",
      "list the breakpoints and their places, or these", COMMAND_WHOLE_JOB | COMMAND_AFTER_ALL,
      JOB_VERB_NONE, command_run_show_breakpoints },
    { "show skips", "info skip", "", "list the functions and files that steps skip",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_show_skips },
    { "show displays", "info display", "", "list the expressions that are shown at each stop",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_show_displays },
    { "show locals", "info locals,dump", "",
      "show the arguments and local variables of the selected frame", QUERY, JOB_VERB_LOCALS,
      command_run_plain },
    { "show globals", "info globals", "",
      "show the global variables of the selected frame's file or module", QUERY,
      JOB_VERB_GLOBALS, command_run_plain },
    { "show registers", "info registers", "[NAME…]",
      "show the registers of the selected frame, or these", QUERY, JOB_VERB_REGISTERS,
      command_run_registers },
    { "show queue", "show q", "",
      "show the messages in transit, MPI calls and requests of each rank; never stops a "
      "running rank",
      QUERY | COMMAND_AT_ONCE, JOB_VERB_QUEUE, command_run_queue },
    { "show diverged", "", "", "show where ranks that were together have diverged",
      COMMAND_RANKS, JOB_VERB_NONE, command_run_show_diverged },
    { "show options", "info options", "", "list the options and their values",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_show_options },
    { "continue", "cont,c,play", "", "let the ranks run", MOTION, JOB_VERB_CONTINUE,
      command_run_move },
    { "pause", "halt,interrupt", "", "stop the ranks where they are",
      MOTION | COMMAND_URGENT | COMMAND_AT_ONCE, JOB_VERB_PAUSE, command_run_move },
    { "step", "s", "[N]", "run to the next line, into calls", MOTION, JOB_VERB_STEP,
      command_run_move },
    { "next", "n", "[N]", "run to the next line, over calls", MOTION, JOB_VERB_NEXT,
      command_run_move },
    { "finish", "", "", "run until the selected function returns, and show the value returned",
      MOTION, JOB_VERB_FINISH, command_run_move },
    { "advance", "", "WHERE", "run to WHERE, or until the frame returns", MOTION,
      JOB_VERB_UNTIL, command_run_where_to },
    { "until", "", "[WHERE]",
      "run to WHERE, or until the frame returns; without it, in native code, like next, but not to a line further up "
      "in the function, which leaves loops",
      MOTION, JOB_VERB_UNTIL, command_run_where_to },
    { "stepi", "si", "[N]", "run one instruction, into calls", MOTION, JOB_VERB_STEPI,
      command_run_move },
    { "nexti", "ni", "[N]", "run one instruction, over calls", MOTION, JOB_VERB_NEXTI,
      command_run_move },
    { "return", "", "[EXPR]",
      "leave the selected function at once, as if it had returned EXPR; not possible in "
      "Python functions",
      MOTION, JOB_VERB_RETURN, command_run_return },
    { "signal", "", "SIGNAL|0",
      "continue with SIGNAL, or with none (0), instead of the signal that stopped the rank",
      MOTION, JOB_VERB_SIGNAL, command_run_signal },
    { "jump", "", "WHERE", "resume at WHERE", MOTION, JOB_VERB_JUMP, command_run_where_to },
    { "break", "b,stop at,stop in",
      "WHERE [if EXPR] [every N] [thread T] [log \"TEXT {expr}\"]",
      "stop at WHERE; with log, write the text and do not stop. Thread T is a number from "
      "show threads, and may start later. Ranks that stand there already are named: they stop the next time "
      "they get there",
      QUERY, JOB_VERB_BREAK, command_run_break },
    { "tbreak", "", "WHERE [if EXPR] [every N] [thread T] [log \"TEXT {expr}\"]",
      "like break, but stop only once", QUERY, JOB_VERB_BREAK, command_run_break },
    { "rbreak", "", "[FILE:]REGEX",
      "set a breakpoint on each native function of the program itself (of FILE) whose name "
      "matches the regular expression",
      QUERY, JOB_VERB_BREAK, command_run_rbreak },
    { "watch", "", "[-l] EXPR [if EXPR] [every N] [thread T] [log \"TEXT {expr}\"]",
      "stop when the value of EXPR changes, and show the old and the new one. pddt watches "
      "up to 32 aligned bytes with debug registers and anything larger by single steps, "
      "which is slow; the answer says which. A watchpoint on a local variable ends when its "
      "frame returns; -l watches the address that EXPR has now, even after that. The "
      "condition is evaluated in the frame in which the watchpoint was set",
      QUERY, JOB_VERB_WATCH, command_run_catch },
    { "catch", "",
      "signal [NAME]|throw [TYPE]|rethrow [TYPE]|catch [TYPE]|fork|vfork|exec|exit|load [NAME]|"
      "syscall [NAME]|mpi-error|exception [TYPE]|divergence [if EXPR] [every N] [thread T] [log \"TEXT {expr}\"]",
      "stop on that event. TYPE is the name of C++ exceptions' type, or a regular expression for it; $_exception is the one at whose "
      "catchpoint a rank has stopped",
      QUERY, JOB_VERB_CATCH, command_run_catch },
    { "tcatch", "", "EVENT", "like catch, with the same events, but stop only once", QUERY,
      JOB_VERB_CATCH, command_run_catch },
    { "handle", "", "SIGNAL stop|nostop print|noprint pass|nopass",
      "choose what pddt does with a signal", QUERY, JOB_VERB_HANDLE, command_run_handle },
    { "delete", "", "[N…]", "delete these breakpoints, or all", COMMAND_RANKS, JOB_VERB_DELETE,
      command_run_number },
    { "disable", "", "[N…]", "disable these breakpoints, or all", COMMAND_RANKS,
      JOB_VERB_DISABLE, command_run_number },
    { "enable", "", "[N…]",
      "enable these breakpoints, or all. A breakpoint named with ranks that "
      "do not have it (`on 4-7 enable 1`) is set there too",
      COMMAND_RANKS, JOB_VERB_ENABLE, command_run_number },
    { "clear", "cl", "[WHERE]",
      "delete the breakpoints at WHERE, or those where the selected frame stands",
      COMMAND_RANKS | COMMAND_AFTER_ALL, JOB_VERB_DELETE, command_run_clear },
    { "condition", "", "N [EXPR] [every N] [log \"TEXT\"]",
      "stop at breakpoint N only where EXPR is true, at every Nth hit, or print a text instead of "
      "stopping, as with `break`; what is not named stays. `condition N` removes the condition, "
      "`every 1` and `log \"\"` the rest",
      0, JOB_VERB_CONDITION, command_run_condition },
    { "ignore", "", "N COUNT",
      "stop at breakpoint N only after it was hit COUNT more times in a rank; 0: at every hit",
      0, JOB_VERB_CONDITION, command_run_ignore },
    { "commands", "", "N [\"CMD; CMD\"]",
      "run these commands in the ranks that stop at breakpoint N. Without the quoted text, "
      "the lines that follow, up to `end`, are the commands. If the first one is `silent`, "
      "the stop is not shown",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_commands },
    { "where", "bt,backtrace", "[N] [threads] [full]",
      "show the merged stack tree: the N innermost frames; of all threads; with arguments "
      "and locals (full). [tail call]: the function was left by a jump, and its frame is "
      "reconstructed; [calls missing]: such frames are missing, and it is not known which; "
      "[incomplete]: the frames further out are not known for certain. Recursion is folded "
      "to its first and last repetition, with a count of those between, except with full or "
      "--json",
      QUERY, JOB_VERB_WHERE, command_run_where },
    { "up", "", "[N]", "select the calling frame, or the one N levels up", QUERY,
      JOB_VERB_FRAME, command_run_frame },
    { "down", "", "[N]", "select the called frame, or the one N levels down", QUERY,
      JOB_VERB_FRAME, command_run_frame },
    { "frame", "", "[N]",
      "select frame N; 0 is the innermost. Without N, say which one is selected", QUERY,
      JOB_VERB_FRAME, command_run_frame },
    { "frame apply", "", "all|N|-N|level N… [-q] [-c] [-s] COMMAND",
      "run a command in all frames, in the N innermost or outermost ones, or in those of these numbers (4-6 is a range). "
      "-q: without naming the frames; -c: a failure is shown and does not end it; -s: a failure is not shown, nor are "
      "frames without an answer",
      QUERY, JOB_VERB_WHERE, command_run_apply },
    { "thread", "", "N", "select thread N", QUERY, JOB_VERB_THREAD, command_run_frame },
    { "thread apply", "", "all [-ascending]|N… [-q] [-c] [-s] COMMAND",
      "run a command in all threads, the last one first, or in those of these numbers; with the flags of frame apply",
      QUERY, JOB_VERB_THREADS, command_run_apply },
    { "print", "p", "[/F] EXPR",
      "show a value in the selected frame's own language. F is one of gdb's letters: x o t z "
      "d u for the bits, a for an address, c for a character, f for a float, s for the "
      "value's own type; of Python's values, only integers take a letter",
      QUERY, JOB_VERB_PRINT, command_run_print },
    { "output", "", "[/F] EXPR", "show the value without its name", QUERY, JOB_VERB_PRINT,
      command_run_output },
    { "printf", "", "\"TEXT\"[, EXPR…]",
      "print the text, with the values in the places of its conversions as in C (%d %u %x %o "
      "%c %s %p %f %g %e …)",
      QUERY, JOB_VERB_PRINTF, command_run_printf },
    { "display", "", "[/F] [EXPR]",
      "show the value now and at each stop of the set's ranks, or of all ranks without a "
      "set; without EXPR, show all displays",
      QUERY, JOB_VERB_PRINT, command_run_display },
    { "skip", "", "[FUNCTION|file FILE|delete [N…]]",
      "make steps skip FUNCTION, or every function of FILE; without a name, the selected "
      "function. delete ends these skips, or all",
      COMMAND_WHOLE_JOB, JOB_VERB_OPTION, command_run_skip },
    { "undisplay", "", "[N…]", "delete these displays, or all", COMMAND_WHOLE_JOB,
      JOB_VERB_NONE, command_run_undisplay },
    { "set var", "assign", "LHS = EXPR", "change a variable", QUERY, JOB_VERB_SET,
      command_run_set_var },
    { "call", "", "[/F] EXPR", "call a function of the program", QUERY, JOB_VERB_CALL,
      command_run_print },
    { "whatis", "", "[/FLAGS] EXPR", "show the type of a value", QUERY, JOB_VERB_WHATIS,
      command_run_text },
    { "ptype", "", "[/FLAGS] EXPR",
      "show a type with its members; /o adds their offsets, sizes and holes, /ox shows these "
      "in hexadecimal",
      QUERY, JOB_VERB_PTYPE, command_run_text },
    { "py", "exec", "STATEMENT",
      "run a Python statement in the selected frame, or in the nearest Python frame further "
      "out",
      QUERY, JOB_VERB_EXEC, command_run_text },
    { "list", "l", "[FILE:LINE|LINE|FUNCTION|*EXPR|A,B|+|-]",
      "show the source around the selected frame, a line, a function or the address that EXPR is, or from line A to "
      "line B; ten lines if A or B is left out. Without a place, or with +, the ten lines after those shown last, and "
      "with - those before, until the ranks move or another frame is selected",
      COMMAND_RANKS, JOB_VERB_NONE, command_run_list },
    { "search", "forward-search,fo", "REGEX",
      "show the next line that matches, after the first of those that list or search has shown last, or "
      "else after the selected frame's",
      COMMAND_RANKS, JOB_VERB_NONE, command_run_search },
    { "reverse-search", "rev", "REGEX", "the same backwards", COMMAND_RANKS, JOB_VERB_NONE,
      command_run_search },
    { "info frame", "", "",
      "show where the selected frame lies on the stack and where it returns to", QUERY,
      JOB_VERB_INFO, command_run_info },
    { "info line", "", "[WHERE]",
      "show the addresses of a line's code; *EXPR is the line of an address", QUERY,
      JOB_VERB_INFO, command_run_info },
    { "info symbol", "", "ADDRESS", "show what is at an address", QUERY, JOB_VERB_INFO,
      command_run_info },
    { "info scope", "", "[WHERE]", "list the variables that are visible at a place", QUERY,
      JOB_VERB_INFO, command_run_info },
    { "info macro", "", "NAME",
      "show where a macro of C or C++ is defined, and as what, in the selected frame (-g3)",
      QUERY, JOB_VERB_INFO, command_run_macro },
    { "info macros", "", "[BEGINNING]",
      "list the macros that are in force in the selected frame, or those whose names begin so",
      QUERY, JOB_VERB_INFO, command_run_macro },
    { "macro expand", "macro exp", "EXPR",
      "show what an expression becomes when its macros are replaced", QUERY, JOB_VERB_INFO,
      command_run_macro },
    { "macro expand-once", "macro exp1", "EXPR",
      "show the same, without the macros that those in the expression contain", QUERY,
      JOB_VERB_INFO, command_run_macro },
    { "info functions", "", "[REGEX]", "list the functions of the program that match", QUERY,
      JOB_VERB_NONE, command_run_names },
    { "info variables", "", "[TEXT]",
      "list the variables outside of functions whose names contain TEXT", QUERY, JOB_VERB_NONE,
      command_run_names },
    { "info types", "", "[TEXT]", "list the types whose names contain TEXT", QUERY,
      JOB_VERB_NONE, command_run_names },
    { "disassemble", "", "[/r] [WHERE|START,END|START,+LENGTH]",
      "show the instructions of the selected function, of the one at WHERE, or of a range of "
      "addresses, with the source lines that they come from; /r shows their bytes, too",
      QUERY, JOB_VERB_DISASSEMBLE, command_run_disassemble },
    { "generate-core-file", "gcore", "[FILE]",
      "save a core file of each rank that stands, FILE.RANK (core.RANK), which pddt --core and gdb open; the "
      "rank goes on afterwards as if nothing had been",
      QUERY, JOB_VERB_DUMP, command_run_dump },
    { "x", "", "/FMT ADDR",
      "show memory. FMT is a count, a format (x d u o t z a c f s i) and a unit size (b h w "
      "g)",
      QUERY, JOB_VERB_EXAMINE, command_run_examine },
    { "find", "", "[/[COUNT][b|h|w|g]] START, +LENGTH|END, VALUE[, VALUE…]",
      "show where in memory these values stand one after another, from START on, so many bytes or up to and "
      "including END; at most COUNT places, and with a letter each value as 1, 2, 4 or 8 bytes instead of its own "
      "type. $_ is the last place then, $numfound their number",
      QUERY, JOB_VERB_FIND, command_run_find },
    { "why", "", "", "say what the set is waiting for, and what would free it",
      QUERY | COMMAND_AT_ONCE, JOB_VERB_NONE, command_run_why },
    { "profile", "", "[SECONDS]",
      "sample the set while it runs, for so long (5 s): one tree of its calls, Python's and "
      "native, with the share of each function. Ctrl-C ends it earlier",
      QUERY | COMMAND_AT_ONCE, JOB_VERB_PROFILE, command_run_profile },
    { "profile start", "", "", "sample the set from now on, until profile stop",
      QUERY | COMMAND_AT_ONCE, JOB_VERB_PROFILE, command_run_profile_start },
    { "profile stop", "", "", "end the sampling, and show its tree as profile does",
      COMMAND_WHOLE_JOB, JOB_VERB_PROFILE, command_run_profile_stop },
    { "profile save", "", "FOLDER",
      "write the last profile into a new folder: a report (report.html and the same as txt, csv "
      "and json), and files for other tools: pstats (cpu.prof and one for each rank), speedscope, "
      "Perfetto, collapsed stacks, Graphviz, TAU, Cube, csv",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_profile_save },
    { "input", "", "[TEXT]",
      "send a line of input to the set; without TEXT, on a terminal, hand over the keyboard "
      "until Ctrl-D",
      QUERY | COMMAND_URGENT | COMMAND_AT_ONCE, JOB_VERB_INPUT, command_run_input },
    { "wait", "", "[SECONDS]",
      "wait until no rank of the set has an unfinished motion, at most SECONDS (fractions "
      "are allowed)",
      COMMAND_AT_ONCE, JOB_VERB_NONE, command_run_wait },
    { "expect", "", "STATE [N|NAME] [at WHERE]",
      "fail unless every rank of the set is in that state, with that exit status, "
      "breakpoint, signal or exception, at that place",
      COMMAND_RANKS, JOB_VERB_NONE, command_run_expect },
    { "set option", "", "NAME VALUE",
      "change an option; show options lists them, and help for this command says what they mean",
      COMMAND_WHOLE_JOB, JOB_VERB_OPTION, command_run_set_option },
    { "set logging", "", "[on|off|file FILE|overwrite on|off]",
      "write what pddt prints to a file, too (pddt.txt), behind what is there; what the ranks print is not written",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_set_logging },
    { "show logging", "", "", "say whether set logging writes to a file, and to which",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_show_logging },
    { "set substitute-path", "", "FROM TO",
      "look for source files whose paths begin with FROM below TO", COMMAND_WHOLE_JOB,
      JOB_VERB_NONE, command_run_substitute_path },
    { "directory", "", "[FOLDER…]",
      "look for source files in these folders, too; without one, forget those named before",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_directory },
    { "source", "", "FILE",
      "run the commands of a file, as -x does; a line that fails skips the rest. A file that ends in .py is run by "
      "the Python inside pddt",
      COMMAND_AT_ONCE, JOB_VERB_NONE, command_run_source },
    { "python", "", "[STATEMENT]",
      "run Python inside pddt (py runs it in the ranks): there, pddt.job is the job. Without a statement, the lines "
      "that follow, up to `end`",
      COMMAND_AT_ONCE, JOB_VERB_NONE, command_run_python },
    { "define", "", "NAME",
      "name the commands in the lines that follow, up to `end`, as one command; in them, $arg0, $arg1, … stand for its "
      "words, $arg* for all of them, and $argc for their number",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_define },
    { "document", "", "NAME",
      "the lines that follow, up to `end`, are the help of a command that define has made",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_document },
    { "echo", "", "TEXT", "print the text, with \\n, \\t and the like as in C",
      COMMAND_WHOLE_JOB | COMMAND_AFTER_ALL, JOB_VERB_NONE, command_run_echo },
    { "pwd", "", "", "print pddt's working directory", COMMAND_WHOLE_JOB, JOB_VERB_NONE,
      command_run_pwd },
    { "set", "", "NAME = SET", "name a set; its ranks stay the same",
      COMMAND_WHOLE_JOB | COMMAND_AFTER_ALL, JOB_VERB_NONE, command_run_set },
    { "live set", "", "NAME = SET", "name a set that is computed again at each use",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_live_set },
    { "forget", "", "NAME", "delete a named set", COMMAND_WHOLE_JOB, JOB_VERB_NONE,
      command_run_forget },
    { "pick", "", "SET", "change the focus: the ranks on which commands without a set act",
      COMMAND_WHOLE_JOB | COMMAND_AFTER_ALL, JOB_VERB_NONE, command_run_pick },
    { "save", "", "[FILE.pddt]",
      "write the breakpoints, named sets and displays to a file; without FILE, to the one that pddt "
      "keeps for the program",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_save },
    { "load", "", "[FILE.pddt]", "restore what such a file has", COMMAND_WHOLE_JOB,
      JOB_VERB_NONE, command_run_load },
    { "kill", "k", "", "kill the ranks", MOTION | COMMAND_AT_ONCE, JOB_VERB_KILL,
      command_run_move },
    { "detach", "", "", "detach from the ranks; they run on without pddt",
      MOTION | COMMAND_AT_ONCE, JOB_VERB_DETACH, command_run_move },
    { "restart", "run", "", "start the same job again, with the same breakpoints",
      COMMAND_WHOLE_JOB | COMMAND_AFTER_ALL, JOB_VERB_NONE, command_run_restart },
    { "quit", "exit", "[STATUS]",
      "quit pddt; launched ranks are killed, attached ones run on. STATUS becomes pddt's exit status",
      COMMAND_WHOLE_JOB, JOB_VERB_NONE, command_run_quit },
    { "help", "", "[COMMAND]", "list the commands, or describe one", COMMAND_WHOLE_JOB,
      JOB_VERB_NONE, command_run_help },
};

static GPtrArray *added; /* of CommandRow: what users have defined; NULL: nothing */

const CommandRow *
command_table_get (guint index)
{
    if (index < G_N_ELEMENTS (rows)) {
        return &rows[index];
    }
    index -= G_N_ELEMENTS (rows);
    return added != NULL && index < added->len ? g_ptr_array_index (added, index) : NULL;
}

/* One way to say a command: "show state", "bt". */
typedef struct {
    const CommandRow *row;
    char *first, *second; /* second NULL for one word */
} Phrase;

BASE_FREE (free_phrase, Phrase, phrase, g_free (phrase->first); g_free (phrase->second))

static void
add_phrase (GPtrArray *phrases, const CommandRow *row, const char *text)
{
    g_auto (GStrv) words = g_strsplit (text, " ", 2);
    Phrase *phrase;

    if (words[0] == NULL) {
        return;
    }
    phrase = g_new0 (Phrase, 1);
    phrase->row = row;
    phrase->first = g_strdup (words[0]);
    phrase->second = g_strdup (words[1]);
    g_ptr_array_add (phrases, phrase);
}

static GPtrArray *
get_phrases (void)
{
    static GPtrArray *phrases;

    if (phrases == NULL) {
        phrases = g_ptr_array_new_with_free_func (free_phrase);
        for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
            g_auto (GStrv) words = g_strsplit (rows[i].words, ",", -1);

            add_phrase (phrases, &rows[i], rows[i].name);
            for (guint j = 0; words[j] != NULL; j++) {
                add_phrase (phrases, &rows[i], words[j]);
            }
        }
    }
    return phrases;
}

void
command_table_add (const char *name, const char *usage, const char *summary, guint flags,
                   void (*run) (CommandJob *job))
{
    CommandRow *row = NULL;

    BASE_EACH (added, CommandRow, known) {
        row = strcmp (known->name, name) == 0 ? known : row;
    }
    if (row == NULL) {
        row = g_new0 (CommandRow, 1);
        row->name = g_strdup (name);
        row->words = "";
        added = added != NULL ? added : g_ptr_array_new ();
        g_ptr_array_add (added, row);
        add_phrase (get_phrases (), row, name);
    }
    row->usage = g_intern_string (usage);
    row->summary = g_intern_string (summary);
    row->flags = flags;
    row->run = run;
}

/* The letters that make the command's word: "x/4xb" is x and an argument. */
static char *
take_letters (const char **text)
{
    const char *start = command_skip_spaces (*text), *end = start;

    while (g_ascii_isalpha (*end) || *end == '-' || *end == '_') {
        end++;
    }
    *text = end;
    return g_strndup (start, (gsize) (end - start));
}

static gboolean
is_word (const char *whole, const char *typed, gboolean exact)
{
    return exact ? strcmp (whole, typed) == 0 : g_str_has_prefix (whole, typed);
}

static gboolean
contains_text (GPtrArray *texts, const char *text)
{
    return g_ptr_array_find_with_equal_func (texts, text, g_str_equal, NULL);
}

static gboolean
fail_ambiguous (GError **error, const char *typed, GPtrArray *names)
{
    g_autofree char *list = NULL;

    g_ptr_array_add (names, NULL);
    list = g_strjoinv (", ", (char **) names->pdata);
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "\"%s\" is ambiguous: %s", typed, list);
    return FALSE;
}

/* The word that all the others begin with ("print" of print and printf) is meant by its beginnings.
 * Only its phrases stay in the list. FALSE: there is none. */
static gboolean
keep_shortest (GPtrArray *matches)
{
    const char *shortest = ((const Phrase *) g_ptr_array_index (matches, 0))->first;

    for (guint i = 1; i < matches->len; i++) {
        const Phrase *phrase = g_ptr_array_index (matches, i);

        shortest = strlen (phrase->first) < strlen (shortest) ? phrase->first : shortest;
    }
    for (guint i = 0; i < matches->len; i++) {
        if (!g_str_has_prefix (((const Phrase *) g_ptr_array_index (matches, i))->first,
                               shortest)) {
            return FALSE;
        }
    }
    for (guint i = matches->len; i-- > 0;) {
        if (strcmp (((const Phrase *) g_ptr_array_index (matches, i))->first, shortest) != 0) {
            g_ptr_array_remove_index (matches, i);
        }
    }
    return TRUE;
}

/* Which first word is meant: the exact one, or the only one (or only command) it begins. */
static gboolean
find_first (const char *typed, GPtrArray *matches, GError **error)
{
    GPtrArray *phrases = get_phrases ();
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    const CommandRow *only = NULL;
    gboolean is_one_row = TRUE;

    for (int exact = 1; exact >= 0 && matches->len == 0; exact--) {
        BASE_EACH (phrases, Phrase, phrase) {
            if (is_word (phrase->first, typed, exact)) {
                g_ptr_array_add (matches, phrase);
                is_one_row &= only == NULL || only == phrase->row;
                only = phrase->row;
                if (!contains_text (names, phrase->first)) {
                    g_ptr_array_add (names, phrase->first);
                }
            }
        }
    }
    if (matches->len == 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "no command \"%s\"; help lists them", typed);
        return FALSE;
    }
    return is_one_row || names->len == 1 || keep_shortest (matches)
           || fail_ambiguous (error, typed, names);
}

/* "info proc mappings": the third word of the phrase, where it was typed. */
static const char *
skip_rest_of_phrase (GPtrArray *matches, const CommandRow *row, const char *text)
{
    const char *after = text;
    g_autofree char *third = take_letters (&after);

    for (guint i = 0; i < matches->len && *third != '\0'; i++) {
        const Phrase *phrase = g_ptr_array_index (matches, i);
        const char *rest = phrase->second != NULL ? strchr (phrase->second, ' ') : NULL;

        if (phrase->row == row && rest != NULL && g_str_has_prefix (rest + 1, third)) {
            return after;
        }
    }
    return text;
}

/* "set NAME = SET": only the whole words var and option are commands of their own. */
static const CommandRow *
find_second (GPtrArray *matches, const char *first, const char **text, GError **error)
{
    const char *after = *text;
    g_autofree char *second = take_letters (&after);
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    const CommandRow *found = NULL, *alone = NULL;

    BASE_EACH (matches, const Phrase, phrase) {
        if (phrase->second == NULL) {
            alone = phrase->row;
        }
    }
    for (int exact = 1; exact >= (alone != NULL ? 1 : 0) && found == NULL; exact--) {
        BASE_EACH (matches, const Phrase, phrase) {
            if (phrase->second == NULL || *second == '\0'
                || !is_word (phrase->second, second, exact)) {
                continue;
            }
            if (found != phrase->row) {
                g_ptr_array_add (names, phrase->second);
            }
            found = phrase->row;
        }
    }
    if (names->len > 1) {
        fail_ambiguous (error, second, names);
        return NULL;
    }
    if (found != NULL) {
        *text = skip_rest_of_phrase (matches, found, after);
        return found;
    }
    if (alone == NULL && strcmp (first, "show") == 0
        && *second != '\0') { /* gdb has one for each setting */
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "no show %s: show options lists pddt's options, and help the commands",
                     second);
    } else if (alone == NULL) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "no command \"%s%s%s\"; help lists them", first,
                     *second != '\0' ? " " : "", second);
    }
    return alone;
}

const CommandRow *
command_table_find (const char **text, GError **error)
{
    g_autofree char *typed = take_letters (text);
    g_autoptr (GPtrArray) matches = g_ptr_array_new ();
    const Phrase *first;

    if (*typed == '\0') {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "\"%s\" is not a command; help lists them", *text);
        return NULL;
    }
    if (!find_first (typed, matches, error)) {
        return NULL;
    }
    first = g_ptr_array_index (matches, 0);
    return find_second (matches, first->first, text, error);
}

gboolean
command_takes_no_set (const char *line)
{
    const CommandRow *row = command_table_find (&line, NULL);

    return row != NULL && (row->flags & COMMAND_WHOLE_JOB) != 0;
}
