/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lengths of instructions against capstone's: of all code of the libraries that this program has mapped, and
 * of made-up bytes. What pddt takes for none capstone may know, but never with another length. */
#include "machine/disassembler.h"
#include "machine/code.h"
#include <link.h>

#define N_MADE 400000

typedef struct {
    const MachineDisassembler *capstone;
    csh handle;
    cs_insn *instruction;
    guint64 n_same, n_unknown, n_other;
} Comparison;

/* The length that capstone says, 1 where it knows none. */
static gsize
compare (Comparison *comparison, const guint8 *code, gsize size)
{
    const uint8_t *at = code;
    size_t left = size;
    uint64_t address = 0;
    gsize own = machine_code_get_length (code, size);

    if (!comparison->capstone->disasm_iter (comparison->handle, &at, &left, &address,
                                            comparison->instruction)) {
        return 1;
    }
    comparison->n_unknown += own == 0;
    comparison->n_same += own == address;
    if (own != 0 && own != address) {
        g_autoptr (GString) text = g_string_new (NULL);

        for (gsize i = 0; i < MIN (size, 15); i++) {
            g_string_append_printf (text, " %02x", code[i]);
        }
        comparison->n_other++;
        g_test_message ("%s is %u long, not %u: %s %s", text->str, (guint) address, (guint) own,
                        comparison->instruction->mnemonic, comparison->instruction->op_str);
    }
    return address;
}

static int
compare_library (struct dl_phdr_info *info, size_t size, void *data)
{
    Comparison *comparison = data;

    for (guint i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *part = &info->dlpi_phdr[i];
        const guint8 *code = (const guint8 *) info->dlpi_addr + part->p_vaddr;

        for (gsize at = 0; part->p_type == PT_LOAD && part->p_flags == (PF_R | PF_X)
                           && at < part->p_filesz;) {
            at += compare (comparison, code + at, part->p_filesz - at);
        }
    }
    return 0;
}

static void
begin (Comparison *comparison)
{
    comparison->capstone = machine_disassembler_load (NULL);
    g_assert_nonnull (comparison->capstone);
    g_assert_cmpint (comparison->capstone->open (CS_ARCH_X86, CS_MODE_64, &comparison->handle),
                     ==, CS_ERR_OK);
    comparison->instruction = comparison->capstone->malloc (comparison->handle);
}

static void
end (Comparison *comparison)
{
    comparison->capstone->free (comparison->instruction, 1);
    comparison->capstone->close (&comparison->handle);
}

static void
test_libraries (void)
{
    Comparison comparison = { 0 };

    begin (&comparison);
    dl_iterate_phdr (compare_library, &comparison);
    g_test_message ("%" G_GUINT64_FORMAT " same, %" G_GUINT64_FORMAT
                    " unknown, %" G_GUINT64_FORMAT " other",
                    comparison.n_same, comparison.n_unknown, comparison.n_other);
    g_assert_cmpuint (comparison.n_other, ==, 0);
    g_assert_cmpuint (comparison.n_same, >, 100000);
    g_assert_cmpuint (comparison.n_unknown, <, comparison.n_same / 10000);
    end (&comparison);
}

/* Never beyond what there is, of any bytes. */
static void
test_ends (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (17);

    for (guint i = 0; i < N_MADE; i++) {
        gsize size = (gsize) g_rand_int_range (random, 0, 20);
        g_autofree guint8 *code = g_malloc (size);
        gsize length;

        for (gsize j = 0; j < size; j++) {
            code[j] = (guint8) g_rand_int (random);
        }
        length = machine_code_get_length (code, size);
        g_assert_cmpuint (length, <=, MIN (size, 15));
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/machine/length/libraries", test_libraries);
    g_test_add_func ("/machine/length/ends", test_ends);
    return g_test_run ();
}
