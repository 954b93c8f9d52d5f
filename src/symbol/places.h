/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of code in files, for whoever has recorded addresses. */
#pragma once
#include "index/client.h"
#include <stdio.h>

/* Answers each line "BUILD-ID ADDRESS PATH" (ADDRESS: the hexadecimal link-time address of the instruction after a call; BUILD-ID "-":
 * any file) with a line "FUNCTION<tab>FILE<tab>LINE": the innermost function of the call in the program's own files, inlined ones
 * included, and its line. What is not known is empty; so is all of a file with another build-id. FALSE: the answers could not be written. */
gboolean symbol_places_answer (IndexClient *client, FILE *from, FILE *to);
