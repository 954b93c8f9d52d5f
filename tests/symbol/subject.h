/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program that the tests of symbol look at. */
#pragma once
typedef void (*subject_callback) (const char *place);
int subject_run (subject_callback callback);
