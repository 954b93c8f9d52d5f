/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a module at run time (argument: its path), calls into it, unloads it, twice. */
#include <dlfcn.h>
#include <stddef.h>

int
main (int argc, char **argv)
{
    int sum = 0;

    for (int i = 0; i < 2; i++) {
        void *module = dlopen (argv[1], RTLD_LAZY | RTLD_LOCAL); /*@ open */
        int (*work) (int) = module != NULL ? (int (*) (int)) dlsym (module, "plugin_work") : NULL;

        if (work == NULL) {
            return 6;
        }
        sum += work (i); /*@ call */
        dlclose (module);
    }
    return sum;
}
