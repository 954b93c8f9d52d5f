/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native ranks only: nobody has a mailbox. */
#include "engine/private.h"

void engine_python_on_exec (EngineProcess *process) {}
void engine_python_on_modules (EngineProcess *process) {}
gboolean engine_python_is_stop (const EngineProcess *process) { return FALSE; }
gboolean engine_python_prepare_motion (EngineProcess *process, const JobRequest *request) { return FALSE; }
void engine_python_handle_breakpoint (EngineProcess *process, const JobRequest *request) {}
gboolean engine_python_handle_query (EngineProcess *process, const JobRequest *request, guint32 python_index) { return FALSE; }
void engine_python_on_gone (EngineProcess *process) {}
