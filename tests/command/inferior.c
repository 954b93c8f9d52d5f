/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exits with 0; with an argument, prints that it waits and exits when its input ends. */
#include <unistd.h>

int
main (int argc, char **argv)
{
    char byte = '.';

    (void) argv;
    if (argc > 1 && write (STDOUT_FILENO, &byte, 1) == 1) {
        while (read (STDIN_FILENO, &byte, 1) > 0) {
        }
    }
    return 0; //@ end
}
