/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/elf.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* ---- an image of the test's own ---- */

typedef struct {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    Elf64_Shdr sections[3];
    char names[32];
    struct {
        Elf64_Nhdr other;
        char other_name[8];
        char other_content[4]; /* of one byte */
        Elf64_Nhdr id;
        char id_name[4];
        guint8 id_content[4]; /* of three */
    } notes;
} Sample;

static void
fill (Sample *sample)
{
    *sample = (Sample){
        .header = { .e_type = ET_DYN,
                    .e_machine = EM_AARCH64,
                    .e_entry = 0x1234,
                    .e_phoff = offsetof (Sample, segments),
                    .e_phentsize = sizeof (Elf64_Phdr),
                    .e_phnum = 2,
                    .e_shoff = offsetof (Sample, sections),
                    .e_shentsize = sizeof (Elf64_Shdr),
                    .e_shnum = 3,
                    .e_shstrndx = 1 },
        .segments = { { .p_type = PT_LOAD }, { .p_type = PT_NOTE } },
        .sections = { { .sh_type = SHT_NULL },
                      { .sh_type = SHT_STRTAB,
                        .sh_offset = offsetof (Sample, names),
                        .sh_size = sizeof sample->names },
                      { .sh_type = SHT_NOTE } },
        .names = "\0.text\0.eh_frame",
        .notes = { .other = { 7, 1, NT_GNU_BUILD_ID },
                   .other_name = "Nobody",
                   .other_content = "x",
                   .id = { 4, 3, NT_GNU_BUILD_ID },
                   .id_name = "GNU",
                   .id_content = { 0x0a, 0xbc, 0xff } },
    };
    memcpy (sample->header.e_ident, ELFMAG, SELFMAG);
    sample->header.e_ident[EI_CLASS] = ELFCLASS64;
    sample->header.e_ident[EI_DATA] = ELFDATA2LSB;
}

static void
test_tables (void)
{
    Sample sample = { 0 };
    const BaseElfImage image = base_elf_in_bytes (&sample, sizeof sample);
    BaseElfHeader header;
    Elf64_Phdr segment;
    Elf64_Shdr section, sections[3];

    fill (&sample);
    g_assert_cmpint (base_elf_read_type (&image), ==, ET_DYN);
    g_assert_true (base_elf_read_header (&image, &header));
    g_assert_cmpint (header.machine, ==, EM_AARCH64);
    g_assert_cmphex (header.entry, ==, 0x1234);
    g_assert_cmpint (header.n_segments, ==, 2);
    g_assert_cmpint (header.n_sections, ==, 3);
    g_assert_true (base_elf_read_segment (&image, &header, 1, &segment));
    g_assert_cmpint (segment.p_type, ==, PT_NOTE);
    g_assert_false (base_elf_read_segment (&image, &header, 2, &segment));
    g_assert_true (base_elf_read_section (&image, &header, header.names, &section));
    g_assert_true (base_elf_read_sections (&image, &header, sections));
    g_assert_cmpint (sections[2].sh_type, ==, SHT_NOTE);
    g_assert_true (base_elf_is_text (&image, &section, 7, ".eh_frame"));
    g_assert_false (base_elf_is_text (&image, &section, 7, ".eh_fram"));
    g_assert_false (base_elf_is_text (&image, &section, 1, ".eh_frame"));
    g_assert_false (base_elf_is_text (&image, &section, 31, ".text"));
    g_assert_false (base_elf_is_text (&image, &section, G_MAXUINT32, ".text"));
}

/* More than 65,279 sections, more than 65,534 segments. */
static void
test_extended (void)
{
    Sample sample = { 0 };
    const BaseElfImage image = base_elf_in_bytes (&sample, sizeof sample);
    BaseElfHeader header;

    fill (&sample);
    sample.header.e_phnum = PN_XNUM;
    sample.header.e_shnum = 0;
    sample.header.e_shstrndx = SHN_XINDEX;
    sample.sections[0].sh_info = 70000;
    sample.sections[0].sh_size = 80000;
    sample.sections[0].sh_link = 79999;
    g_assert_true (base_elf_read_header (&image, &header));
    g_assert_cmpint (header.n_segments, ==, 70000);
    g_assert_cmpint (header.n_sections, ==, 80000);
    g_assert_cmpint (header.names, ==, 79999);
    sample.header.e_shoff = G_MAXUINT64 - 8;
    g_assert_true (base_elf_read_header (&image, &header));
    g_assert_cmpint (header.n_segments + header.n_sections, ==, 0);
}

static void
test_refused (void)
{
    Sample sample = { 0 };
    BaseElfHeader header;
    Elf64_Phdr segment;
    Elf64_Shdr section;

    fill (&sample);
    for (gsize size = 0; size < sizeof sample; size++) {
        g_autofree guint8 *copy = g_memdup2 (&sample, size); /* its end is guarded */
        const BaseElfImage image = base_elf_in_bytes (copy, size);

        g_assert_cmpint (base_elf_read_header (&image, &header), ==,
                         size >= sizeof (Elf64_Ehdr));
        g_assert_cmpint (base_elf_read_type (&image), ==, size >= 18 ? ET_DYN : ET_NONE);
    }
    const BaseElfImage image = base_elf_in_bytes (&sample, sizeof sample);
    g_assert_true (base_elf_read_header (&image, &header));
    header.segments = G_MAXUINT64 - 8;
    header.sections = sizeof sample;
    g_assert_false (base_elf_read_segment (&image, &header, 0, &segment));
    g_assert_false (base_elf_read_section (&image, &header, 0, &section));
    sample.header.e_phentsize = 32;
    g_assert_false (base_elf_read_header (&image, &header));
    fill (&sample);
    sample.header.e_ident[EI_CLASS] = ELFCLASS32;
    g_assert_false (base_elf_read_header (&image, &header));
    g_assert_cmpint (base_elf_read_type (&image), ==, ET_DYN);
    sample.header.e_ident[0] = 'x';
    g_assert_cmpint (base_elf_read_type (&image), ==, ET_NONE);
}

static void
test_notes (void)
{
    Sample sample = { 0 };
    BaseElfNote note;
    gsize at = 0;

    fill (&sample);
    const guint8 *notes = (const guint8 *) &sample.notes;
    g_assert_true (base_elf_next_note (notes, sizeof sample.notes, &at, &note));
    g_assert_cmpstr (note.name, ==, "Nobody");
    g_assert_true (base_elf_next_note (notes, sizeof sample.notes, &at, &note));
    g_assert_cmpint (note.size, ==, 3);
    g_assert_false (base_elf_next_note (notes, sizeof sample.notes, &at, &note));
    g_autofree char *id = base_elf_dup_build_id (notes, sizeof sample.notes);
    g_assert_cmpstr (id, ==, "0abcff");
    for (gsize size = 0; size < sizeof sample.notes - 1; size++) {
        g_autofree guint8 *copy = g_memdup2 (notes, size);
        g_assert_null (base_elf_dup_build_id (copy, size));
    }
    sample.notes.id.n_descsz = G_MAXUINT32;
    g_assert_null (base_elf_dup_build_id (notes, sizeof sample.notes));
    sample.notes.other.n_namesz = G_MAXUINT32 - 1;
    g_assert_null (base_elf_dup_build_id (notes, sizeof sample.notes));
}

/* ---- a real library, in its file and as it is mapped ---- */

static void
read_own (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    for (guint i = 0; i < n_items; i++) {
        memcpy (items[i].data, GSIZE_TO_POINTER (items[i].address), items[i].size);
        items[i].done = items[i].size;
    }
}

typedef struct {
    const BaseElfImage *image;
    Elf64_Shdr symbols, strings;
    const char *name;
    guint64 value;
    guint n_asked;
} Search;

static gboolean
is_it (guint32 index, gpointer user)
{
    Search *search = user;
    Elf64_Sym symbol;

    search->n_asked++;
    if (!search->image->read (search->image, search->symbols.sh_offset + index * sizeof symbol,
                              &symbol, sizeof symbol)
        || !base_elf_is_text (search->image, &search->strings, symbol.st_name, search->name)) {
        return FALSE;
    }
    search->value = symbol.st_value;
    return TRUE;
}

static void
test_hashed (void)
{
    BaseMemoryReader memory = { .read = read_own };
    Dl_info info;
    Elf64_Shdr section;
    BaseElfHeader header, mapped;
    guint64 table = 0;

    g_assert_true (dladdr ((gpointer) (gsize) g_strsplit_set, &info));
    const BaseElfImage file = base_elf_in_file (open (info.dli_fname, O_RDONLY | O_CLOEXEC));
    const BaseElfImage image = base_elf_in_memory (&memory, GPOINTER_TO_SIZE (info.dli_fbase));
    g_assert_true (base_elf_read_header (&file, &header));
    g_assert_true (base_elf_read_header (&image, &mapped));
    g_assert_cmpint (header.n_segments, ==, mapped.n_segments);
    Search search = { .image = &file, .name = "g_strsplit_set" };
    for (guint i = 0; base_elf_read_section (&file, &header, i, &section); i++) {
        table = section.sh_type == SHT_GNU_HASH ? section.sh_offset : table;
        if (section.sh_type == SHT_DYNSYM) {
            search.symbols = section;
            g_assert_true (base_elf_read_section (&file, &header, section.sh_link,
                                                  &search.strings));
        }
    }
    g_assert_cmpint (table, !=, 0);
    g_assert_true (base_elf_find_hashed (&file, table, search.name, is_it, &search));
    g_assert_cmphex (search.value, ==,
                     GPOINTER_TO_SIZE (g_strsplit_set) - GPOINTER_TO_SIZE (info.dli_fbase));
    search.name = "g_strsplit_sets";
    g_assert_false (base_elf_find_hashed (&file, table, search.name, is_it, &search));
    g_assert_false (base_elf_find_hashed (&file, G_MAXUINT64 - 8, search.name, is_it, &search));
    close (file.fd);
    /* a chain that never ends */
    struct {
        guint32 head[4];
        guint64 bloom;
        guint32 bucket, chain[8192];
    } endless = { { 1, 1, 1, 0 }, G_MAXUINT64, 1, { 0 } };
    const BaseElfImage bytes = base_elf_in_bytes (&endless, sizeof endless);
    for (guint i = 0; i < G_N_ELEMENTS (endless.chain); i++) {
        endless.chain[i] = 5381 & ~1u; /* of the empty name */
    }
    search = (Search){ .image = &bytes, .name = "x" };
    g_assert_false (base_elf_find_hashed (&bytes, 0, "", is_it, &search));
    g_assert_cmpint (search.n_asked, ==, 4096);
}

static void
test_symbols (void)
{
    enum { N_SYMBOLS = 1200 }; /* more than are read at once */
    static struct {
        Elf64_Sym symbols[N_SYMBOLS];
        char names[64];
    } sample = { .names = "\0other\0wanted" };
    const BaseElfImage image = base_elf_in_bytes (&sample, sizeof sample),
                       cut = base_elf_in_bytes (&sample, sizeof sample.symbols / 2);
    Elf64_Shdr symbols = { .sh_size = sizeof sample.symbols },
               strings = { .sh_offset = sizeof sample.symbols, .sh_size = sizeof sample.names };
    Elf64_Sym found = { 0 };

    for (guint i = 0; i < N_SYMBOLS; i++) {
        sample.symbols[i] = (Elf64_Sym){ .st_name = 1, .st_shndx = 1, .st_value = i };
    }
    sample.symbols[700] = (Elf64_Sym){ .st_name = 7, .st_shndx = SHN_UNDEF, .st_value = 700 };
    g_assert_false (base_elf_find_symbol (&image, &symbols, &strings, "wanted", &found));
    sample.symbols[1100] = (Elf64_Sym){ .st_name = 7, .st_shndx = 1, .st_value = 1100 };
    g_assert_true (base_elf_find_symbol (&image, &symbols, &strings, "wanted", &found));
    g_assert_cmpint (found.st_value, ==, 1100);
    g_assert_true (base_elf_find_symbol (&image, &symbols, &strings, "other", &found));
    g_assert_cmpint (found.st_value, ==, 0);
    g_assert_false (base_elf_find_symbol (&image, &symbols, &strings, "want", &found));
    g_assert_false (base_elf_find_symbol (&cut, &symbols, &strings, "wanted", &found));
    symbols.sh_offset = G_MAXUINT64 - 8;
    g_assert_false (base_elf_find_symbol (&image, &symbols, &strings, "wanted", &found));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/elf/tables", test_tables);
    g_test_add_func ("/elf/extended", test_extended);
    g_test_add_func ("/elf/refused", test_refused);
    g_test_add_func ("/elf/symbols", test_symbols);
    g_test_add_func ("/elf/notes", test_notes);
    g_test_add_func ("/elf/hashed", test_hashed);
    return g_test_run ();
}
