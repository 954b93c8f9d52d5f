/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `info frame`, `info line`, `info symbol`, `info scope`: what debug information and the
 * unwinder know about a frame, a place or an address. */
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"
#include "engine/notices.h"
#include <string.h>

#define ADDRESS "0x%" G_GINT64_MODIFIER "x"
#define MAX_SCOPES 8u

static char *
dup_base (const char *file)
{
    return file != NULL ? g_path_get_basename (file) : g_strdup ("?");
}

/* ---- frame ---- */

/* What the function has saved for its caller, between its stack pointer and the caller's. */
static void
append_saved (GString *text, const StackNativeFrame *own, const StackNativeFrame *caller,
              const char *pc)
{
    g_string_append (text, "\n Saved registers:\n  ");
    for (guint i = 0; i < MACHINE_N_PRESERVED; i++) {
        guint64 at = caller->saved_at[i];

        if (at >= own->sp && at < own->cfa) {
            g_string_append_printf (text, "%s at " ADDRESS ", ",
                                    machine_registers_get_name (machine_preserved_numbers[i]),
                                    at);
        }
    }
    g_string_append_printf (text, "%s at " ADDRESS, pc, own->cfa - 8);
}

static void
append_native_frame (GString *text, EngineProcess *process, const JobFrame *frame)
{
    const Stack *stack = process->stack;
    const StackNativeFrame *own = frame->native_index < stack->n_native
                                      ? &stack->native[frame->native_index]
                                      : NULL;
    const StackNativeFrame *caller = frame->native_index + 1 < stack->n_native ? own + 1 : NULL;
    const char *pc = machine_registers_get_name (machine_pc_number);

    if (own == NULL) {
        return;
    }
    g_string_append_printf (text, "\n %s = " ADDRESS, pc, own->pc);
    if (caller != NULL && !caller->is_tail_call) {
        g_string_append_printf (text, "; saved %s = " ADDRESS "\n called by frame at " ADDRESS,
                                pc, caller->pc, caller->cfa);
    } else {
        g_string_append (text, caller != NULL       ? "\n its caller left no frame"
                               : own->is_incomplete ? "\n its caller is not known"
                                                    : "\n outermost frame");
    }
    if (own->cfa != 0) {
        g_string_append_printf (text, "\n Previous frame's sp is " ADDRESS, own->cfa);
    }
    if (own->cfa != 0 && caller != NULL && !caller->is_tail_call && !own->is_trampoline) {
        append_saved (text, own, caller, pc);
    }
}

static gboolean
answer_frame (EngineInspection *look, const JobRequest *request, const JobFrame *frame)
{
    static const char *const languages[] = { [JOB_LANGUAGE_C] = "c",
                                             [JOB_LANGUAGE_CXX] = "c++",
                                             [JOB_LANGUAGE_FORTRAN] = "fortran",
                                             [JOB_LANGUAGE_PYTHON] = "python" };
    EngineProcess *process = look->process;
    g_autoptr (GString) text = g_string_new (NULL);
    g_autofree char *base = dup_base (frame->location.file);
    guint language = frame->location.language;

    g_string_append_printf (text, "Stack level %u, frame at " ADDRESS ": %s",
                            engine_inspect_get_selected (process), frame->cfa,
                            frame->location.function != NULL ? frame->location.function : "??");
    if (frame->location.line > 0) {
        g_string_append_printf (text, " (%s:%u)", base, frame->location.line);
    }
    if (frame->flags & JOB_FRAME_INLINED) {
        g_string_append (text, "\n inlined into its caller");
    }
    if (job_frame_is_python (frame)) {
        g_string_append_printf (text, "\n Python frame object at " ADDRESS, frame->pc);
    } else {
        append_native_frame (text, process, frame);
    }
    if (frame->location.line > 0 && language < G_N_ELEMENTS (languages)
        && languages[language] != NULL) {
        g_string_append_printf (text, "\n source language %s", languages[language]);
    }
    return engine_inspect_answer_text (look, request->id, text->str);
}

/* ---- line, scope ---- */

GPtrArray *
engine_inspect_find_places (EngineProcess *process, const JobRequest *request,
                            const JobFrame *frame, GError **error)
{
    g_autoptr (GPtrArray) places
        = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    JobWhere here = { .kind = JOB_WHERE_ADDRESS, .address = frame != NULL ? frame->pc : 0 };
    const JobWhere *where = request->where.kind != JOB_WHERE_NONE ? &request->where : &here;
    g_autofree char *text = job_where_format (&request->where);
    gboolean known = FALSE;

    if (request->where.kind == JOB_WHERE_NONE && job_frame_is_python (frame)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "a Python line has no addresses; info frame describes the frame");
        return NULL;
    }
    engine_modules_find_places (process, where, NULL, places, &known);
    if (places->len == 0) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no code at %s",
                        text != NULL ? text : "this place");
        return NULL;
    }
    return g_steal_pointer (&places);
}

/* Of a function, and of the line that it begins with, that is its entry, not its body, where a breakpoint stands. */
static guint64
find_beginning (EngineProcess *process, const JobRequest *request, const EnginePlace *place)
{
    guint64 entry = place->address, low, high;
    g_autofree char *name = engine_inspect_dup_symbol (process, place->address, &entry);
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, entry, &image);
    guint32 line = 0;

    if (name == NULL)
        return place->address;
    if (request->where.kind == JOB_WHERE_LINE
        && (image == NULL
            || !index_image_find_step_range (image, entry - module->bias, &low, &high, &line)
            || line < request->where.line || line > (guint32) place->location->line))
        return place->address;
    return request->where.kind == JOB_WHERE_LINE || request->where.kind == JOB_WHERE_FUNCTION
               ? entry
               : place->address;
}

static void
append_line (GString *text, EngineProcess *process, const JobRequest *request,
             const EnginePlace *place)
{
    guint64 address = find_beginning (process, request, place), low, high;
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, address, &image);
    g_autofree char *base = dup_base (place->location->file);
    g_autofree char *name = engine_inspect_dup_symbol (process, address, NULL);
    g_autofree char *end = NULL;
    guint32 line;

    g_string_append (text, text->len > 0 ? "\n" : "");
    if (image == NULL
        || !index_image_find_step_range (image, address - module->bias, &low, &high, &line)
        || line == 0) {
        g_string_append_printf (text, "No line number information for address " ADDRESS "%s%s",
                                address, name != NULL ? " " : "", name != NULL ? name : "");
        return;
    }
    if (request->where.kind == JOB_WHERE_LINE && request->where.line != line) {
        g_string_append_printf (text, "Line %u of \"%s\" has no code; ", request->where.line,
                                base);
    }
    g_free (name);
    name = engine_inspect_dup_symbol (process, low + module->bias, NULL);
    end = engine_inspect_dup_symbol (process, high + module->bias, NULL);
    g_string_append_printf (text,
                            "Line %u of \"%s\" starts at address " ADDRESS
                            "%s%s and ends at " ADDRESS "%s%s.",
                            line, base, low + module->bias, name != NULL ? " " : "",
                            name != NULL ? name : "", high + module->bias,
                            end != NULL ? " " : "", end != NULL ? end : "");
}

static gboolean
answer_line (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
             GError **error)
{
    g_autoptr (GPtrArray) places = engine_inspect_find_places (look->process, request, frame,
                                                               error);
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; places != NULL && i < places->len; i++) {
        append_line (text, look->process, request, g_ptr_array_index (places, i));
    }
    return places != NULL && engine_inspect_answer_text (look, request->id, text->str);
}

static void
append_scope (GString *text, EngineProcess *process, const EnginePlace *place)
{
    StackModule *module = stack_modules_find (engine_process_get_modules (process),
                                              place->address);
    GPtrArray *programs = module == NULL
                              ? NULL
                              : index_client_bind_variables (process->engine->symbols,
                                                             stack_module_get_file (module),
                                                             place->address - module->bias, 0,
                                                             EVALUATE_VARIABLES_LOCALS, NULL);
    g_autofree char *base = dup_base (place->location->file);
    const char *function = place->location->function != NULL ? place->location->function : "?";

    g_string_append (text, text->len > 0 ? "\n" : "");
    if (module == NULL) { /* the program has made it */
        g_string_append_printf (text, "Scope for %s contains no locals or arguments.",
                                function);
        return;
    }
    if (place->location->line == 0) {
        g_autofree char *why = engine_inspect_dup_undescribed (process, place->address,
                                                               place->location);

        g_string_append (text, why);
        return;
    }
    if (programs == NULL || programs->len == 0) {
        g_string_append_printf (text, "Scope for %s at %s:%u contains no locals or arguments.",
                                function, base, place->location->line);
        return;
    }
    g_string_append_printf (text, "Scope for %s at %s:%u:", function, base,
                            place->location->line);
    for (guint i = 0; i < programs->len; i++) {
        const EvaluateProgram *program = g_ptr_array_index (programs, i);

        g_string_append_printf (text, "\nSymbol %s is a variable of type %s.",
                                evaluate_program_get_name (program),
                                evaluate_program_get_type_name (program));
    }
}

static gboolean
answer_scope (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
              GError **error)
{
    g_autoptr (GPtrArray) places = engine_inspect_find_places (look->process, request, frame,
                                                               error);
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; places != NULL && i < MIN (places->len, MAX_SCOPES); i++) {
        append_scope (text, look->process, g_ptr_array_index (places, i));
    }
    return places != NULL && engine_inspect_answer_text (look, request->id, text->str);
}

/* For who lists it: the place as the only frame of a stack. */
static gboolean
answer_place (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
              GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (GPtrArray) places = engine_inspect_find_places (process, request, frame, error);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    JobFrame *found = job_frame_new ();
    JobLocation *location;
    JobEvent *event;

    g_ptr_array_add (frames, found);
    if (places == NULL) {
        return FALSE;
    }
    location = job_location_dup (((EnginePlace *) g_ptr_array_index (places, 0))->location);
    found->location = *location;
    g_free (location);
    event = engine_inspect_new_event (look, JOB_EVENT_STACKS, request->id);
    event->tree = job_stack_tree_new ();
    job_stack_tree_add (event->tree, frames, slot);
    engine_emit (process->engine, event);
    return TRUE;
}

/* ---- symbol ---- */

/* Of an array its own, as in C, and of what has no debug information. */
static JobValue *
evaluate_address (EngineInspection *look, const JobFrame *frame, const char *text,
                  GError **error)
{
    JobValue *value = engine_inspect_evaluate_here (look, frame, text, 'a', error);

    if (value != NULL && value->text != NULL
        && ((strchr ("{\"", *value->text) != NULL && strstr (value->text, "} 0x") == NULL)
            || strcmp (value->text, "<incomplete type>") == 0)) {
        g_autofree char *place = g_strdup_printf ("&(%s)", text);

        job_value_free (value);
        value = engine_inspect_evaluate_here (look, frame, place, 'a', error);
    }
    return value;
}

/* "0x1234 <table+8>", as print/a shows it; behind the type of a function. NULL: there is none. */
static const char *
find_named (const JobValue *value)
{
    const char *text = value != NULL ? value->text : NULL;
    const char *behind = text != NULL && *text == '{' ? strstr (text, "} 0x") : NULL;

    text = behind != NULL ? behind + 2 : text;
    return text != NULL && g_str_has_prefix (text, "0x") ? text : NULL;
}

static gboolean
answer_symbol (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
               GError **error)
{
    EngineProcess *process = look->process;
    g_autoptr (JobValue) value = evaluate_address (look, frame, request->text2, error);
    const char *number = find_named (value);
    const char *open = number != NULL ? strchr (number, '<') : NULL;
    guint64 address = number != NULL ? g_ascii_strtoull (number + 2, NULL, 16) : 0;
    StackModule *module = address != 0
                              ? stack_modules_find (engine_process_get_modules (process),
                                                    address)
                              : NULL;
    g_autofree char *name = NULL, *base = NULL, *text = NULL;
    char *plus;

    if (value == NULL) {
        return FALSE;
    }
    if (open == NULL || value->is_problem || !g_str_has_suffix (open, ">")) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no symbol matches %s", request->text2);
        return FALSE;
    }
    name = g_strndup (open + 1, strlen (open) - 2);
    plus = strrchr (name, '+');
    base = module != NULL ? g_path_get_basename (module->path) : NULL;
    if (plus != NULL && g_ascii_isdigit (plus[1])) {
        *plus = '\0';
        text = g_strdup_printf ("%s + %s%s%s", name, plus + 1, base != NULL ? " in " : "",
                                base != NULL ? base : "");
    } else {
        text = g_strdup_printf ("%s%s%s", name, base != NULL ? " in " : "",
                                base != NULL ? base : "");
    }
    return engine_inspect_answer_text (look, request->id, text);
}

/* ---- macro ---- */

/* text2: what is asked (symbol/macros.h), a space, and the text. */
static gboolean
answer_macro (EngineInspection *look, const JobRequest *request, const JobFrame *frame,
              GError **error)
{
    EngineProcess *process = look->process;
    const char *text = strchr (request->text2, ' ');
    g_autofree char *what = g_strndup (request->text2, (gsize) (text - request->text2));
    g_autofree char *answered = NULL, *shown = NULL;
    EngineNative scope;

    if (job_frame_is_python (frame)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "Python has no macros; select a frame of C or C++");
        return FALSE;
    }
    if (!engine_native_open_frame (&scope, engine_process_get_selected (process),
                                   process->stack, frame, error)) {
        return FALSE;
    }
    answered = index_client_ask_text (process->symbols, "macros",
                                      stack_module_get_file (scope.module), scope.lookup,
                                      scope.inline_depth, what, text + 1, error);
    shown = answered != NULL ? g_utf8_make_valid (answered, -1) : NULL;
    return shown != NULL && engine_inspect_answer_text (look, request->id, shown);
}

/* ---- source ---- */

/* Of Python code that is in no file: the interpreter says it. */
static gboolean
answer_source (EngineInspection *look, const JobRequest *request, GError **error)
{
    EngineProcess *process = look->process;
    const Stack *stack = engine_inspect_get_stack (process);

    if (process->engine->notices->ask_python (process, request, 0)) {
        return TRUE;
    }
    for (guint i = 0; !look->sampled && stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        if (job_frame_is_python (frame)) {
            return process->engine->notices->run_python (process, request, frame->native_index,
                                                         NULL, error);
        }
    }
    base_error_set (
        error, BASE_ERROR_UNSUPPORTED,
        "cannot read %s: it is no file, and Python can be asked for it only where it is stopped",
        request->text2);
    return FALSE;
}

gboolean
engine_inspect_answer_info (EngineInspection *look, const JobRequest *request, GError **error)
{
    const JobFrame *frame = engine_inspect_find_value_frame (look->process, request, error);

    return frame != NULL && engine_inspect_answer_info_in (look, request, frame, error);
}

gboolean
engine_inspect_answer_info_in (EngineInspection *look, const JobRequest *request,
                               const JobFrame *frame, GError **error)
{
    const char *what = request->text != NULL ? request->text : "";

    if (strcmp (what, "source") == 0 && request->text2 != NULL) {
        return answer_source (look, request, error);
    }
    if (strcmp (what, "line") == 0) {
        return answer_line (look, request, frame, error);
    }
    if (strcmp (what, "place") == 0) {
        return answer_place (look, request, frame, error);
    }
    if (strcmp (what, "scope") == 0) {
        return answer_scope (look, request, frame, error);
    }
    if (strcmp (what, "symbol") == 0 && request->text2 != NULL) {
        return answer_symbol (look, request, frame, error);
    }
    if (strcmp (what, "macro") == 0 && request->text2 != NULL
        && strchr (request->text2, ' ') != NULL) {
        return answer_macro (look, request, frame, error);
    }
    if (strcmp (what, "object") == 0 && request->text2 != NULL) {
        return engine_inspect_answer_object (look, request, frame, error);
    }
    return answer_frame (look, request, frame);
}
