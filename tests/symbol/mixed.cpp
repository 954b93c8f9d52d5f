/* SPDX-License-Identifier: GPL-3.0-or-later */
// What mixed.c calls.
int weigh (const char *) { return 3; }
int weigh (double) { return 2; }
int weigh (int) { return 1; }

extern "C" int
weigh_all ()
{
    return weigh (1) + weigh (1.5) + weigh ("text");
}
