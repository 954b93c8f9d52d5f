/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a breakpoint has no place yet. */
#include "engine/breakpoint/private.h"
#include "engine/control/control.h"

/* Why the program's own names cannot be read; NULL: they can, or nobody has tried. */
static const char *
find_loss (const EngineProcess *process)
{
    ENGINE_EACH_MODULE (process, module) {
        if (module->is_executable) {
            return stack_module_get_loss (module);
        }
    }
    return NULL;
}

char *
engine_breakpoint_dup_pending (const EngineBreakpointSite *site)
{
    const JobWhere *where = &site->breakpoint->request->where;
    const char *loss = find_loss (site->process);

    if (site->refusal != NULL || site->python_reason != NULL) {
        return g_strdup (site->refusal != NULL ? site->refusal : site->python_reason);
    }
    if (loss != NULL && where->kind != JOB_WHERE_ADDRESS) {
        return g_strdup (loss);
    }
    if (where->kind == JOB_WHERE_LINE) {
        return site->file_known
                   ? g_strdup_printf ("no code at line %u of \"%s\"", where->line, where->file)
                   : g_strdup_printf ("no file \"%s\" yet", where->file);
    }
    if (where->function != NULL) {
        return g_strdup_printf ("no function \"%s\" yet", where->function);
    }
    return g_strdup_printf ("nothing at 0x%" G_GINT64_MODIFIER "x yet", where->address);
}

char *
engine_breakpoint_dup_remark (const EngineProcess *process, const JobRequest *request,
                              const char *text)
{
    g_autofree char *remark = NULL;

    if (request->thread == 0 || engine_process_find_thread (process, request->thread) != NULL) {
        return g_strdup (text);
    }
    remark = g_strdup_printf (request->thread > process->next_number ? "waits for thread %u"
                                                                     : "thread %u has ended",
                              request->thread);
    return text != NULL ? g_strconcat (text, "; ", remark, NULL) : g_steal_pointer (&remark);
}
