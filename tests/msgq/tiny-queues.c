/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tiny MPI's message queue library: reads the lists of tiny.h out of a rank by what debug
 * information says of their types, and misbehaves as the rank's `tiny_mode` says. */
#include "msgq/interface.h"
#include "tiny.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(member, name, result, parameters) result mqs_##name parameters;
MSGQ_ENTRIES (DECLARE)
#undef DECLARE

enum { MISSING_TYPE = MSGQ_USER_CODE, REFUSED };

typedef struct {
    const MsgqImageCallbacks *callbacks;
    int next, context, rank, size, members, name;              /* of communicators */
    int r_next, communicator, kind, peer, tag, status, length, buffer; /* of requests */
    char sentence[200];
} Image;

typedef struct {
    const MsgqProcessCallbacks *callbacks;
    Image *image;
    MsgqAddress communicators, requests, communicator, request;
    int mode, kind;
} Process;

/* Of hostile.c, where that is part of the library: what it found that it may do. */
extern const char *tiny_describe_rights (void) __attribute__ ((weak));
extern void tiny_call_old (void) __attribute__ ((weak));

static const MsgqBasicCallbacks *basic;

void
mqs_setup_basic_callbacks (const MsgqBasicCallbacks *callbacks)
{
    basic = callbacks;
}

int
mqs_version_compatibility (void)
{
    return MSGQ_COMPATIBILITY;
}

char *
mqs_version_string (void)
{
    return "tiny";
}

int
mqs_dll_taddr_width (void)
{
    return sizeof (MsgqAddress);
}

char *
mqs_dll_error_string (int code)
{
    return code == REFUSED ? "the tiny MPI does not want to be looked at" : "a type is missing";
}

int
mqs_setup_image (MsgqImage *image, const MsgqImageCallbacks *callbacks)
{
    Image *info = basic->allocate (sizeof *info);

    memset (info, 0, sizeof *info);
    info->callbacks = callbacks;
    basic->put_image (image, (MsgqTheirs *) info);
    return MSGQ_OK;
}

int
mqs_image_has_queues (MsgqImage *image, char **message)
{
    Image *info = (Image *) basic->get_image (image);
    MsgqType *communicator = info->callbacks->find_type (image, "tiny_communicator_t", 'c');
    MsgqType *request = info->callbacks->find_type (image, "tiny_request_t", 'c');
    struct { int *offset; MsgqType *type; const char *name; } fields[] = {
        { &info->next, communicator, "next" }, { &info->context, communicator, "context" },
        { &info->rank, communicator, "rank" }, { &info->size, communicator, "size" },
        { &info->members, communicator, "members" }, { &info->name, communicator, "name" },
        { &info->r_next, request, "next" }, { &info->communicator, request, "communicator" },
        { &info->kind, request, "kind" }, { &info->peer, request, "peer" },
        { &info->tag, request, "tag" }, { &info->status, request, "status" },
        { &info->length, request, "length" }, { &info->buffer, request, "buffer" },
    };

    if (communicator == NULL || request == NULL) {
        snprintf (info->sentence, sizeof info->sentence, "%s\n",
                  communicator == NULL ? "tiny_communicator_t" : "tiny_request_t");
        *message = info->sentence;
        return MISSING_TYPE;
    }
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        *fields[i].offset = info->callbacks->get_offset (fields[i].type, (char *) fields[i].name);
        if (*fields[i].offset < 0) {
            return MISSING_TYPE;
        }
    }
    return info->callbacks->get_size (request) == (int) sizeof (tiny_request_t) ? MSGQ_OK
                                                                                : MISSING_TYPE;
}

void
mqs_destroy_image_info (MsgqTheirs *info)
{
    basic->free (info);
}

/* Numbers come in the rank's own form. */
static long
read_number (MsgqProcess *process, MsgqAddress address, int size)
{
    Process *info = (Process *) basic->get_process (process);
    char bytes[8];
    long number = 0;
    int narrow = 0;

    info->callbacks->fetch (process, address, size, bytes);
    if (size == 4) {
        info->callbacks->to_host (process, bytes, &narrow, size);
        return narrow;
    }
    info->callbacks->to_host (process, bytes, &number, size);
    return number;
}

int
mqs_setup_process (MsgqProcess *process, const MsgqProcessCallbacks *callbacks)
{
    Process *info = basic->allocate (sizeof *info);

    memset (info, 0, sizeof *info);
    info->callbacks = callbacks;
    info->image = (Image *) basic->get_image (callbacks->get_image (process));
    basic->put_process (process, (MsgqTheirs *) info);
    return MSGQ_OK;
}

int
mqs_process_has_queues (MsgqProcess *process, char **message)
{
    Process *info = (Process *) basic->get_process (process);
    MsgqImage *image = info->callbacks->get_image (process);
    MsgqAddress mode;

    *message = NULL;
    if (info->image->callbacks->find_symbol (image, "tiny_mode", &mode) != MSGQ_OK
        || info->image->callbacks->find_symbol (image, "tiny_communicators", &info->communicators)
        || info->image->callbacks->find_symbol (image, "tiny_requests", &info->requests)) {
        return MISSING_TYPE;
    }
    info->mode = (int) read_number (process, mode, 4);
    if (info->mode == TINY_REFUSE && tiny_describe_rights) {
        *message = (char *) tiny_describe_rights ();
    }
    return info->mode == TINY_REFUSE ? REFUSED : MSGQ_OK;
}

void
mqs_destroy_process_info (MsgqTheirs *info)
{
    basic->free (info);
}

int
mqs_update_communicator_list (MsgqProcess *process)
{
    Process *info = (Process *) basic->get_process (process);

    if (info->mode == TINY_CRASH) {
        raise (SIGSEGV);
    }
    for (volatile int stay = 1; info->mode == TINY_HANG && stay;) {
    }
    if (info->mode == TINY_OLD_CALLS && tiny_call_old) {
        tiny_call_old ();
    }
    if (info->mode == TINY_EXIT) {
        exit (3);
    }
    return MSGQ_OK;
}

int
mqs_setup_communicator_iterator (MsgqProcess *process)
{
    Process *info = (Process *) basic->get_process (process);

    info->communicator = (MsgqAddress) read_number (process, info->communicators, 8);
    return info->communicator != 0 ? MSGQ_OK : MSGQ_END_OF_LIST;
}

int
mqs_get_communicator (MsgqProcess *process, MsgqCommunicator *communicator)
{
    Process *info = (Process *) basic->get_process (process);

    communicator->id = (MsgqAddress) read_number (process, info->communicator + info->image->context, 4);
    communicator->local_rank = read_number (process, info->communicator + info->image->rank, 4);
    communicator->size = read_number (process, info->communicator + info->image->size, 4);
    info->callbacks->fetch (process, info->communicator + info->image->name, 40, communicator->name);
    if (info->mode == TINY_SCRIBBLE) {
        memset (communicator, 0x7f, sizeof *communicator);
    }
    return MSGQ_OK;
}

int
mqs_get_comm_group (MsgqProcess *process, int *members)
{
    Process *info = (Process *) basic->get_process (process);
    long size = read_number (process, info->communicator + info->image->size, 4);
    MsgqAddress from = (MsgqAddress) read_number (process, info->communicator + info->image->members, 8);

    for (long i = 0; i < size; i++) {
        members[i] = (int) read_number (process, from + 4 * (MsgqAddress) i, 4);
    }
    return MSGQ_OK;
}

int
mqs_next_communicator (MsgqProcess *process)
{
    Process *info = (Process *) basic->get_process (process);

    if (info->mode != TINY_ENDLESS) {
        info->communicator = (MsgqAddress) read_number (process, info->communicator
                                                        + info->image->next, 8);
    }
    return info->communicator != 0 ? MSGQ_OK : MSGQ_END_OF_LIST;
}

int
mqs_setup_operation_iterator (MsgqProcess *process, int kind)
{
    Process *info = (Process *) basic->get_process (process);

    info->kind = kind;
    info->request = (MsgqAddress) read_number (process, info->requests, 8);
    return MSGQ_OK;
}

static void
fill (MsgqProcess *process, Process *info, MsgqOperation *operation)
{
    const Image *image = info->image;

    operation->status = (int) read_number (process, info->request + image->status, 4);
    operation->wanted_local = operation->local
        = read_number (process, info->request + image->peer, 4);
    operation->wanted_tag = operation->tag = read_number (process, info->request + image->tag, 4);
    operation->is_any_tag = operation->wanted_tag < 0;
    operation->wanted_length = operation->length
        = read_number (process, info->request + image->length, 8);
    operation->buffer = (MsgqAddress) read_number (process, info->request + image->buffer, 8);
    operation->wanted_global = operation->global = 77; /* wrong, as one of the real ones has it */
    if (info->mode == TINY_WRONG_RANK) {
        operation->wanted_local = operation->local = 77;
    }
}

int
mqs_next_operation (MsgqProcess *process, MsgqOperation *operation)
{
    Process *info = (Process *) basic->get_process (process);

    for (; info->request != 0;
         info->request = (MsgqAddress) read_number (process, info->request + info->image->r_next, 8)) {
        int kind = (int) read_number (process, info->request + info->image->kind, 4);
        MsgqAddress communicator = (MsgqAddress) read_number (
            process, info->request + info->image->communicator, 8);

        if (kind == info->kind && communicator == info->communicator) {
            fill (process, info, operation);
            info->request = (MsgqAddress) read_number (process, info->request + info->image->r_next, 8);
            return MSGQ_OK;
        }
    }
    return MSGQ_END_OF_LIST;
}
