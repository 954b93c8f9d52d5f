/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a type consists of, for the calling convention (machine/passing.h). UNKNOWN where debug information does not
 * say. */
#pragma once
#include "evaluate/program.h"
#include "machine/passing.h"

/* Of the type of the program's result. */
void evaluate_program_classify_return (const EvaluateProgram *program,
                                       MachinePassing *ret_passing);
/* Of any type of its table, returned or passed. */
void evaluate_program_classify (const EvaluateProgram *program, guint32 type,
                                MachinePassing *ret_passing);
