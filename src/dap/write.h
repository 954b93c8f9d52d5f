/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON piece by piece. A name NULL: an element of a list. Texts that are no UTF-8 are made so. */
#pragma once
#include <glib.h>

void dap_write_begin (GString *json, const char *name, char bracket);    /* '{' or '[' */
void dap_write_end (GString *json, char bracket);                        /* '}' or ']' */
void dap_write_text (GString *json, const char *name, const char *text); /* NULL: left out */
void dap_write_number (GString *json, const char *name, gint64 number);
void dap_write_flag (GString *json, const char *name, gboolean flag);
/* What is JSON already. */
void dap_write_raw (GString *json, const char *name, const char *text);
/* "0x…", as memory references are. */
void dap_write_address (GString *json, const char *name, guint64 address);
