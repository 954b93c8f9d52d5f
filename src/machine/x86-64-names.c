/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: registers by name: DWARF's numbers (System V psABI, figure 3.36), and their parts. */
#include "machine/names.h"
#include "machine/registers.h"
#include <string.h>

#define FIRST_XMM 17u
#define FIRST_ST 33u

/* Lower parts that have names of their own, by the numbers of the whole ones. */
static const struct {
    const char *names[8];
    guint size;
} parts[] = {
    { { "eax", "edx", "ecx", "ebx", "esi", "edi", "ebp", "esp" }, 4 },
    { { "ax", "dx", "cx", "bx", "si", "di", "bp", NULL }, 2 }, /* "sp" is the whole one */
    { { "al", "dl", "cl", "bl", "sil", "dil", "bpl", "spl" }, 1 },
};

static const struct {
    const char *name;
    guint number, size;
} others[] = {
    { "eflags", 49, 4 },  { "es", 50, 4 },    { "cs", 51, 4 },    { "ss", 52, 4 },
    { "ds", 53, 4 },      { "fs", 54, 4 },    { "gs", 55, 4 },    { "fs_base", 58, 8 },
    { "gs_base", 59, 8 }, { "mxcsr", 64, 4 }, { "fctrl", 65, 4 }, { "fstat", 66, 4 },
};

/* "r10d": the number 10 and 'd'. */
static gboolean
find_numbered (const char *name, guint *ret_number, guint *ret_size)
{
    char *end = NULL;
    guint64 number = name[0] == 'r' ? g_ascii_strtoull (name + 1, &end, 10) : 0;
    if (!end || number < 8 || number > 15 || strlen (end) != 1 || !strchr ("dwbl", *end))
        return FALSE;
    *ret_number = number;
    *ret_size = *end == 'd' ? 4 : *end == 'w' ? 2 : 1;
    return TRUE;
}

/* "xmm3": 3. FALSE: not such a register. */
static gboolean
find_indexed (const char *name, const char *prefix, guint n, guint *ret_index)
{
    char *end;
    if (!g_str_has_prefix (name, prefix) || !g_ascii_isdigit (name[strlen (prefix)]))
        return FALSE;
    guint64 index = g_ascii_strtoull (name + strlen (prefix), &end, 10);
    *ret_index = index;
    return *end == 0 && index < n;
}

static gboolean
find_number (const char *name, guint *ret_number, guint *ret_size)
{
    const char *wanted = !strcmp (name, "pc") ? "rip" : !strcmp (name, "sp") ? "rsp" : name;
    *ret_size = 8;
    for (guint i = 0; i < MACHINE_N_GENERAL; i++) {
        *ret_number = i;
        if (strcmp (machine_registers_get_name (i), wanted) == 0)
            return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
        for (guint j = 0; j < G_N_ELEMENTS (parts[i].names); j++)
            if (g_strcmp0 (parts[i].names[j], name) == 0) {
                *ret_number = j;
                *ret_size = parts[i].size;
                return TRUE;
            }
    for (guint i = 0; i < G_N_ELEMENTS (others); i++)
        if (strcmp (others[i].name, name) == 0) {
            *ret_number = others[i].number;
            *ret_size = others[i].size;
            return TRUE;
        }
    return find_numbered (name, ret_number, ret_size);
}

gboolean
machine_register_find (const char *name, MachineRegisterName *ret_found)
{
    guint number, size;

    if (find_number (name, &number, &size)) {
        gboolean is_whole = size == 8;
        MachineRegisterKind kind
            = is_whole && number == machine_pc_number ? MACHINE_REGISTER_CODE
              : is_whole && (number == machine_sp_number || number == machine_fp_number)
                  ? MACHINE_REGISTER_DATA
                  : MACHINE_REGISTER_NUMBER;

        *ret_found = (MachineRegisterName){ kind, number, size };
        return TRUE;
    }
    if (find_indexed (name, "xmm", 16, &number)) {
        *ret_found = (MachineRegisterName){ MACHINE_REGISTER_VECTOR, FIRST_XMM + number, 16 };
        return TRUE;
    }
    if (find_indexed (name, "ymm", 16, &number)) {
        *ret_found = (MachineRegisterName){ MACHINE_REGISTER_WIDE, number, 32 };
        return TRUE;
    }
    if (find_indexed (name, "st", 8, &number)) {
        *ret_found = (MachineRegisterName){ MACHINE_REGISTER_FLOAT, FIRST_ST + number, 16 };
        return TRUE;
    }
    return FALSE;
}
