/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The traps planted in a process: the original bytes, ordered by address, with a copy in
 * the table from which the guard restores them when the tracer dies. */
#include "base/array.h"
#include "base/error.h"
#include "base/trap-table.h"
#include "machine/trap.h"
#include "target/private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_ENTRY G_MAXUINT32
#define N_REMOVED 256u

typedef struct {
    guint64 address;
    guint32 entry; /* index in the shared table; NO_ENTRY */
    gboolean
        is_written; /* it may stand there: FALSE where that has not to be looked at to be sure that it does not */
    guint8 original[MACHINE_MAX_TRAP];
} Trap;

struct _TargetTraps {
    pid_t pid;
    TargetMemory *memory; /* NULL: nothing is planted (any more) */
    BaseTrapTable *table;
    GArray *traps; /* of Trap, by address */
    /* the last ones removed: a child forked meanwhile may still have them */
    Trap *removed; /* N_REMOVED; NULL: none has been */
    guint n_removed;
    guint32 armed; /* entry which says that debug registers are in use; NO_ENTRY */
    /* number of vfork children that share the memory: meanwhile no trap is planted */
    guint n_lifted;
    gboolean resting;
};

/* Entries of the table that were given back, and how many were ever taken. Only one tracer
 * writes the table. */
static GArray *free_entries;
static guint32 n_entries;

/* Those that stand in a memory. */
static guint
count (const TargetTraps *traps)
{
    return traps->memory != NULL ? traps->traps->len : 0;
}

/* Index of the first trap at or above address. */
static guint
find_index (const TargetTraps *traps, guint64 address)
{
    return BASE_BISECT (middle, 0, count (traps),
                        g_array_index (traps->traps, Trap, middle).address < address);
}

static Trap *
find_trap (const TargetTraps *traps, guint64 address)
{
    guint i = find_index (traps, address);
    Trap *trap = i < count (traps) ? &g_array_index (traps->traps, Trap, i) : NULL;

    return trap != NULL && trap->address == address ? trap : NULL;
}

/* Reserves a part of the table for uses other than breakpoints, on which the life of the
 * process depends. */
static guint32
pop_entry (const BaseTrapTable *table, BaseTrapUse use)
{
    guint32 limit = table->capacity - (use == BASE_TRAP_PLANTED ? table->capacity / 64 : 0),
            at = NO_ENTRY;

    if (free_entries != NULL && free_entries->len > 0) {
        at = g_array_index (free_entries, guint32, free_entries->len - 1);
        g_array_set_size (free_entries, free_entries->len - 1);
    } else if (n_entries < limit) {
        at = n_entries++;
    }
    return at;
}

/* Called before the byte is planted, so that the guard knows of it at every moment. */
static guint32
take_entry (TargetTraps *traps, BaseTrapUse use, guint64 address, const guint8 *original)
{
    guint32 at = traps->table != NULL ? pop_entry (traps->table, use) : NO_ENTRY;

    if (at != NO_ENTRY) {
        BaseTrap *entry = &traps->table->traps[at];

        entry->pid = (guint32) traps->pid;
        entry->address = address;
        if (original != NULL) {
            memcpy (entry->original, original, machine_trap_size);
        }
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
target_traps_new (pid_t pid, BaseMemoryReader *memory, BaseTrapTable *shared_table)
{
    TargetTraps *traps = g_new0 (TargetTraps, 1);

    traps->pid = pid;
    traps->memory = (TargetMemory *) memory;
    traps->table = shared_table;
    traps->armed = NO_ENTRY;
    traps->traps = g_array_new (FALSE, FALSE, sizeof (Trap));
    if (memory != NULL) {
        traps->memory->traps = traps;
    }
    return traps;
}

gboolean
target_traps_takes_any (const TargetTraps *traps)
{
    return traps->memory != NULL;
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
    g_free (traps->removed);
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
    if (traps->memory != NULL && traps->memory->traps == traps) {
        traps->memory->traps = NULL;
    }
    traps->memory = NULL;
}

static void
move_entry (const TargetTraps *traps, guint32 at)
{
    if (traps->table != NULL && at != NO_ENTRY) {
        traps->table->traps[at].pid = (guint32) traps->pid;
    }
}

void
target_traps_move (TargetTraps *traps, pid_t pid)
{
    traps->pid = pid;
    for (guint i = 0; i < traps->traps->len; i++) {
        move_entry (traps, g_array_index (traps->traps, Trap, i).entry);
    }
    move_entry (traps, traps->armed);
    if (traps->memory != NULL) {
        target_memory_move (traps->memory, pid);
    }
}

void
target_traps_note_armed (TargetTraps *traps)
{
    if (traps->armed == NO_ENTRY) {
        traps->armed = take_entry (traps, BASE_TRAP_ARMED, 0, NULL);
    }
}

/* TRUE while the program's own bytes are in place. */
gboolean
target_traps_are_out (const TargetTraps *traps)
{
    return traps->n_lifted > 0 || traps->resting;
}

gboolean
target_traps_are_lifted (const TargetTraps *traps)
{
    return traps->n_lifted > 0;
}

static gboolean
write_trap (TargetTraps *traps, Trap *trap, GError **error)
{
    trap->is_written = TRUE;
    return target_memory_write_raw (traps->memory, trap->address, machine_trap,
                                    machine_trap_size, error);
}

gboolean
target_traps_plant (TargetTraps *traps, guint64 address, GError **error)
{
    Trap trap = { .address = address, .entry = NO_ENTRY };

    if (find_trap (traps, address) != NULL) {
        return TRUE;
    }
    if (traps->memory == NULL) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot plant a trap: the program has not begun");
        return FALSE;
    }
    if (target_memory_read_raw (traps->memory, address, trap.original, machine_trap_size)
        != machine_trap_size) {
        g_autofree char *at = base_text_format_address (address);

        base_error_set (error, BASE_ERROR_FAULT, "cannot plant a trap at %s: not mapped", at);
        return FALSE;
    }
    trap.entry = take_entry (traps, BASE_TRAP_PLANTED, address, trap.original);
    if (traps->table != NULL && trap.entry == NO_ENTRY) {
        g_autofree char *at = base_text_format_address (address);

        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot plant a trap at %s: the table of traps on this host is full "
                        "(%u); delete breakpoints",
                        at, traps->table->capacity);
        return FALSE;
    }
    if (!target_traps_are_out (traps) && !write_trap (traps, &trap, error)) {
        release_entry (traps, trap.entry);
        return FALSE;
    }
    g_array_insert_val (traps->traps, find_index (traps, address), trap);
    return TRUE;
}

/* Restores the bytes only if the trap is still there: the memory may have been unmapped and
 * mapped again. */
static gboolean
restore (TargetTraps *traps, Trap *trap, GError **error)
{
    guint8 bytes[MACHINE_MAX_TRAP];

    if (trap->is_written
        && target_memory_read_raw (traps->memory, trap->address, bytes, machine_trap_size)
               == machine_trap_size
        && machine_trap_is (bytes)
        && !target_memory_write_raw (traps->memory, trap->address, trap->original,
                                     machine_trap_size, error)) {
        return FALSE;
    }
    trap->is_written = FALSE;
    return TRUE;
}

gboolean
target_traps_remove (TargetTraps *traps, guint64 address, GError **error)
{
    Trap *trap = find_trap (traps, address);

    if (trap == NULL) {
        return TRUE;
    }
    if (!restore (traps, trap, error)) {
        return FALSE;
    }
    release_entry (traps, trap->entry);
    if (traps->removed == NULL) {
        traps->removed = g_new (Trap, N_REMOVED);
    }
    traps->removed[traps->n_removed++ % N_REMOVED] = *trap;
    g_array_remove_index (traps->traps, find_index (traps, address));
    return TRUE;
}

void
target_traps_remove_all (TargetTraps *traps)
{
    for (guint i = 0; i < count (traps); i++) {
        Trap *trap = &g_array_index (traps->traps, Trap, i);

        restore (traps, trap, NULL);
        release_entry (traps, trap->entry);
    }
    g_array_remove_range (traps->traps, 0, count (traps));
}

gboolean
target_traps_find (TargetTraps *traps, guint64 address)
{
    return find_trap (traps, address) != NULL;
}

gboolean
target_traps_is_empty (const TargetTraps *traps)
{
    return count (traps) == 0;
}

gboolean
target_traps_was_here (const TargetTraps *traps, guint64 address)
{
    gboolean found = FALSE;

    for (guint i = 0; i < MIN (traps->n_removed, N_REMOVED) && !found; i++) {
        found = traps->removed[i].address == address;
    }
    return found;
}

static void
clean (TargetMemory *memory, const Trap *trap)
{
    guint8 bytes[MACHINE_MAX_TRAP];
    g_autoptr (GError) error = NULL;

    if (target_memory_read_raw (memory, trap->address, bytes, machine_trap_size)
            == machine_trap_size
        && machine_trap_is (bytes)
        && !target_memory_write_raw (memory, trap->address, trap->original, machine_trap_size,
                                     &error)) {
        g_message ("cannot restore the code of process %d: %s", (int) memory->pid,
                   error->message);
    }
}

/* By now the program may have a trap instruction of its own there. */
static gboolean
is_own (TargetTraps *traps, const Trap *trap)
{
    guint8 bytes[MACHINE_MAX_TRAP];

    return traps->memory == NULL /* ended */
           || (target_memory_read_raw (traps->memory, trap->address, bytes, machine_trap_size)
                   == machine_trap_size
               && memcmp (bytes, trap->original, machine_trap_size) == 0);
}

void
target_traps_clean_child (TargetTraps *traps, pid_t child)
{
    BaseMemoryReader *memory = target_memory_new_of_child (child);

    for (guint i = 0; i < traps->traps->len; i++) {
        clean ((TargetMemory *) memory, &g_array_index (traps->traps, Trap, i));
    }
    for (guint i = 0; i < MIN (traps->n_removed, N_REMOVED); i++) {
        if (is_own (traps, &traps->removed[i])) {
            clean ((TargetMemory *) memory, &traps->removed[i]);
        }
    }
    target_memory_free (memory);
}

static void
take_out (TargetTraps *traps)
{
    for (guint i = 0; i < count (traps); i++) {
        restore (traps, &g_array_index (traps->traps, Trap, i), NULL);
    }
}

static void
put_in (TargetTraps *traps)
{
    for (guint i = 0; !target_traps_are_out (traps) && i < count (traps); i++) {
        write_trap (traps, &g_array_index (traps->traps, Trap, i), NULL);
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
    Trap *trap = find_trap (traps, address);

    if (trap == NULL || target_traps_are_out (traps)) {
        return;
    }
    if (lifted) {
        restore (traps, trap, NULL);
    } else {
        write_trap (traps, trap, NULL);
    }
}

/* The first trap of which a byte may be at address or above. */
static guint
find_first (const TargetTraps *traps, guint64 address)
{
    return find_index (traps, address - MIN (address, machine_trap_size - 1));
}

void
target_traps_hide (TargetTraps *traps, guint64 address, guint8 *data, gsize size)
{
    for (guint i = find_first (traps, address); i < traps->traps->len; i++) {
        const Trap *trap = &g_array_index (traps->traps, Trap, i);

        if (trap->address >= address + size) {
            break;
        }
        for (guint j = 0; j < machine_trap_size; j++) {
            guint64 at = trap->address + j - address; /* wraps before the data */

            if (at < size && data[at] == machine_trap[j]) {
                data[at] = trap->original[j];
            }
        }
    }
}

gboolean
target_traps_has_any (const TargetTraps *traps, guint64 address, gsize size)
{
    guint i = find_first (traps, address);

    return i < traps->traps->len
           && g_array_index (traps->traps, Trap, i).address < address + size;
}

void
target_traps_absorb (TargetTraps *traps, guint64 address, guint8 *data, gsize size)
{
    for (guint i = find_first (traps, address); i < traps->traps->len; i++) {
        Trap *trap = &g_array_index (traps->traps, Trap, i);

        if (trap->address >= address + size) {
            break;
        }
        for (guint j = 0; j < machine_trap_size; j++) {
            guint64 at = trap->address + j - address;

            if (at >= size) {
                continue;
            }
            trap->original[j] = data[at];
            if (traps->table != NULL && trap->entry != NO_ENTRY) {
                traps->table->traps[trap->entry].original[j] = data[at];
            }
            if (!target_traps_are_out (traps)) {
                data[at] = machine_trap[j];
                trap->is_written = TRUE;
            }
        }
    }
}

/* The guard's list behind the table. Only tests have a table without one. */
static void
find_rescue_list (BaseTrapTable *table, gsize size)
{
    gsize at = sizeof *table + table->capacity * sizeof (BaseTrap);
    BaseRescueList *list = (BaseRescueList *) ((guint8 *) table + at);

    if (size - at >= sizeof *list && list->capacity > 0
        && list->capacity <= (size - at - sizeof *list) / sizeof list->threads[0]) {
        target_rescue_install (table, list);
    }
}

/* For the rest of this thread's life. */
static void
take_lock (BaseTrapTable *table, gsize size)
{
    BaseTracerLock *lock = (BaseTracerLock *) ((guint8 *) table + BASE_TRAP_TABLE_SIZE
                                               + BASE_RESCUE_SIZE);

    if (size >= BASE_TRAP_FILE_SIZE && table->capacity == BASE_TRAP_TABLE_CAPACITY
        && pthread_mutex_trylock (&lock->lock) == 0) {
        g_atomic_int_set (&lock->is_held, 1);
    }
}

BaseTrapTable *
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
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot map the table of traps %s: %s",
                        path, fd < 0 ? g_strerror (errno) : "it is too short");
        return NULL;
    }
    if (table->magic != BASE_TRAP_TABLE_MAGIC
        || table->capacity > ((gsize) info.st_size - sizeof *table) / sizeof (BaseTrap)) {
        munmap (table, (gsize) info.st_size);
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot use the table of traps %s: it is not a table of traps", path);
        return NULL;
    }
    g_clear_pointer (&free_entries, g_array_unref);
    n_entries = 0;
    find_rescue_list (table, (gsize) info.st_size);
    take_lock (table, (gsize) info.st_size);
    return table;
}
