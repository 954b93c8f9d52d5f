/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What loads.c loads. */
int plugin_work (int i);

int
plugin_work (int i)
{
    int twice = i * 2; /*@ plugin */
    return twice + 1;
}
