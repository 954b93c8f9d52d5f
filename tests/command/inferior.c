/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends well; with an argument when its input ends, and says that it waits for that. */
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
    return 0;
}
