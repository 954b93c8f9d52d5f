/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of libunwind that are used, as pointers. */
#pragma once
#include "stack/library.h"
#include <libunwind.h>

/* Exported by libunwind, but in no header: searches a table of any layout. */
typedef int (*StackSearchTable) (unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
                                 unw_proc_info_t *ret_info, int need_unwind_info, void *arg);

typedef struct {
    __typeof__ (&unw_create_addr_space) create_addr_space;
    __typeof__ (&unw_set_caching_policy) set_caching_policy;
    __typeof__ (&unw_init_remote) init_remote;
    __typeof__ (&unw_step) step;
    __typeof__ (&unw_get_reg) get_reg;
    __typeof__ (&unw_get_save_loc) get_save_loc;
    StackSearchTable search_table;
} StackLibrary;

/* NULL when this host has none. */
const StackLibrary *stack_library_get (void);
