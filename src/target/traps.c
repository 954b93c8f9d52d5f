/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planted trap bytes of a process: the original bytes, ordered by address, with a copy in
 * the table from which the guard restores them when the tracer dies. */
#include "base/error.h"
#include "base/trap-table.h"
#include "target/private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRAP_BYTE 0xcc
#define NO_ENTRY G_MAXUINT32
#define N_REMOVED 256u

typedef struct {
    guint64 address;
    guint32 entry; /* in the shared table; NO_ENTRY */
    guint8 original;
} Trap;

struct _TargetTraps {
    pid_t pid;
    TargetMemory *memory;
    BaseTrapTable *table;
    GArray *traps;           /* of Trap, by address */
    Trap removed[N_REMOVED]; /* the last ones: a child made meanwhile may still have them */
    guint n_removed;
    guint32 armed;  /* entry that says: debug registers are in use; NO_ENTRY */
    guint n_lifted; /* vforked children that share the memory: no byte of ours stands there */
    gboolean resting;
};

/* Entries of the table: those given back, and how many have ever been taken. One tracer writes it. */
static GArray *free_entries;
static guint32 n_entries;

/* Index of the first trap at or above address. */
static guint
find_index (const TargetTraps *traps, guint64 address)
{
    guint low = 0, high = traps->traps->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index (traps->traps, Trap, middle).address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static Trap *
find_trap (const TargetTraps *traps, guint64 address)
{
    guint i = find_index (traps, address);
    Trap *trap = i < traps->traps->len ? &g_array_index (traps->traps, Trap, i) : NULL;

    return trap != NULL && trap->address == address ? trap : NULL;
}

/* A part is kept for what stops no breakpoint from being set, and is a matter of life for the process. */
static guint32
pop_entry (const BaseTrapTable *table, BaseTrapUse use)
{
    guint32 limit = table->capacity - (use == BASE_TRAP_BYTE ? table->capacity / 64 : 0),
            at = NO_ENTRY;

    if (free_entries != NULL && free_entries->len > 0) {
        at = g_array_index (free_entries, guint32, free_entries->len - 1);
        g_array_set_size (free_entries, free_entries->len - 1);
    } else if (n_entries < limit) {
        at = n_entries++;
    }
    return at;
}

/* Before the byte is planted, so that there is no moment in which nobody knows. */
static guint32
take_entry (TargetTraps *traps, BaseTrapUse use, guint64 address, guint8 original)
{
    guint32 at = traps->table != NULL ? pop_entry (traps->table, use) : NO_ENTRY;

    if (at != NO_ENTRY) {
        BaseTrap *entry = &traps->table->traps[at];

        entry->pid = (guint32) traps->pid;
        entry->address = address;
        entry->original = original;
        __atomic_store_n (&entry->used, use, __ATOMIC_RELEASE);
    }
    return at;
}

static void
release_entry (TargetTraps *traps, guint32 at)
{
    if (traps->table == NULL || at == NO_ENTRY
        || __atomic_exchange_n (&traps->table->traps[at].used, BASE_TRAP_FREE, __ATOMIC_RELEASE)
               == BASE_TRAP_FREE) {
        return;
    }
    if (free_entries == NULL) {
        free_entries = g_array_new (FALSE, FALSE, sizeof (guint32));
    }
    g_array_append_val (free_entries, at);
}

TargetTraps *
target_traps_new (pid_t pid, BaseMemoryReader *memory, gpointer shared_table)
{
    TargetTraps *traps = g_new0 (TargetTraps, 1);

    traps->pid = pid;
    traps->memory = (TargetMemory *) memory;
    traps->table = shared_table;
    traps->armed = NO_ENTRY;
    traps->traps = g_array_new (FALSE, FALSE, sizeof (Trap));
    traps->memory->traps = traps;
    return traps;
}

void
target_traps_free (TargetTraps *traps)
{
    if (traps == NULL) {
        return;
    }
    for (guint i = 0; i < traps->traps->len; i++) {
        release_entry (traps, g_array_index (traps->traps, Trap, i).entry);
    }
    release_entry (traps, traps->armed);
    if (traps->memory != NULL && traps->memory->traps == traps) {
        traps->memory->traps = NULL;
    }
    g_array_unref (traps->traps);
    g_free (traps);
}

void
target_traps_retire (TargetTraps *traps)
{
    for (guint i = 0; i < traps->traps->len; i++) {
        release_entry (traps, g_array_index (traps->traps, Trap, i).entry);
        g_array_index (traps->traps, Trap, i).entry = NO_ENTRY;
    }
    release_entry (traps, traps->armed);
    traps->armed = NO_ENTRY;
    if (traps->memory->traps == traps) {
        traps->memory->traps = NULL;
    }
    traps->memory = NULL;
}

void
target_traps_note_armed (TargetTraps *traps)
{
    if (traps->armed == NO_ENTRY) {
        traps->armed = take_entry (traps, BASE_TRAP_ARMED, 0, 0);
    }
}

/* The bytes stand as the program has them. */
static gboolean
is_out (const TargetTraps *traps)
{
    return traps->n_lifted > 0 || traps->resting;
}

gboolean
target_traps_plant (TargetTraps *traps, guint64 address, GError **error)
{
    const guint8 byte = TRAP_BYTE;
    Trap trap = { address, NO_ENTRY, 0 };

    if (find_trap (traps, address) != NULL) {
        return TRUE;
    }
    if (target_memory_read_raw (traps->memory, address, &trap.original, 1) != 1) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_FAULT,
                     "cannot plant a trap at 0x%" G_GINT64_MODIFIER "x: not mapped", address);
        return FALSE;
    }
    trap.entry = take_entry (traps, BASE_TRAP_BYTE, address, trap.original);
    if (traps->table != NULL && trap.entry == NO_ENTRY) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_BUSY,
                     "cannot plant a trap at 0x%" G_GINT64_MODIFIER
                     "x: there are %u on this host, and no room for "
                     "more; delete breakpoints",
                     address, traps->table->capacity);
        return FALSE;
    }
    if (!is_out (traps) && !target_memory_write_raw (traps->memory, address, &byte, 1, error)) {
        release_entry (traps, trap.entry);
        return FALSE;
    }
    g_array_insert_val (traps->traps, find_index (traps, address), trap);
    return TRUE;
}

/* Only where our byte still stands: the place may have been unmapped and mapped anew. */
static gboolean
restore_byte (TargetTraps *traps, const Trap *trap, GError **error)
{
    guint8 byte = 0;

    if (target_memory_read_raw (traps->memory, trap->address, &byte, 1) != 1
        || byte != TRAP_BYTE) {
        return TRUE;
    }
    return target_memory_write_raw (traps->memory, trap->address, &trap->original, 1, error);
}

gboolean
target_traps_remove (TargetTraps *traps, guint64 address, GError **error)
{
    Trap *trap = find_trap (traps, address);

    if (trap == NULL) {
        return TRUE;
    }
    if (!restore_byte (traps, trap, error)) {
        return FALSE;
    }
    release_entry (traps, trap->entry);
    traps->removed[traps->n_removed++ % N_REMOVED] = *trap;
    g_array_remove_index (traps->traps, find_index (traps, address));
    return TRUE;
}

void
target_traps_remove_all (TargetTraps *traps)
{
    for (guint i = 0; i < traps->traps->len; i++) {
        const Trap *trap = &g_array_index (traps->traps, Trap, i);

        restore_byte (traps, trap, NULL);
        release_entry (traps, trap->entry);
    }
    g_array_set_size (traps->traps, 0);
}

gboolean
target_traps_find (TargetTraps *traps, guint64 address, guint8 *ret_original)
{
    const Trap *trap = find_trap (traps, address);

    if (trap != NULL && ret_original != NULL) {
        *ret_original = trap->original;
    }
    return trap != NULL;
}

static void
clean_byte (int memory, const Trap *trap, pid_t child)
{
    guint8 byte = 0;

    if (pread (memory, &byte, 1, (off_t) trap->address) == 1 && byte == TRAP_BYTE
        && pwrite (memory, &trap->original, 1, (off_t) trap->address) != 1) {
        g_message ("cannot restore a byte of process %d", (int) child);
    }
}

/* The program's own trap instruction may stand there by now. */
static gboolean
is_own_byte (TargetTraps *traps, const Trap *trap)
{
    guint8 byte = 0;

    return traps->memory == NULL /* ended */
           || (target_memory_read_raw (traps->memory, trap->address, &byte, 1) == 1
               && byte == trap->original);
}

void
target_traps_clean_child (TargetTraps *traps, pid_t child)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/mem", (int) child);
    int fd = traps->traps->len > 0 || traps->n_removed > 0 ? open (path, O_RDWR | O_CLOEXEC)
                                                           : -1;

    for (guint i = 0; fd >= 0 && i < traps->traps->len; i++) {
        clean_byte (fd, &g_array_index (traps->traps, Trap, i), child);
    }
    for (guint i = 0; fd >= 0 && i < MIN (traps->n_removed, N_REMOVED); i++) {
        if (is_own_byte (traps, &traps->removed[i])) {
            clean_byte (fd, &traps->removed[i], child);
        }
    }
    if (fd >= 0) {
        close (fd);
    }
}

static void
take_out (TargetTraps *traps)
{
    for (guint i = 0; i < traps->traps->len; i++) {
        restore_byte (traps, &g_array_index (traps->traps, Trap, i), NULL);
    }
}

static void
put_in (TargetTraps *traps)
{
    const guint8 byte = TRAP_BYTE;

    for (guint i = 0; !is_out (traps) && i < traps->traps->len; i++) {
        target_memory_write_raw (traps->memory, g_array_index (traps->traps, Trap, i).address,
                                 &byte, 1, NULL);
    }
}

void
target_traps_lift (TargetTraps *traps)
{
    take_out (traps);
    traps->n_lifted++;
}

void
target_traps_plant_again (TargetTraps *traps)
{
    traps->n_lifted -= traps->n_lifted > 0;
    put_in (traps);
}

void
target_traps_rest (TargetTraps *traps, gboolean resting)
{
    if (resting == traps->resting) {
        return;
    }
    traps->resting = resting;
    if (resting) {
        take_out (traps);
    } else {
        put_in (traps);
    }
}

void
target_traps_lift_one (TargetTraps *traps, guint64 address, gboolean lifted)
{
    const Trap *trap = find_trap (traps, address);
    const guint8 byte = TRAP_BYTE;

    if (trap == NULL || is_out (traps)) {
        return;
    }
    if (lifted) {
        restore_byte (traps, trap, NULL);
    } else {
        target_memory_write_raw (traps->memory, address, &byte, 1, NULL);
    }
}

void
target_traps_hide (TargetTraps *traps, guint64 address, guint8 *data, gsize size)
{
    for (guint i = find_index (traps, address); i < traps->traps->len; i++) {
        const Trap *trap = &g_array_index (traps->traps, Trap, i);

        if (trap->address - address >= size) {
            break;
        }
        if (data[trap->address - address] == TRAP_BYTE) {
            data[trap->address - address] = trap->original;
        }
    }
}

gboolean
target_traps_has_any (const TargetTraps *traps, guint64 address, gsize size)
{
    guint i = find_index (traps, address);

    return i < traps->traps->len
           && g_array_index (traps->traps, Trap, i).address - address < size;
}

void
target_traps_absorb (TargetTraps *traps, guint64 address, guint8 *data, gsize size)
{
    for (guint i = find_index (traps, address); i < traps->traps->len; i++) {
        Trap *trap = &g_array_index (traps->traps, Trap, i);
        gsize at = trap->address - address;

        if (at >= size) {
            break;
        }
        trap->original = data[at];
        if (traps->table != NULL && trap->entry != NO_ENTRY) {
            traps->table->traps[trap->entry].original = data[at];
        }
        if (!is_out (traps)) {
            data[at] = TRAP_BYTE;
        }
    }
}

/* The guard's list behind the table; a table without one is for tests. */
static void
find_rescue_list (BaseTrapTable *table, gsize size)
{
    gsize at = sizeof *table + table->capacity * sizeof (BaseTrap);
    BaseRescueList *list = (BaseRescueList *) ((guint8 *) table + at);

    if (size - at >= sizeof *list && list->capacity > 0
        && list->capacity <= (size - at - sizeof *list) / sizeof list->threads[0]) {
        target_rescue_install (list);
    }
}

gpointer
target_traps_map_table (const char *path, GError **error)
{
    int fd = open (path, O_RDWR | O_CLOEXEC);
    struct stat info = { 0 };
    BaseTrapTable *table = MAP_FAILED;

    if (fd >= 0 && fstat (fd, &info) == 0 && (gsize) info.st_size >= sizeof *table) {
        table = mmap (NULL, (gsize) info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) {
        close (fd);
    }
    if (table == MAP_FAILED) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                     "cannot map the table of traps %s: %s", path,
                     fd < 0 ? g_strerror (errno) : "it is too short");
        return NULL;
    }
    if (table->magic != BASE_TRAP_TABLE_MAGIC
        || table->capacity > ((gsize) info.st_size - sizeof *table) / sizeof (BaseTrap)) {
        munmap (table, (gsize) info.st_size);
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot use the table of traps %s: it is not a table of traps", path);
        return NULL;
    }
    g_clear_pointer (&free_entries, g_array_unref);
    n_entries = 0;
    find_rescue_list (table, (gsize) info.st_size);
    return table;
}
