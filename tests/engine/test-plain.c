/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value that is shown without a run of its program has the text that a run gives: all variables of all frames of
 * programs, step for step. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "rig.h"

#define N_STEPS 50u

static Rig rig;
static guint n_plain;

static const EvaluateLimits limits[] = {
    EVALUATE_LIMITS_DEFAULT,
    { .depth = 1, .items = 1, .bytes = 3, .compared = 1 << 20 },
    { .depth = 1, .items = 1, .bytes = 3, .compared = 1 },
    { .depth = 3, .items = 8, .bytes = 200, .letter = 'x' },
};

static void
compare (const EngineNative *scope, const EvaluateProgram *program)
{
    for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
        g_autoptr (GString) text = g_string_new (NULL);
        g_autoptr (JobValue) value = evaluate_program_run (program, &scope->context, &limits[i],
                                                           NULL);

        g_assert_nonnull (value);
        if (!evaluate_program_append_plain (program, &scope->context, &limits[i], text)) {
            g_assert_cmpstr (text->str, ==, "");
            continue;
        }
        g_assert_cmpstr (text->str, ==, value->text);
        g_assert_false (value->is_problem);
        g_assert_cmpint (limits[i].letter, ==, '\0');
        n_plain++;
    }
}

static void
compare_frame (EngineThread *thread, const Stack *stack, const JobFrame *frame)
{
    EngineNative scope;
    GPtrArray *programs;

    if (frame->location.line == 0
        || !engine_native_open_frame (&scope, thread, stack, frame, NULL)) {
        return;
    }
    programs = index_client_bind_variables (thread->process->symbols,
                                            stack_module_get_file (scope.module), scope.lookup,
                                            scope.inline_depth, EVALUATE_VARIABLES_LOCALS,
                                            NULL);
    for (guint i = 0; programs != NULL && i < programs->len; i++) {
        compare (&scope, g_ptr_array_index (programs, i));
    }
}

static void
test_program (gconstpointer name)
{
    g_autofree char *path = rig_dup_inferior (name);
    gboolean is_stopped = TRUE;
    EngineProcess *process;
    guint32 slot;

    if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
        g_test_skip ("no such compiler");
        return;
    }
    n_plain = 0;
    rig_open (&rig, "main");
    slot = rig_start_inferior (&rig, name, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    process = engine_find_process (rig.engine, slot);
    for (guint i = 0; i < N_STEPS && is_stopped; i++) {
        const Stack *stack = engine_inspect_get_stack (process);

        for (guint j = 0; stack != NULL && j < stack->frames->len; j++) {
            compare_frame (engine_process_get_selected (process), stack,
                           g_ptr_array_index (stack->frames, j));
        }
        rig_do (&rig, slot, JOB_VERB_STEP);
        is_stopped = job_state_get_info (rig_wait_stop (&rig, slot)->state)->is_stopped;
    }
    g_test_message ("%u values", n_plain);
    g_assert_cmpuint (n_plain, >, 50);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    static const char *const programs[] = { "inferior-plain-o0",      "inferior-plain-o1",
                                            "inferior-plain-o2",      "inferior-plain-o3",
                                            "inferior-plain-og",      "inferior-plain-clang",
                                            "inferior-inlined-o2",    "inferior-inlined-og",
                                            "inferior-references-o0", "inferior-steps" };

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (programs); i++) {
        g_autofree char *path = g_strconcat ("/engine/plain/", programs[i], NULL);

        g_test_add_data_func (path, programs[i], test_program);
    }
    return g_test_run ();
}
