/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ids of events mean. */
#include "agent/trace-keep.h"
#include <string.h>

uint32_t
trace_define_string (const char *text, ptrdiff_t size)
{
    size_t length = size < 0 ? strlen (text) : (size_t) size;
    struct pddt_trace_string *string;

    length = length < PDDT_TRACE_MAX_TEXT ? length : PDDT_TRACE_MAX_TEXT;
    string = (void *) trace_ring_begin_definition (PDDT_TRACE_STRING, sizeof *string + length);
    if (string == NULL) {
        return 0;
    }
    memcpy (string->text, text, length);
    return trace_ring_end_definition (&string->head);
}

uint32_t
trace_define_region (const char *name, const char *full_name, const char *file,
                     uint32_t first_line, enum pddt_trace_paradigm paradigm, uint32_t flags)
{
    uint32_t name_id = trace_define_string (name, -1);
    uint32_t full_id = full_name == NULL               ? 0
                       : strcmp (full_name, name) == 0 ? name_id
                                                       : trace_define_string (full_name, -1);
    uint32_t file_id = file != NULL ? trace_define_string (file, -1) : 0;
    struct pddt_trace_region *region = (void *) trace_ring_begin_definition (PDDT_TRACE_REGION,
                                                                             sizeof *region);

    if (region == NULL) {
        return 0;
    }
    region->name = name_id;
    region->full_name = full_id;
    region->file = file_id;
    region->first_line = first_line;
    region->paradigm = paradigm;
    region->flags = flags;
    return trace_ring_end_definition (&region->head);
}

uint32_t
trace_define_communicator (const char *name, uint32_t parent, uint32_t flags, uint32_t sequence,
                           const uint32_t *members, uint32_t n_members, uint32_t n_remote)
{
    uint32_t name_id = name != NULL ? trace_define_string (name, -1) : 0;
    size_t n = (size_t) n_members + n_remote;
    size_t size = sizeof (struct pddt_trace_communicator) + n * sizeof *members;
    int has_members = size <= PDDT_TRACE_CHUNK_ROOM;
    struct pddt_trace_communicator *communicator
        = (void *) trace_ring_begin_definition (PDDT_TRACE_COMMUNICATOR,
                                                has_members ? size : sizeof *communicator);

    if (communicator == NULL) {
        return 0;
    }
    communicator->name = name_id;
    communicator->parent = parent;
    communicator->flags = flags;
    communicator->sequence = sequence;
    communicator->n_members = n_members;
    communicator->n_remote = n_remote;
    if (has_members) {
        memcpy (communicator->members, members, n * sizeof *members);
    }
    return trace_ring_end_definition (&communicator->head);
}

uint32_t
trace_define_named (uint32_t kind, const char *name, uint32_t other, enum pddt_trace_type type,
                    uint32_t flags)
{
    uint32_t name_id = trace_define_string (name, -1);
    struct pddt_trace_named *named = (void *) trace_ring_begin_definition (kind, sizeof *named);

    if (named == NULL) {
        return 0;
    }
    named->name = name_id;
    named->other = other;
    named->type = type;
    named->flags = flags;
    return trace_ring_end_definition (&named->head);
}

static uint32_t
define_place (uint32_t file, uint32_t line, uint32_t build_id, uint64_t offset)
{
    struct pddt_trace_place *place = (void *) trace_ring_begin_definition (PDDT_TRACE_PLACE,
                                                                           sizeof *place);

    if (place == NULL) {
        return 0;
    }
    place->file = file;
    place->line = line;
    place->offset = offset;
    place->build_id = build_id;
    return trace_ring_end_definition (&place->head);
}

uint32_t
trace_define_line (const char *file, uint32_t line)
{
    return define_place (trace_define_string (file, -1), line, 0, 0);
}

uint32_t
trace_define_code (uint32_t module, uint32_t build_id, uint64_t offset)
{
    return define_place (module, 0, build_id, offset);
}
