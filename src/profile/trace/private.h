/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "profile/trace-files.h"

/* Of events, or (PDDT_TRACE_STACK) what was under way when they began. */
typedef struct {
    const struct pddt_trace_chunk *chunk;
    guint32 n_used;
} ProfileTraceChunk;

/* Texts are the run's. */
typedef struct {
    const char *text;   /* as PROFILE_OTF2_PLACE; NULL: it is not known */
    const char *module; /* of code; NULL */
    const char *build_id;
    guint64 offset;
} ProfileTracePlace;

/* A file's chunks of one thread. */
typedef struct {
    const ProfileTraceFile *file;
    const ProfileTraceChunk *first;
    guint n;
} ProfileTracePart;

struct _ProfileTraceFile {
    char *name; /* without folder */
    GMappedFile *bytes;
    struct pddt_trace_header header; /* a copy, its texts ended */
    const ProfileTraceFile *parent;  /* whose definitions it inherits; NULL */
    GArray *events;                  /* of ProfileTraceChunk, by thread and then by time */
    GArray *stacks;                  /* of ProfileTraceChunk: all that there are */
    GArray *lines;                   /* of ProfileTraceChunk */
    GArray *definitions
        [PDDT_TRACE_N_DEFINITIONS]; /* of const struct pddt_trace_definition *, by id */
    GArray *strings;                /* of const char *, by id; the run's texts; NULL: none */
    GArray *regions;  /* of guint32, by id: numbers in the run; 0: not looked up */
    GArray *places;   /* of ProfileTracePlace, by id */
    guint64 n_chunks; /* that are of a kind */
    guint image;      /* number in its process's images */
    guint64 left_ns;  /* that image's */
    gboolean
        is_damaged; /* a part of it is not as its process has recorded it, and is left out */
    guint64 last_ns;
    guint64 first_possible_ns,
        last_possible_ns; /* what an event's time can be, by the clock of its host */
};

/* NULL with INVALID (it is not whole up to its header) or DENIED; NULL without an error: it was begun, and nothing was
 * recorded. */
ProfileTraceFile *profile_trace_file_open (const char *folder, const char *name,
                                           GError **error);
/* Real times between which the run was. FALSE: the file's own times cannot be. */
gboolean profile_trace_file_set_times (ProfileTraceFile *file, gint64 begin_real_ns,
                                       gint64 end_real_ns);
/* Parts of it that its process has begun and that are not there: somebody has cut the file, or they were not kept. */
guint64 profile_trace_file_count_missing (const ProfileTraceFile *file);
/* It has parts that are not as its process has recorded them. */
gboolean profile_trace_file_is_damaged (const ProfileTraceFile *file);
void profile_trace_file_free (ProfileTraceFile *file);
/* Looks up its strings, regions and places among the run's; parents first. */
void profile_trace_file_resolve (ProfileTrace *trace, ProfileTraceFile *file);
/* A text of the run, valid UTF-8. */
const char *profile_trace_intern (ProfileTrace *trace, const char *bytes, gsize size);
