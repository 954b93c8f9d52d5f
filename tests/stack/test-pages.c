/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages that are not of 4 KiB: a program is found as a kernel with pages of 64 KiB maps it. */
#include "base/elf.h"
#include "stack/stack.h"
#include "target/maps.h"
#include <dlfcn.h>
#include <unistd.h>

#define BIAS G_GUINT64_CONSTANT (0x7f1000000000)

static guint64 page_size;

/* In place of libc's. */
long
sysconf (int name)
{
    static long (*real) (int);

    if (real == NULL) {
        *(void **) &real = dlsym (RTLD_NEXT, "sysconf");
    }
    return name == _SC_PAGESIZE && page_size != 0 ? (long) page_size : real (name);
}

static void
read_nothing (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    for (guint i = 0; i < n_items; i++) {
        items[i].done = 0;
    }
}

/* The lines of its map, by its program headers. */
static GString *
map_program (const char *path, guint64 *ret_code)
{
    g_autofree char *data = NULL;
    GString *text = g_string_new (NULL);
    const Elf64_Ehdr *header;
    gsize size;

    g_assert_true (g_file_get_contents (path, &data, &size, NULL));
    header = (gpointer) data;
    for (guint i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr *part = (const Elf64_Phdr *) (gpointer) (data + header->e_phoff) + i;
        guint64 within = part->p_vaddr % page_size;

        if (part->p_type != PT_LOAD) {
            continue;
        }
        g_assert_cmpuint (part->p_offset % page_size, ==, within);
        g_string_append_printf (text, "%lx-%lx r%c%cp %08lx 00:00 0 %s\n",
                                BIAS + part->p_vaddr - within,
                                BIAS
                                    + (part->p_vaddr + part->p_filesz + page_size - 1)
                                          / page_size * page_size,
                                part->p_flags & PF_W ? 'w' : '-',
                                part->p_flags & PF_X ? 'x' : '-', part->p_offset - within,
                                path);
        *ret_code = part->p_flags & PF_X ? BIAS + part->p_vaddr : *ret_code;
    }
    return text;
}

static void
check (const char *text, guint64 address)
{
    BaseMemoryReader memory = { .read = read_nothing };
    g_autoptr (GArray) maps = target_maps_parse (text);
    StackModules *modules = stack_modules_new (maps, 0, &memory, NULL, NULL);
    StackModule *module;

    g_assert_cmpuint (stack_modules_get_count (modules), ==, address != 0);
    module = stack_modules_find (modules, address);
    if (address != 0) {
        g_assert_nonnull (module);
        g_assert_cmpuint (module->bias, ==, BIAS);
        g_assert_cmpuint (module->start, ==, BIAS);
        g_assert_cmpuint (module->end % page_size, ==, 0);
        g_assert_cmpuint (module->fde_count, >, 0);
    }
    stack_modules_free (modules);
}

static void
test_large (void)
{
    g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "walker-pages", NULL);
    g_autoptr (GString) text = NULL;
    guint64 code = 0;

    check ("", 0); /* loads libunwind, whose own pages are the system's */
    page_size = 1 << 16;
    text = map_program (path, &code);
    check (text->str, code);
    g_string_truncate (text, text->len - 1);
    *(strstr (strrchr (text->str, '\n'), "rw-p") + 2) = 'x'; /* or it were no program */
    check (strrchr (text->str, '\n') + 1,
           code); /* the variables alone, whose page begins before they do */
    page_size = 0;
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/large", test_large);
    return g_test_run ();
}
