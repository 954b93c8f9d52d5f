/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that reports and blocks, stopped for a look at its stack. */
#pragma once
#include "stack/stack.h"

typedef struct {
    pid_t pid;
    int input;            /* closing it lets the program end */
    char *report;         /* lines up to "end" */
    gboolean is_seized;
    BaseMemoryReader *memory;
    StackModules *modules;
} Inferior;

/* NULL-terminated arguments; returns when the program has reported and sleeps in the kernel. */
Inferior *inferior_start (const char *const *arguments);
/* Seizes and stops all threads, reads modules. */
void inferior_stop (Inferior *inferior, IndexClient *client);
void inferior_free (Inferior *inferior); /* kills it */
/* Output of gdb's commands on the process, which must not be seized; NULL without gdb. */
char *inferior_ask_gdb (const Inferior *inferior, const char *const *commands);
