/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language on a terminal or in a script: the list of the command line, then the prompt; what
 * is printed, what is read, and the status that pddt ends with. */
#include "command/script-private.h"
#include "base/patience.h"
#include "command/out.h"
#include "command/prompt.h"
#include <errno.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define END_S 15    /* for the launcher to end after it was told to */
#define LINGER_S 10 /* for the launcher to end by itself when all its ranks have */
#define PARTIAL_MS 500
#define DRAIN_MS 20 /* until the launcher is asked again whether it has taken its input */
#define MAX_LINE (1 << 20) /* bytes of a command on an input that is no terminal */
#define STATUS_MS 250      /* how the start comes along */

typedef struct {
    char *text;
    int file;     /* 0: an -e; else lines of the same -x have the same */
    guint number; /* in its file, from 1 */
} Line;

typedef struct {
    Session *session;
    CommandContext *context;
    const CommandTerminalOptions *options;
    GMainLoop *loop;
    GQueue *lines; /* of Line */
    int file;      /* of the line that runs */
    guint number;  /* its own */
    gboolean began, running, failed, waited, at_end, prompting, stop, reads_lines, stdin_over;
    GString *typed;      /* from an input that is no terminal */
    gboolean skips_line; /* up to the next one: too long */
    guint input_source, partial_source;
    JobRankSet *input_ranks; /* the keyboard goes there */
    CommandOut *out;
    char *status; /* shown of the start; NULL: nothing */
    guint status_source;
} Terminal;

static void run_next (Terminal *terminal);

/* ---- how the start comes along ---- */

static void
hide_status (Terminal *terminal)
{
    if (terminal->status != NULL && !terminal->prompting) {
        fprintf (stderr, "\r%*s\r", (int) strlen (terminal->status), "");
        fflush (stderr);
    }
    g_clear_pointer (&terminal->status, g_free);
}

/* In the prompt; without one on the terminal of the errors, where there is one. */
static gboolean
on_status (gpointer data)
{
    Terminal *terminal = data;
    g_autoptr (BaseText) beginning = session_dup_beginning_text (terminal->session);
    g_autofree char *text = beginning != NULL ? g_strdup (beginning->english) : NULL;

    if (g_strcmp0 (text, terminal->status) == 0) {
        return G_SOURCE_CONTINUE;
    }
    hide_status (terminal);
    if (terminal->prompting) {
        command_prompt_set_status (text);
        command_prompt_update (terminal->session, terminal->input_ranks != NULL);
        terminal->status = g_steal_pointer (&text);
    } else if (text != NULL && isatty (STDERR_FILENO) && !terminal->options->json) {
        fputs (text, stderr);
        fflush (stderr);
        terminal->status = g_steal_pointer (&text);
    }
    return G_SOURCE_CONTINUE;
}

/* The prompt is on a terminal, which takes what is written; elsewhere a reader may be slow. */
static void
on_write (CommandOutKind kind, int stream, const char *text, gpointer user)
{
    Terminal *terminal = user;
    int fd = stream == 2 && !terminal->options->json ? 2 : 1;
    gboolean drives = kind == COMMAND_OUT_OUTPUT && !terminal->options->json && isatty (fd);
    g_autofree char *shown = drives ? session_dup_output_line (terminal->session, text)
                                    : g_strdup (text);

    if (terminal->context->record != NULL && kind != COMMAND_OUT_OUTPUT) {
        command_record_take_text (terminal->context->record, text);
    }
    if (!terminal->prompting) {
        hide_status (terminal);
        command_out_write (terminal->out, fd, shown);
        return;
    }
    command_prompt_hide ();
    fprintf (fd == 2 ? stderr : stdout, "%s\n", shown);
    fflush (fd == 2 ? stderr : stdout);
    command_prompt_show ();
}

static void
on_full (gboolean full, const char *problem, gpointer user)
{
    Terminal *terminal = user;

    if (terminal != NULL) {
        session_hold_output (terminal->session, full);
    }
}

BASE_FREE (free_line, Line, line, g_free (line->text))

static void
push_line (Terminal *terminal, const char *text, int file, guint number)
{
    Line *line = g_new0 (Line, 1);

    line->text = g_strdup (text);
    line->file = file;
    line->number = number;
    g_queue_push_tail (terminal->lines, line);
}

static void
load_file (Terminal *terminal, const char *path, int file)
{
    g_autofree char *contents = NULL;
    g_auto (GStrv) lines = NULL;

    if (g_str_has_suffix (path, ".py")) {
        g_autofree char *quoted = command_quote_word (path);
        g_autofree char *line = g_strdup_printf ("source %s", quoted);

        push_line (terminal, line, 0, 0);
        return;
    }
    if (!g_file_get_contents (path, &contents, NULL, NULL)) {
        fprintf (stderr, "pddt: cannot read %s: %s\n", path, g_strerror (errno));
        terminal->failed = TRUE;
        return;
    }
    lines = g_strsplit (contents, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        push_line (terminal, lines[i], file, i + 1);
    }
}

static void
load_lines (Terminal *terminal)
{
    GPtrArray *lines = terminal->options->lines;
    g_autofree char *init = command_dup_init ();

    if (init != NULL) {
        push_line (terminal, init, 0, 0);
    }
    for (guint i = 0; lines != NULL && i < lines->len; i++) {
        const char *line = g_ptr_array_index (lines, i);

        if (line[0] == 'x') {
            load_file (terminal, line + 2, (int) i + 1);
        } else {
            push_line (terminal, line + 2, 0, 0);
        }
    }
}

/* ---- the end ---- */

static gboolean
stop_loop (gpointer data)
{
    Terminal *terminal = data;

    terminal->stop = TRUE;
    g_main_loop_quit (terminal->loop);
    return G_SOURCE_CONTINUE;
}

static void
begin_end (Terminal *terminal)
{
    terminal->stop = TRUE;
    g_main_loop_quit (terminal->loop);
}

static gboolean
note_over (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_CONTINUE;
}

static void
await_ended (Terminal *terminal, guint seconds)
{
    gboolean is_over = FALSE;
    guint source = base_patience_add (seconds * 1000, note_over, &is_over, NULL);

    /* what our reader has not taken may hold up what the launcher has still to say */
    while ((!is_over || !command_out_is_empty (terminal->out))
           && !session_is_ended (terminal->session)) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (source);
}

/* When every rank has ended by itself, the launcher's last words are still worth waiting for. */
static gboolean
is_job_over (Terminal *terminal)
{
    const guint32 *counts = session_get_counts (terminal->session);
    guint32 size = session_get_size (terminal->session);

    return size > 0 && counts[JOB_STATE_EXITED] + counts[JOB_STATE_FAILED] == size;
}

static void
end_session (Terminal *terminal)
{
    if (terminal->context->record != NULL) {
        command_record_close (terminal->context->record);
    }
    if (!session_is_ended (terminal->session) && is_job_over (terminal)) {
        await_ended (terminal, LINGER_S);
    }
    command_context_flush (terminal->context);
    session_end (terminal->session);
    if (!session_is_ended (terminal->session)) {
        await_ended (terminal, END_S);
    }
    command_context_flush_output (terminal->context);
}

/* ---- the list ---- */

static gboolean
is_command (const char *text)
{
    text += strspn (text, " \t\r");
    return *text != '\0' && *text != '#';
}

/* Leaves out the rest of the file whose line has failed; says so where that were commands. */
static void
skip_file (Terminal *terminal, int file)
{
    const char *name = NULL;
    gboolean has_commands = FALSE;
    g_autofree char *text = NULL;

    while (!g_queue_is_empty (terminal->lines)
           && ((Line *) g_queue_peek_head (terminal->lines))->file == file) {
        Line *skipped = g_queue_pop_head (terminal->lines);

        has_commands |= is_command (skipped->text);
        free_line (skipped);
    }
    if (!has_commands) {
        return;
    }
    name = (const char *) g_ptr_array_index (terminal->options->lines, file - 1) + 2;
    text = g_strdup_printf ("%s:%u failed, the rest of the file is skipped", name,
                            terminal->number);
    command_context_write_error (terminal->context, text);
}

static void
check_hand_over (Terminal *terminal)
{
    if (terminal->context->hand_over != NULL) {
        g_clear_pointer (&terminal->input_ranks, job_rank_set_free);
        terminal->input_ranks = g_steal_pointer (&terminal->context->hand_over);
    }
}

static void
on_done (gboolean ok, gpointer user)
{
    Terminal *terminal = user;

    terminal->running = FALSE;
    terminal->failed |= !ok;
    if (!ok && terminal->file != 0 && !terminal->context->answered) {
        skip_file (terminal, terminal->file);
    }
    if (command_context_is_quit (terminal->context)) {
        begin_end (terminal);
        return;
    }
    run_next (terminal);
}

static void begin_prompt (Terminal *terminal);

/* Lines without their `end` are no commands. */
static void
fail_open_block (Terminal *terminal)
{
    g_autofree char *name = command_take_open_block (terminal->context);
    g_autofree char *text = NULL;

    if (name != NULL) {
        text = g_strdup_printf ("%s: the end is missing", name);
        terminal->failed = TRUE;
        command_context_write_error (terminal->context, text);
    }
}

static void
run_last (Terminal *terminal, const char *line)
{
    terminal->running = TRUE;
    terminal->file = 0;
    command_run (terminal->context, line, on_done, terminal);
}

static void
finish_list (Terminal *terminal)
{
    gboolean is_end = !terminal->options->interactive
                      || (terminal->reads_lines && terminal->stdin_over);

    if (!command_context_is_idle (terminal->context)) {
        run_last (terminal, "");
        return;
    }
    if (is_end) {
        fail_open_block (terminal);
    }
    if (terminal->context->moved != NULL && !terminal->waited && is_end) {
        g_autofree char *ranks = job_rank_set_format (terminal->context->moved);
        g_autofree char *line = g_strdup_printf ("on %s wait", ranks);

        terminal->waited = TRUE;
        run_last (terminal, line);
        return;
    }
    if (is_end) {
        begin_end (terminal);
    } else {
        begin_prompt (terminal);
    }
}

static gboolean
run_next_idle (gpointer data)
{
    Terminal *terminal = data;
    Line *line;

    if (terminal->running || terminal->stop) {
        return G_SOURCE_REMOVE;
    }
    line = g_queue_pop_head (terminal->lines);
    if (line == NULL) {
        finish_list (terminal);
        return G_SOURCE_REMOVE;
    }
    terminal->running = TRUE;
    terminal->file = line->file;
    terminal->number = line->number;
    command_run (terminal->context, line->text, on_done, terminal);
    free_line (line);
    return G_SOURCE_REMOVE;
}

/* Not from inside of on_done: a file of ten thousand comments must not be ten thousand frames. */
static void
run_next (Terminal *terminal)
{
    g_idle_add_full (G_PRIORITY_DEFAULT, run_next_idle, terminal, NULL);
}

static void
begin_list (Terminal *terminal)
{
    if (!terminal->began) {
        terminal->began = TRUE;
        terminal->context->waiting = FALSE;
        command_context_flush (terminal->context);
        command_context_begin_script (terminal->context);
        run_next (terminal);
    }
}

static void
on_ready (Session *session, Terminal *terminal)
{
    if (terminal->prompting) {
        on_status (terminal);
        command_context_flush (terminal->context);
    }
    begin_list (terminal);
}

static void
on_ended (Session *session, int wait_status, Terminal *terminal)
{
    if (session_get_size (session) == 0
        && !(terminal->prompting && session_is_given_up (session))) {
        begin_end (terminal);
    } else {
        begin_list (terminal);
    }
}

/* ---- the prompt ---- */

static void
on_prompt_done (gboolean ok, gpointer user)
{
    Terminal *terminal = user;

    check_hand_over (terminal);
    if (command_context_is_quit (terminal->context)) {
        begin_end (terminal);
    }
    if (terminal->prompting) {
        command_prompt_update (terminal->session, terminal->input_ranks != NULL);
    }
}

/* NULL: end of file. */
static void
on_prompt_line (const char *text, gpointer user)
{
    Terminal *terminal = user;

    if (terminal->input_ranks != NULL) {
        if (text == NULL) {
            session_write_input (terminal->session, terminal->input_ranks, "", TRUE);
            g_clear_pointer (&terminal->input_ranks, job_rank_set_free);
        } else {
            g_autofree char *line = g_strdup_printf ("%s\n", text);

            session_write_input (terminal->session, terminal->input_ranks, line, FALSE);
        }
        command_prompt_update (terminal->session, terminal->input_ranks != NULL);
    } else if (text == NULL) {
        begin_end (terminal);
    } else {
        command_run (terminal->context, text, on_prompt_done, terminal);
    }
}

static void
on_sets_changed (Session *session, Terminal *terminal)
{
    if (terminal->prompting) {
        command_prompt_update (session, terminal->input_ranks != NULL);
    }
}

static void
on_progress (Session *session, guint64 request, guint arrived, guint asked, Terminal *terminal)
{
    on_sets_changed (session, terminal);
}

static gboolean
on_partial (gpointer data)
{
    Terminal *terminal = data;

    command_context_flush_output (terminal->context);
    return G_SOURCE_CONTINUE;
}

static void
fail_long_line (Terminal *terminal)
{
    terminal->failed = TRUE;
    command_context_write_error (terminal->context,
                                 "a line of the input is too long, it is skipped");
}

/* The whole lines of what has been read. FALSE: there was none. */
static gboolean
push_typed (Terminal *terminal)
{
    const char *at = terminal->typed->str, *end;
    gsize left = terminal->typed->len;
    gboolean is_any = FALSE;

    while ((end = memchr (at, '\n', left)) != NULL) {
        if (!terminal->skips_line) {
            terminal->typed->str[end - terminal->typed->str] = '\0';
            push_line (terminal, at, 0, 0);
            is_any = TRUE;
        }
        terminal->skips_line = FALSE;
        left -= (gsize) (end + 1 - at);
        at = end + 1;
    }
    g_string_erase (terminal->typed, 0, at - terminal->typed->str);
    if (left > MAX_LINE || terminal->skips_line) {
        if (!terminal->skips_line) {
            fail_long_line (terminal);
        }
        terminal->skips_line = TRUE;
        g_string_truncate (terminal->typed, 0);
    }
    return is_any;
}

/* Lines of a pipe: as -e, in their turn. What comes after them waits in the pipe until they have run:
 * begin_prompt reads on. */
static gboolean
on_stdin (int fd, GIOCondition condition, gpointer data)
{
    Terminal *terminal = data;
    char buffer[4096];
    ssize_t n = read (fd, buffer, sizeof buffer);

    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return G_SOURCE_CONTINUE;
    }
    if (n > 0) {
        g_string_append_len (terminal->typed, buffer, n);
    } else if (terminal->typed->len > 0) {
        g_string_append_c (terminal->typed, '\n');
    }
    terminal->stdin_over = n <= 0;
    if (!push_typed (terminal) && n > 0) {
        return G_SOURCE_CONTINUE;
    }
    terminal->input_source = 0;
    run_next (terminal);
    return G_SOURCE_REMOVE;
}

static void
begin_prompt (Terminal *terminal)
{
    if (terminal->reads_lines) {
        if (terminal->input_source == 0 && !terminal->stdin_over) {
            terminal->input_source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP, on_stdin,
                                                    terminal);
        }
        return;
    }
    if (!terminal->prompting) {
        hide_status (terminal);
        command_out_flush (terminal->out);
        terminal->prompting = TRUE;
        terminal->context->can_hand_over = TRUE;
        terminal->context->is_script = FALSE;
        terminal->partial_source = g_timeout_add (PARTIAL_MS, on_partial, terminal);
        command_prompt_begin (terminal->session, on_prompt_line, terminal);
    }
}

/* ---- the launcher's input ---- */

/* With -e and -x pddt needs no input of its own: what it is given is the program's, as without
 * pddt, unless the list feeds it. */
static gboolean
list_feeds_input (Terminal *terminal)
{
    for (GList *at = terminal->lines->head; at != NULL; at = at->next) {
        if (command_feeds_input (terminal->session, ((Line *) at->data)->text)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean on_forward (int fd, GIOCondition condition, gpointer data);

static gboolean
on_drained (gpointer data)
{
    Terminal *terminal = data;

    if (session_is_input_full (terminal->session)) {
        return G_SOURCE_CONTINUE;
    }
    terminal->input_source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP, on_forward,
                                            terminal);
    return G_SOURCE_REMOVE;
}

static gboolean
on_forward (int fd, GIOCondition condition, gpointer data)
{
    Terminal *terminal = data;
    char buffer[4097];
    ssize_t n;

    if (session_is_input_full (terminal->session)) {
        terminal->input_source = g_timeout_add (DRAIN_MS, on_drained, terminal);
        return G_SOURCE_REMOVE;
    }
    n = read (fd, buffer, sizeof buffer - 1);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return G_SOURCE_CONTINUE;
    }
    buffer[MAX (n, 0)] = '\0';
    if (!session_is_ended (terminal->session)) {
        session_forward_input (terminal->session, buffer, (gsize) MAX (n, 0), n <= 0);
    }
    if (n <= 0) {
        terminal->input_source = 0;
        return G_SOURCE_REMOVE;
    }
    return G_SOURCE_CONTINUE;
}

/* ---- signals ---- */

static gboolean
on_interrupt (gpointer data)
{
    Terminal *terminal = data;

    if (terminal->prompting) {
        gboolean had_text = command_prompt_clear ();

        if (!command_cancel (terminal->context) && !had_text) {
            session_give_up_beginning (terminal->session);
        }
        return G_SOURCE_CONTINUE;
    }
    terminal->failed = TRUE;
    return stop_loop (terminal);
}

static gboolean
on_terminate (gpointer data)
{
    Terminal *terminal = data;

    terminal->failed = TRUE;
    if (terminal->stop) { /* once more: nobody takes what is still to be said */
        command_out_drop (terminal->out);
    }
    return stop_loop (terminal);
}

static int
choose_status (Terminal *terminal)
{
    if (session_get_failure (terminal->session) != NULL) {
        return 3;
    }
    if (terminal->context->quit_status != COMMAND_NO_STATUS) {
        return (int) terminal->context->quit_status;
    }
    return terminal->failed || terminal->context->hook_failed ? 1 : 0;
}

static void
begin (Terminal *terminal)
{
    gboolean has_list;

    load_lines (terminal);
    has_list = !g_queue_is_empty (terminal->lines);
    /* A script sees the first stops as one event, before its first command. */
    terminal->context->waiting = has_list || !terminal->options->interactive;
    terminal->reads_lines = !isatty (STDIN_FILENO);
    if (terminal->options->interactive && !has_list && !terminal->reads_lines) {
        begin_prompt (terminal);
        terminal->began = TRUE;
    } else if (session_is_ready (terminal->session)) {
        begin_list (terminal);
    }
    if (!terminal->options->interactive && terminal->reads_lines
        && !list_feeds_input (terminal)) {
        terminal->input_source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP, on_forward,
                                                terminal);
    }
}

static void
save_reports (Terminal *terminal)
{
    GPtrArray *reports = terminal->options->reports;

    for (guint i = 0; terminal->context->record != NULL && i < reports->len; i++) {
        g_autoptr (GError) error = NULL;

        if (!command_record_save (terminal->context->record, g_ptr_array_index (reports, i),
                                  &error)) {
            fprintf (stderr, "pddt: %s\n", error->message);
            terminal->failed = TRUE;
        }
    }
}

static void
clear_terminal (Terminal *terminal)
{
    g_clear_handle_id (&terminal->input_source, g_source_remove);
    g_clear_handle_id (&terminal->partial_source, g_source_remove);
    g_clear_pointer (&terminal->input_ranks, job_rank_set_free);
    g_queue_free_full (terminal->lines, free_line);
    g_string_free (terminal->typed, TRUE);
    g_main_loop_unref (terminal->loop);
    g_clear_pointer (&terminal->context->record, command_record_free);
    command_context_free (terminal->context);
    command_out_free (terminal->out);
}

static void
write_start_done (Session *session, CommandOut *out)
{
    guint64 start = session_get_start_request (session);
    g_autofree char *done = command_json_format_done (start, FALSE, NULL);

    command_out_write (out, 1, done);
}

void
command_terminal_fail_start (Session *session, const CommandTerminalOptions *options,
                             const char *problem)
{
    g_autofree char *text = NULL;
    CommandOut *out;

    if (!options->json) {
        return;
    }
    out = command_out_new (0, on_full, NULL);
    text = command_json_format_text ("error", session_get_start_request (session), NULL,
                                     problem);
    command_out_write (out, 1, text);
    write_start_done (session, out);
    command_out_flush (out);
    command_out_free (out);
}

int
command_terminal_run (Session *session, const CommandTerminalOptions *options)
{
    Terminal terminal = { .session = session, .options = options };
    guint interrupt, terminate;
    gulong ready, ended, sets, progress;
    int status;

    terminal.loop = g_main_loop_new (NULL, FALSE);
    terminal.lines = g_queue_new ();
    terminal.typed = g_string_new (NULL);
    terminal.out = command_out_new (0, on_full, &terminal);
    terminal.context = command_context_new (session, options->json, on_write, &terminal);
    command_context_keep_displays (terminal.context);
    if (options->reports != NULL && options->reports->len > 0) {
        terminal.context->record = command_record_new (session, options->version);
    }
    ready = g_signal_connect (session, "ready", G_CALLBACK (on_ready), &terminal);
    ended = g_signal_connect (session, "ended", G_CALLBACK (on_ended), &terminal);
    sets = g_signal_connect (session, "sets-changed", G_CALLBACK (on_sets_changed), &terminal);
    progress = g_signal_connect_after (session, "progress", G_CALLBACK (on_progress),
                                       &terminal);
    interrupt = g_unix_signal_add (SIGINT, on_interrupt, &terminal);
    terminate = g_unix_signal_add (SIGTERM, on_terminate, &terminal);
    terminal.status_source = g_timeout_add (STATUS_MS, on_status, &terminal);
    begin (&terminal);
    if (!terminal.stop) {
        g_main_loop_run (terminal.loop);
    }
    g_clear_handle_id (&terminal.status_source, g_source_remove);
    hide_status (&terminal);
    if (terminal.prompting) {
        terminal.prompting = FALSE;
        command_prompt_end ();
    }
    g_signal_handler_disconnect (session, ready);
    g_signal_handler_disconnect (session, ended);
    g_signal_handler_disconnect (session, sets);
    g_signal_handler_disconnect (session, progress);
    end_session (&terminal);
    if (options->json && !terminal.began) {
        write_start_done (session, terminal.out);
    }
    command_out_flush (terminal.out);
    g_source_remove (interrupt);
    g_source_remove (terminate);
    save_reports (&terminal);
    status = choose_status (&terminal);
    while (g_source_remove_by_user_data (&terminal)) {
    }
    terminal.input_source = terminal.partial_source = 0;
    clear_terminal (&terminal);
    return status;
}
