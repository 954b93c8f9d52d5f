/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges native and Python frames into the list that the user sees. */
#pragma once
#include "stack/modules-private.h"

/* Appends the JobFrames of native frame `index`, the most inlined first. */
void stack_name_frame (StackModules *modules, const GArray *native, guint index,
                       PythonRuntime *python, GPtrArray *frames);
/* The address that names a native frame: before the return address for callers. */
guint64 stack_get_lookup_pc (const GArray *native, guint index);
/* Where frames have no anchor (to 3.10), gives each the stack address of its native frame. */
void stack_anchor_frames (StackModules *modules, BaseMemoryReader *memory, const GArray *native,
                          PythonRuntime *python, GPtrArray *python_frames);
/* All frames innermost first, with flags. python_frames NULL: native only. whole: the native
 * stack is complete, so left-over Python frames follow it. */
GPtrArray *stack_blend (StackModules *modules, const GArray *native, PythonRuntime *python,
                        const GPtrArray *python_frames, gboolean whole);
