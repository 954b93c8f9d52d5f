/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What joins the rooms. */
#pragma once
#include "engine/notices.h"

extern const EngineNotices engine_notices; /* notices.c */
/* Carries out the request on its ranks, none of which is busy. */
void engine_take_request (Engine *engine, const JobRequest *request);

/* ---- stops as they come ---- */
void engine_stops_take (Engine *engine, const TargetStop *stop);
/* Handles stops held during a halt, for processes that run again. */
void engine_stops_drain (Engine *engine);

/* ---- why a signal came ---- */
/* The reason for a stopped thread's signal ("a null pointer (address 0x8)"); NULL: not
 * known. Noted as the process's last one. Caller owns. */
char *engine_signal_dup_reason (EngineThread *thread, int signal, const TargetSignalInfo *info);

/* ---- a child that executes a set-user-ID file ---- */
/* It has gone on: it is not about to execute such a file. */
gboolean engine_gain_go_past (EngineThread *thread, const TargetStop *stop);
/* It was about to, and has been let go. */
gboolean engine_gain_let_go (EngineThread *thread);

/* ---- core files ---- */
/* Refuses what core files cannot do; returns the request for the other ranks, which the caller
 * owns. */
JobRequest *engine_core_filter (Engine *engine, const JobRequest *request);
