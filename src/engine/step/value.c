/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function has just returned: finds its type before it returns, and assembles its bytes
 * from the registers that the psABI names. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/step/private.h"
#include "evaluate/returned.h"
#include <string.h>

#define PLACE                                                                                  \
    4096u /* where the bytes seem to be, while they are shown: no program has memory there */

struct _EngineReturned {
    char *function;
    char *path, *type;
    guint64 lookup;
    gboolean is_cython;
    gboolean is_described; /* the type is of the file's debug information */
};

BASE_FREE_PUBLIC (engine_returned_free, EngineReturned, returned, g_free (returned->function);
                  g_free (returned->path); g_free (returned->type))

/* By its lines, else by its symbol; MPI's own functions have MPI's names. ret_expression: what it is called in C. */
static char *
dup_function (EngineProcess *process, guint64 pc, const char **ret_expression)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    IndexFrame frames[ENGINE_MAX_INLINED];
    const char *name = NULL;
    guint64 offset;
    guint count;

    if (image == NULL) {
        return NULL;
    }
    count = index_image_find_frames (image, pc - module->bias, frames, G_N_ELEMENTS (frames));
    name = count > 0 ? frames[count - 1].function : NULL;
    if (name == NULL) {
        name = index_image_find_symbol_at (image, pc - module->bias, &offset);
    }
    *ret_expression = count > 0 && frames[count - 1].is_cython
                          ? index_image_find_symbol_at (image, pc - module->bias, &offset)
                          : name;
    return g_strdup (name);
}

/* What the standard says of MPI's functions in C, as most MPIs come without debug information. NULL: it
 * is none, or it returns a handle. */
static const char *
find_mpi_type (const char *function)
{
    static const struct {
        const char *name, *type;
    } others[] = {
        { "MPI_Wtime", "double" },
        { "MPI_Wtick", "double" },
        { "MPI_Aint_add", "long" },
        { "MPI_Aint_diff", "long" },
    };

    function += g_str_has_prefix (function, "PMPI_") ? 1 : 0;
    for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
        if (strcmp (function, others[i].name) == 0) {
            return others[i].type;
        }
    }
    if (!g_str_has_prefix (function, "MPI_") || !g_ascii_isupper (function[4])
        || g_str_has_suffix (function, "_f2c") || g_str_has_suffix (function, "_fromint")) {
        return NULL;
    }
    return "int";
}

EngineReturned *
engine_returned_new (EngineProcess *process, guint64 pc)
{
    StackModule *module = stack_modules_find (engine_process_get_modules (process), pc);
    const char *expression = NULL;
    g_autofree char *function = dup_function (process, pc, &expression);
    g_autofree char *type = engine_step_dup_return_type (process, pc, expression);
    const char *mpi_type = type == NULL && function != NULL ? find_mpi_type (function) : NULL;
    EngineReturned *returned;

    if (module == NULL || function == NULL || (type == NULL && mpi_type == NULL)
        || process->symbols == NULL) {
        return NULL;
    }
    returned = g_new0 (EngineReturned, 1);
    returned->path = g_strdup (stack_module_get_file (module));
    returned->is_described = type != NULL;
    returned->is_cython = expression != NULL && g_strcmp0 (expression, function) != 0;
    returned->type = type != NULL ? g_steal_pointer (&type) : g_strdup (mpi_type);
    returned->function = g_strdup (g_str_has_prefix (function, "PMPI_") ? function + 1
                                                                        : function);
    returned->lookup = pc - module->bias;
    return returned;
}

const char *
engine_returned_get_type (const EngineReturned *returned)
{
    return returned->type;
}

static const char *
get_function (const EngineReturned *returned)
{
    return returned->function;
}

/* ---- bytes ---- */

typedef struct {
    BaseMemoryReader reader; /* first: a reader is its own memory */
    BaseMemoryReader *memory;
    guint8 bytes[64];
    gsize size;
} Overlay;

static void
read_overlaid (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    Overlay *overlay = (Overlay *) reader;

    for (guint i = 0; i < n_items; i++) {
        BaseMemoryItem *item = &items[i];

        if (item->address >= PLACE && item->address - PLACE < overlay->size) {
            gsize offset = item->address - PLACE;

            item->done = MIN (item->size, overlay->size - offset);
            memcpy (item->data, overlay->bytes + offset, item->done);
        } else {
            overlay->memory->read (overlay->memory, item, 1);
        }
    }
}

static gboolean
take_registers (EngineThread *thread, const MachinePassing *plan, guint8 *bytes)
{
    MachineResult result;

    if (!engine_call_read_result (thread, &result)) {
        return FALSE;
    }
    machine_passing_assemble (plan, &result, bytes);
    return TRUE;
}

static const EvaluateProgram *
bind (EngineThread *thread, const EngineReturned *returned, const char *type, guint64 address)
{
    g_autofree char *text = g_strdup_printf ("*(%s *) 0x%" G_GINT64_MODIFIER "x", type,
                                             address);

    return index_client_bind (thread->process->symbols, returned->path, returned->lookup, 0,
                              text, NULL);
}

static JobValue *
show (EngineThread *thread, const EngineReturned *returned, const EvaluateProgram *program,
      BaseMemoryReader *memory)
{
    EvaluateContext context = { .memory = memory };
    StackModule *module = stack_modules_find (engine_process_get_modules (thread->process),
                                              machine_registers_get_pc (&thread->registers));
    EngineNative scope = { .process = thread->process };
    JobValue *value;

    context.bias = module != NULL ? module->bias : 0;
    context.user = &scope;
    context.note_value = engine_native_note_value;
    value = evaluate_program_run (program, &context, &thread->process->engine->limits, NULL);
    if (returned->is_cython) {
        engine_inspect_read_object (thread->process, &thread->process->engine->limits, &value);
    }
    engine_kept_add_shown (thread->process, value);
    return value;
}

static JobValue *
show_at (EngineThread *thread, const EngineReturned *returned, const char *type,
         guint64 address)
{
    const EvaluateProgram *program = bind (thread, returned, type, address);

    return program != NULL
               ? show (thread, returned, program, engine_process_get_memory (thread->process))
               : NULL;
}

/* The function has returned to the thread's pc. NULL: none, or it cannot be told. */
static JobValue *
read_returned (EngineThread *thread, const EngineReturned *returned)
{
    gboolean is_reference;
    g_autofree char *type = NULL;
    Overlay overlay
        = { { read_overlaid, NULL }, engine_process_get_memory (thread->process), { 0 }, 0 };
    const EvaluateProgram *program;
    MachinePassing plan;

    if (returned == NULL || strcmp (returned->type, "void") == 0
        || !engine_thread_load_registers (thread)) {
        return NULL;
    }
    if (!returned->is_described) {
        return engine_step_read_value (thread, returned->type);
    }
    is_reference = g_str_has_suffix (returned->type, "&");
    type = g_strndup (returned->type, strcspn (returned->type, "&"));
    if (is_reference) {
        return show_at (thread, returned, type,
                        machine_registers_get_result (&thread->registers, 0));
    }
    program = bind (thread, returned, type, PLACE);
    if (program == NULL) {
        return engine_step_read_value (thread, type); /* no casts in Fortran */
    }
    evaluate_program_classify_return (program, &plan);
    overlay.size = MIN (plan.size, sizeof overlay.bytes);
    if (plan.kind == MACHINE_PASSING_MEMORY) {
        return show_at (thread, returned, type,
                        machine_registers_get_result (&thread->registers, 0));
    }
    if (plan.kind != MACHINE_PASSING_REGISTERS
        || !take_registers (thread, &plan, overlay.bytes)) {
        return NULL;
    }
    return show (thread, returned, program, &overlay.reader);
}

void
engine_returned_emit (EngineThread *thread, const EngineReturned *returned)
{
    EngineProcess *process = thread->process;
    g_autoptr (JobValue) value = read_returned (thread, returned);
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    const char *function = returned != NULL ? get_function (returned) : NULL;
    JobEvent *event;

    if (value == NULL) {
        return;
    }
    event = job_event_new (JOB_EVENT_RETURNED, process->motion, slot);
    event->place = job_location_new (function, NULL, 0);
    event->table = job_value_table_new ();
    job_value_table_add (event->table, function, slot, value);
    engine_emit (process->engine, event);
}
