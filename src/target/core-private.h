/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a core's process had mapped, found again by their build-id. */
#pragma once
#include "base/memory-reader.h"

/* The build-id of the ELF image at an address of a process, in hexadecimal; NULL: none there. */
char *target_build_id_read (BaseMemoryReader *memory, guint64 address);
/* TRUE when a segment of code begins in the page at the offset of an ELF file. */
gboolean target_file_is_code (const char *path, guint64 offset);
/* A file with this build-id: `path` itself, its name beside the core or in the folder that the
 * environment's PDDT_PROGRAM_FOLDER names, or what /usr/lib/debug or debuginfod's cache keep under
 * the id. id NULL: `path` when it is there. */
char *target_build_id_find (const char *id, const char *path, const char *core_folder);
