/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt --doctor: looks at this machine and says what would keep pddt from working. */
#pragma once
#include <glib.h>

/* Prints a line for each thing looked at: "ok" (works), "note" (pddt gets along without, or only part
 * of it is affected) or "bad" (pddt does not work), what it is, and where it is not ok what to do.
 * words: a launcher's line without a program ("mpirun -np 2 -H a,b"): the other hosts are looked at
 * by the same program, which that line starts there, and each line begins with the host's name; empty:
 * this host alone. Returns the exit status: 0, 1 if a line is bad, 3 if the launcher failed. */
int program_doctor_run (char **words);
