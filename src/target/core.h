/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A core file (elf(5), and the notes of Linux' fs/binfmt_elf.c) with the interfaces of a live
 * process: memory, map, threads and environment. Pages that were not dumped come from the
 * mapped files, which are found by their build-id. */
#pragma once
#include "base/memory-reader.h"
#include "target/process.h"
#include "machine/vectors.h"
#include <sys/types.h>

typedef struct _TargetCore TargetCore;

typedef struct {
    pid_t tid;
    MachineRegisters registers;
    int signal;            /* the signal for which it stopped; 0: none */
    TargetSignalInfo info; /* of that signal; code 0 and empty if it was not dumped */
    /* the same as the kernel wrote it; si_signo 0 if it was not dumped */
    siginfo_t whole_info;
    GBytes *extended; /* in XSAVE's format, or at least its first 512 bytes; NULL */
} TargetCoreThread;

/* NOT_FOUND, CORRUPT (no core file, or cut before its threads), UNSUPPORTED (another machine's). */
TargetCore *target_core_open (const char *path, GError **error);
void target_core_free (TargetCore *core);
BaseMemoryReader *target_core_get_memory (TargetCore *core); /* read-only */
GArray *target_core_dup_maps (TargetCore *core); /* of TargetMap, as target_maps_read gives */
const TargetCoreThread *target_core_get_threads (TargetCore *core,
                                                 guint *ret_count); /* main first */
MachineVectors target_core_find_vectors (const TargetCore *core,
                                         GBytes *extended); /* in one of its states */
/* index of the thread that ended the process */
guint target_core_get_stopped (TargetCore *core);
pid_t target_core_get_pid (TargetCore *core);
const char *target_core_get_command (TargetCore *core); /* as much as the kernel keeps; "" */
/* "NAME=value" NUL-terminated, one after the other; NULL when it was not dumped. */
GBytes *target_core_read_environment (TargetCore *core);
/* Sentences about what is missing: GPtrArray of char*, borrowed. */
GPtrArray *target_core_get_remarks (TargetCore *core);
