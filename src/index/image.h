/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file's index, mapped read-only: addresses to functions, inline chains and lines, names and
 * lines to addresses. Written by the symbol layer (format: index/format.h), validated before use.
 * All addresses are link-time addresses of the file (p_vaddr space); the caller adds the bias.
 * Strings are borrowed from the mapping. Works for files without debug information too: then
 * functions come from the ELF symbol tables and there are no lines. */
#pragma once
#include "job/location.h"
#include "job/where.h"

typedef struct _IndexImage IndexImage;

IndexImage *index_image_open (const char *index_path, GError **error); /* CORRUPT, NOT_FOUND */
/* Maps a memory file. Refuses it unless it is sealed (F_SEAL_SHRINK, F_SEAL_WRITE). fd stays
 * the caller's. CORRUPT. */
IndexImage *index_image_open_fd (int fd, GError **error);
IndexImage *index_image_ref (IndexImage *image);
void index_image_unref (IndexImage *image);
gboolean index_image_has_lines (const IndexImage *image);
const char *index_image_get_path (const IndexImage *image); /* of the indexed ELF file */

typedef struct {
    const char *function; /* display name; NULL unknown */
    guint64 low, high;    /* of the function or inlined range [low, high) around the address */
    const char *file;     /* of the line, absolute where the unit's folder allows; NULL */
    guint32 line;         /* 0 unknown; for outer frames of inlined ones: the call's line */
    gboolean inlined;     /* this frame is inlined into the next one */
    JobLanguage language;
    guint32 instance;   /* equal for all ranges of one function, or of one inlined call */
    gboolean begins;    /* this function or inlined call is entered at the address */
    gboolean is_cython; /* a function of Cython's, named as its source names it */
    gboolean
        is_wrapper; /* such a one: it only calls another function, which has the same name */
} IndexFrame;
/* Frames at the address, innermost (most inlined) first; 0 when nothing is known. */
guint index_image_find_frames (const IndexImage *image, guint64 address, IndexFrame *frames,
                               guint max_frames);
/* The frame of a function that is entered at that address gets the line that the function itself begins with there: not that
 * of a statement or an inlined call that begins with the same instruction. */
void index_image_find_opening (const IndexImage *image, guint64 entry, IndexFrame *frame);

/* Where to plant for a source line or a function (after the prologue). */
typedef struct {
    guint64 address;
    const char *function, *file;
    guint32 line;     /* the real line, may be later than asked */
    guint32 declared; /* line of the function's declaration; 0 unknown */
} IndexPlace;
/* GArray of IndexPlace (free with g_array_unref), empty when none. A line without code moves to
 * the next one with code in the same function; one place for each instance (inlined too). */
GArray *index_image_find_line (const IndexImage *image, const char *file_suffix, guint32 line);
/* TRUE when some unit has a file that the suffix matches. */
gboolean index_image_has_file (const IndexImage *image, const char *file_suffix);
GArray *index_image_find_function (const IndexImage *image, const char *name);
/* Finds an exact symbol, from ELF or debug information: its address, before the prologue. */
gboolean index_image_find_symbol (const IndexImage *image, const char *name,
                                  guint64 *ret_address, guint64 *ret_size);

/* The entry of the function (not inlined) that contains the address, even in a split-off part.
 * FALSE: no function contains it. */
gboolean index_image_find_entry (const IndexImage *image, guint64 address, guint64 *ret_entry);
/* A tail call: the function jumps into another one, which returns to the caller. */
typedef struct {
    guint64 pc;     /* after the jump; 0: there are others that are not known */
    guint64 target; /* possibly a PLT stub; 0 unknown */
} IndexTailCall;
/* Tail call number i of the function with that entry; FALSE: it has no more. */
gboolean index_image_find_tail_call (const IndexImage *image, guint64 entry, guint i,
                                     IndexTailCall *ret_call);
/* GArray of guint64: resolvers that choose the function of this name at load time
 * (STT_GNU_IFUNC); usually empty. */
GArray *index_image_find_resolvers (const IndexImage *image, const char *name);

/* For stepping: the half-open address range around `address` that belongs to the same line of
 * the same function. FALSE without line information. */
gboolean index_image_find_step_range (const IndexImage *image, guint64 address,
                                      guint64 *ret_low, guint64 *ret_high, guint32 *ret_line);
/* End of the prologue of the function at `address` (its entry); the entry itself when unknown. */
guint64 index_image_find_body (const IndexImage *image, guint64 address);
/* TRUE: the function at the address is none of the program's source, though it has lines: Cython's own ones, and those of
 * CPython's headers. */
gboolean index_image_is_glue (const IndexImage *image, guint64 address);
/* GArray of guint64: where the bodies of all functions with lines begin, after their prologues, except those. */
GArray *index_image_list_bodies (const IndexImage *image);
/* TRUE when address is at a row that begins a statement of its line. */
gboolean index_image_is_statement (const IndexImage *image, guint64 address);
/* TRUE when a row begins at the address. ret_end: where the next one does. */
gboolean index_image_is_row (const IndexImage *image, guint64 address, guint64 *ret_end);
/* The symbol that covers an address, and how far inside; NULL. */
const char *index_image_find_symbol_at (const IndexImage *image, guint64 address,
                                        guint64 *ret_offset);
