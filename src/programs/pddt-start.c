/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shim that a launcher starts before each rank's program. */
#include "launch/shim.h"

int
main (int argc, char **argv)
{
    return launch_shim_run (argc, argv);
}
