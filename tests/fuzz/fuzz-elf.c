/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELF file with debug information through the scanner and the binder. With PDDT_FUZZ_MAIN the
 * input is another file that this program leads to, written to PDDT_FUZZ_COMPANION: a .dwo file, a
 * package, dwz's common file. */
#include <sys/mman.h>
#include <unistd.h>

#include "index/image.h"
#include "symbol/bind.h"
#include "symbol/scanner.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
bind_all (SymbolDwarf *dwarf)
{
    static const char *const expressions[] = { "origin",    "where->next->bits",
                                               "vla",       "i",
                                               "total",     "(struct point *) 0",
                                               "matrix[1]", "sizeof (word)" };
    SymbolBinder *binder = symbol_binder_new (dwarf);
    for (guint64 pc = 0x1130; pc < 0x1400; pc += 61) {
        for (guint i = 0; i < G_N_ELEMENTS (expressions); i++) {
            GVariant *program = symbol_bind_expression (binder, pc, i % 2, expressions[i], NULL,
                                                        NULL);
            if (program)
                g_variant_unref (g_variant_ref_sink (program));
            program = symbol_bind_type (binder, pc, 0, expressions[i], NULL, TRUE, NULL);
            if (program)
                g_variant_unref (g_variant_ref_sink (program));
        }
        g_variant_unref (g_variant_ref_sink (symbol_bind_variables (binder, pc, 0, pc % 3,
                                                                    NULL)));
    }
    symbol_binder_free (binder);
}

static void
use_file (const char *path)
{
    SymbolElf *elf = symbol_elf_open (path, NULL);
    g_autofree char *index_path = g_strdup_printf ("/tmp/pddt-fuzz-%d.idx", getpid ());
    if (!elf)
        return;
    g_autoptr (SymbolDwarf) dwarf = symbol_dwarf_new (elf);
    symbol_scan_write (dwarf, path, index_path, NULL);
    index_image_unref (index_image_open (index_path, NULL));
    unlink (index_path);
    bind_all (dwarf);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    const char *main_path = g_getenv ("PDDT_FUZZ_MAIN");
    if (main_path) {
        g_assert_true (g_file_set_contents (g_getenv ("PDDT_FUZZ_COMPANION"),
                                            (const char *) data, size, NULL));
        use_file (main_path);
        return 0;
    }
    int fd = memfd_create ("fuzz", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
    if (fd >= 0 && write (fd, data, size) == (gssize) size)
        use_file (path);
    close (fd);
    return 0;
}
