/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of the protocol that pddt answers, and what it tells of itself. */
#include "dap/private.h"
#include <string.h>

typedef enum {
    AT_ONCE = 1 << 0, /* before `initialize` has been answered */
    WITHOUT = 1 << 1, /* also where there is no job */
} DapRowFlags;

static const struct {
    const char *command;
    guint flags;
    void (*run) (DapRequest *request);
} rows[] = {
    { "initialize", AT_ONCE | WITHOUT, dap_run_initialize },
    { "launch", WITHOUT, dap_run_launch },
    { "attach", WITHOUT, dap_run_attach },
    { "configurationDone", WITHOUT, dap_run_configured },
    { "disconnect", AT_ONCE | WITHOUT, dap_run_disconnect },
    { "terminate", 0, dap_run_terminate },
    { "restart", 0, dap_run_restart },
    { "cancel", WITHOUT, dap_run_cancel },
    { "setBreakpoints", WITHOUT, dap_run_set_breakpoints },
    { "setFunctionBreakpoints", WITHOUT, dap_run_set_functions },
    { "setInstructionBreakpoints", WITHOUT, dap_run_set_instructions },
    { "setExceptionBreakpoints", WITHOUT, dap_run_set_exceptions },
    { "setDataBreakpoints", WITHOUT, dap_run_set_data },
    { "dataBreakpointInfo", 0, dap_run_data_info },
    { "exceptionInfo", 0, dap_run_exception_info },
    { "threads", WITHOUT, dap_run_threads },
    { "stackTrace", 0, dap_run_stack },
    { "scopes", 0, dap_run_scopes },
    { "variables", 0, dap_run_variables },
    { "setVariable", 0, dap_run_set_variable },
    { "setExpression", 0, dap_run_set_expression },
    { "evaluate", 0, dap_run_evaluate },
    { "completions", 0, dap_run_completions },
    { "continue", 0, dap_run_continue },
    { "next", 0, dap_run_next },
    { "stepIn", 0, dap_run_step_in },
    { "stepOut", 0, dap_run_step_out },
    { "pause", 0, dap_run_pause },
    { "gotoTargets", 0, dap_run_targets },
    { "goto", 0, dap_run_goto },
    { "stepInTargets", 0, dap_run_step_targets },
    { "breakpointLocations", 0, dap_run_locations },
    { "source", 0, dap_run_source },
    { "loadedSources", 0, dap_run_sources },
    { "modules", 0, dap_run_modules },
    { "disassemble", 0, dap_run_disassemble },
    { "readMemory", 0, dap_run_read_memory },
    { "writeMemory", 0, dap_run_write_memory },
    { "pddt/state", 0, dap_run_state },
    { "pddt/groups", 0, dap_run_groups },
    { "pddt/why", 0, dap_run_why },
    { "pddt/queue", 0, dap_run_queue },
    { "pddt/compare", 0, dap_run_compare },
    { "pddt/command", 0, dap_run_command },
    { "pddt/sets", 0, dap_run_sets },
    { "pddt/pin", 0, dap_run_pin },
};

/* Of the protocol, but nothing that can be done for ranks: they are not among the capabilities either. */
static const struct {
    const char *command, *reason;
} refused[] = {
    { "restartFrame",
      "a call cannot be begun again, because what it has written and sent cannot "
      "be taken back; gotoTargets lets ranks go on at another line" },
    { "stepBack", "ranks cannot go back, because what they have sent is with others" },
    { "reverseContinue", "ranks cannot go back, because what they have sent is with others" },
    { "terminateThreads",
      "one rank cannot be ended without the others; terminate ends the job" },
    { "locations", "pddt gives no references to locations" },
};

static const char *
find_refused (const char *command)
{
    return BASE_CHOOSE (i, G_N_ELEMENTS (refused), strcmp (refused[i].command, command) == 0,
                        refused[i].reason, NULL);
}

void
dap_handle (DapRequest *request)
{
    DapServer *server = request->server;
    const char *reason = find_refused (request->command);

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (g_strcmp0 (rows[i].command, request->command) != 0) {
            continue;
        }
        if (!server->is_initialized && !(rows[i].flags & AT_ONCE)) {
            dap_fail (request, "%s comes before initialize: a client begins with that",
                      request->command);
        } else if (dap_request_is_good (request)
                   && ((rows[i].flags & WITHOUT) || dap_life_check (request))) {
            rows[i].run (request);
        }
        return;
    }
    if (reason != NULL) {
        dap_fail (request, "%s: %s", request->command, reason);
        return;
    }
    dap_fail (request, "pddt does not know the request \"%.100s\"", request->command);
}

void
dap_write_capabilities (GString *body)
{
    static const char *const able[] = {
        "supportsConfigurationDoneRequest",
        "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints",
        "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers",
        "supportsSetVariable",
        "supportsSetExpression",
        "supportsCompletionsRequest",
        "supportsModulesRequest",
        "supportsRestartRequest",
        "supportsExceptionFilterOptions",
        "supportsExceptionInfoRequest",
        "supportTerminateDebuggee",
        "supportsDelayedStackTraceLoading",
        "supportsLoadedSourcesRequest",
        "supportsLogPoints",
        "supportsTerminateRequest",
        "supportsDisassembleRequest",
        "supportsGotoTargetsRequest",
        "supportsStepInTargetsRequest",
        "supportsBreakpointLocationsRequest",
        "supportsReadMemoryRequest",
        "supportsWriteMemoryRequest",
        "supportsDataBreakpoints",
        "supportsCancelRequest",
        "supportsClipboardContext",
        "supportsSteppingGranularity",
        "supportsInstructionBreakpoints",
        "supportsSingleThreadExecutionRequests",
    };

    for (guint i = 0; i < G_N_ELEMENTS (able); i++) {
        dap_write_flag (body, able[i], TRUE);
    }
    dap_write_begin (body, "completionTriggerCharacters", '[');
    dap_write_text (body, NULL, " ");
    dap_write_text (body, NULL, ".");
    dap_write_end (body, ']');
    dap_write_filters (body);
}
