/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of tail calls: a function that ends by jumping into another one leaves no frame. The
 * call instruction gives the called function, and the stack the function that was reached. If
 * only one chain of tail calls connects them, its functions become frames; with several chains,
 * only their common parts, marked as incomplete. */
#include "machine/code.h"
#include "stack/modules-private.h"
#include "base/array.h"
#include <string.h>

#define MAX_CHAIN 32u
#define MAX_SEARCH 500u /* calls looked at for one pair of frames */
#define MAX_STUBS 3u

/* The jumps on the way, those of the functions called first first. */
typedef struct {
    guint64 sites[MAX_CHAIN];
    guint n;
} Chain;

typedef struct {
    StackModules *modules;
    BaseMemoryReader *memory;
    guint64 goal; /* entry of the function that was reached */
    Chain chain, found;
    guint n_found;
    guint n_first, n_last; /* how many sites all chains share, from either end */
    guint n_seen;
    gboolean is_unknown; /* some function has a jump with unknown target */
} Search;

/* Entry of the function at the address; 0 when none is known there. */
static guint64
find_entry (StackModules *modules, guint64 address)
{
    StackModule *module = stack_modules_find (modules, address);
    IndexImage *image = module != NULL ? stack_module_open_image (modules, module) : NULL;
    guint64 entry;

    if (image == NULL || !index_image_find_entry (image, address - module->bias, &entry)) {
        return 0;
    }
    return entry + module->bias;
}

/* Through the stubs of linkage tables to the function. */
static guint64
pass_stubs (StackModules *modules, BaseMemoryReader *memory, guint64 address)
{
    for (guint i = 0; i < MAX_STUBS; i++) {
        guint8 code[12];
        guint64 slot;

        if (!stack_modules_read_file (modules, address, code, sizeof code)
            || !machine_code_find_slot (code, sizeof code, address, &slot)) {
            break;
        }
        if (!base_memory_read_u64 (memory, slot, &address, NULL)) {
            return 0;
        }
    }
    return address;
}

/* What the call before a return address calls; 0 when the instruction does not say. */
static guint64
find_called (StackModules *modules, BaseMemoryReader *memory, guint64 return_pc)
{
    guint8 code[MACHINE_MAX_JUMP];
    guint64 target;

    return stack_modules_read_file (modules, return_pc - sizeof code, code, sizeof code)
                   && machine_code_find_called (code, sizeof code, return_pc, &target)
               ? pass_stubs (modules, memory, target)
               : 0;
}

/* The same of a call, or of a tail call's jump. */
static guint64
find_target (StackModules *modules, BaseMemoryReader *memory, guint64 site)
{
    StackModule *module = stack_modules_find (modules, site);
    IndexImage *image = module != NULL ? stack_module_open_image (modules, module) : NULL;
    guint64 entry = find_entry (modules, site - 1);
    IndexTailCall call;

    for (guint i = 0; image != NULL && entry != 0
                      && index_image_find_tail_call (image, entry - module->bias, i, &call);
         i++) {
        if (call.pc != 0 && call.pc + module->bias == site) {
            return call.target != 0 ? pass_stubs (modules, memory, call.target + module->bias)
                                    : 0;
        }
    }
    return find_called (modules, memory, site);
}

static gboolean
is_on_chain (const Search *search, guint64 site)
{
    return BASE_ANY (i, search->chain.n, search->chain.sites[i] == site);
}

static void
take_chain (Search *search)
{
    const Chain *now = &search->chain;
    Chain *found = &search->found;
    guint same = 0;

    if (search->n_found++ == 0) {
        *found = *now;
        search->n_first = search->n_last = now->n;
        return;
    }
    while (same < MIN (search->n_first, now->n) && now->sites[same] == found->sites[same]) {
        same++;
    }
    search->n_first = same;
    for (same = 0; same < MIN (search->n_last, now->n)
                   && now->sites[now->n - 1 - same] == found->sites[found->n - 1 - same];
         same++) {
    }
    search->n_last = same;
}

/* All ways on from the function with that entry to the goal. */
static void
search_from (Search *search, guint64 entry)
{
    StackModule *module = stack_modules_find (search->modules, entry);
    IndexImage *image = module != NULL ? stack_module_open_image (search->modules, module)
                                       : NULL;
    IndexTailCall call;

    for (guint i = 0; image != NULL && !search->is_unknown
                      && index_image_find_tail_call (image, entry - module->bias, i, &call);
         i++) {
        guint64 site = call.pc + module->bias, target = 0;

        if (call.pc != 0 && is_on_chain (search, site)) {
            continue;
        }
        if (call.target != 0) {
            target = pass_stubs (search->modules, search->memory, call.target + module->bias);
        }
        if (target == 0 || ++search->n_seen > MAX_SEARCH || search->chain.n == MAX_CHAIN) {
            search->is_unknown = TRUE;
            return;
        }
        search->chain.sites[search->chain.n++] = site;
        if (target == search->goal) {
            take_chain (search);
        } else {
            search_from (search, target);
        }
        search->chain.n--;
    }
}

/* At the end of the jump the stack is as in its target before the first instruction, and registers
 * that outlive calls are the caller's again. */
static StackNativeFrame
make_frame (const StackNativeFrame *callee, const StackNativeFrame *caller, guint64 site)
{
    StackNativeFrame frame = { .pc = site,
                               .sp = callee->cfa - 8,
                               .cfa = callee->cfa,
                               .valid = caller->valid,
                               .is_tail_call = TRUE,
                               .unwound = callee->unwound };

    memcpy (frame.registers, caller->registers, sizeof frame.registers);
    frame.registers[machine_sp_number] = frame.sp;
    frame.registers[machine_pc_number] = frame.pc;
    return frame;
}

/* Appends the frames between the last frame of `frames` and its caller. */
static void
add_frames (const Search *search, const StackNativeFrame *caller, GArray *frames)
{
    StackNativeFrame callee = g_array_index (frames, StackNativeFrame, frames->len - 1);
    const Chain *found = &search->found;
    guint n_last = search->n_last;
    guint n_first = search->n_found == 1 ? 0 : search->n_first;

    for (guint i = 0; i < n_last; i++) {
        StackNativeFrame frame = make_frame (&callee, caller, found->sites[found->n - 1 - i]);

        g_array_append_val (frames, frame);
    }
    if (search->n_found > 1 || search->is_unknown) {
        g_array_index (frames, StackNativeFrame, frames->len - 1).is_after_gap = TRUE;
    }
    for (guint i = n_first; i > 0; i--) {
        StackNativeFrame frame = make_frame (&callee, caller, found->sites[i - 1]);

        g_array_append_val (frames, frame);
    }
}

static void
search_between (StackModules *modules, BaseMemoryReader *memory, const StackNativeFrame *caller,
                gboolean is_innermost, GArray *frames)
{
    const StackNativeFrame *callee = &g_array_index (frames, StackNativeFrame, frames->len - 1);
    gboolean is_return = !is_innermost && !callee->is_signal;
    Search search = { .modules = modules, .memory = memory };
    guint64 called = find_called (modules, memory, caller->pc);

    if (called == 0) {
        return;
    }
    search.goal = find_entry (modules, callee->pc - (is_return ? 1 : 0));
    if (search.goal == 0 || search.goal == called) {
        return;
    }
    search_from (&search, called);
    if (search.is_unknown) {
        search.n_found = search.n_first = search.n_last = 0;
    }
    if (search.is_unknown || search.n_found > 0) {
        add_frames (&search, caller, frames);
    }
}

GArray *
stack_add_tail_calls (StackModules *modules, BaseMemoryReader *memory, GArray *native)
{
    GArray *frames = g_array_sized_new (FALSE, TRUE, sizeof (StackNativeFrame),
                                        native->len + 8);

    for (guint i = 0; i < native->len; i++) {
        const StackNativeFrame *frame = &g_array_index (native, StackNativeFrame, i);
        const StackNativeFrame *inner = i > 0 ? frame - 1 : NULL;

        if (inner != NULL && !inner->is_trampoline && !inner->is_incomplete && !frame->is_signal
            && !frame->is_trampoline) {
            search_between (modules, memory, frame, i == 1, frames);
        }
        g_array_append_val (frames, *frame);
        g_array_index (frames, StackNativeFrame, frames->len - 1).unwound = i;
    }
    g_array_unref (native);
    return frames;
}

StackEntry
stack_find_entry (StackModules *modules, BaseMemoryReader *memory, guint64 pc, guint64 site,
                  guint64 *ret_entry)
{
    guint64 entry = find_entry (modules, pc), target = 0;
    Search search = { .modules = modules, .memory = memory, .goal = entry };

    *ret_entry = entry;
    search_from (&search, entry);
    if (entry == 0 || search.n_found > 0 || search.is_unknown) {
        return STACK_ENTRY_OTHER;
    }
    target = find_target (modules, memory, site);
    return target == 0       ? STACK_ENTRY_UNKNOWN
           : target == entry ? STACK_ENTRY_SURE
                             : STACK_ENTRY_OTHER;
}
