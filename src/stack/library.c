/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries to load libunwind once; the result is final for this process. */
#include "stack/library-private.h"
#include "base/error.h"
#include <dlfcn.h>

#define LIBRARY "libunwind-" G_STRINGIFY (UNW_TARGET) ".so.8"
#define NAME(function) G_STRINGIFY (UNW_OBJ (function)) /* that for other processes */

static gboolean
load (StackLibrary *library)
{
    void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void **place;
    } functions[] = { { NAME (create_addr_space), (void **) &library->create_addr_space },
                      { NAME (set_caching_policy), (void **) &library->set_caching_policy },
                      { NAME (init_remote), (void **) &library->init_remote },
                      { NAME (step), (void **) &library->step },
                      { NAME (get_reg), (void **) &library->get_reg },
                      { NAME (get_save_loc), (void **) &library->get_save_loc },
                      { NAME (dwarf_search_unwind_table), (void **) &library->search_table } };

    for (gsize i = 0; handle != NULL && i < G_N_ELEMENTS (functions); i++) {
        *functions[i].place = dlsym (handle, functions[i].name);
        if (*functions[i].place == NULL) {
            return FALSE;
        }
    }
    return handle != NULL;
}

const StackLibrary *
stack_library_get (void)
{
    static StackLibrary library;
    static gsize outcome;

    if (g_once_init_enter (&outcome)) {
        gboolean is_loaded = load (&library);

        if (!is_loaded) {
            g_message ("stacks cannot be unwound: this host has no " LIBRARY);
        }
        g_once_init_leave (&outcome, is_loaded ? 1 : 2);
    }
    return outcome == 1 ? &library : NULL;
}

gboolean
stack_library_load (GError **error)
{
    if (stack_library_get () == NULL) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot unwind stacks: this host has no %s", LIBRARY);
        return FALSE;
    }
    return TRUE;
}
