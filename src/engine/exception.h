/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/private.h"

G_BEGIN_DECLS

/* A C++ exception of a process: its type information and the object. */
typedef struct {
    guint64 type, object;
} EngineException;

/* At the first instruction of __cxa_throw. */
gboolean engine_exception_find_thrown (EngineThread *thread, EngineException *ret_exception);
/* At the first instruction of __cxa_begin_catch. FALSE: its type is not known. */
gboolean engine_exception_find_caught (EngineThread *thread, EngineException *ret_exception);
/* In a thread that aborts: the uncaught exception that caused it. FALSE: there is none. */
gboolean engine_exception_find_uncaught (EngineThread *thread, EngineException *ret_exception);
/* "app::trouble"; NULL: it cannot be read. Caller owns. */
char *engine_exception_dup_type (EngineProcess *process, const EngineException *exception);
/* With its text, if it is a number, a pointer to text, or (derived from) a standard library
 * class with a text: "int: 7", "std::runtime_error: two". The text is the program's. */
char *engine_exception_describe (EngineProcess *process, const EngineException *exception);

G_END_DECLS
