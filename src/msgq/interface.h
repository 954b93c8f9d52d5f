/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between an MPI's message queue library and a debugger, after the MPI Forum's
 * "MPIR message queue" document (interface 1.0, compatibility number 2): the order and types of
 * members are the document's, the names are pddt's. The program's symbol MPIR_dll_name gives
 * the library's path; MSGQ_ENTRIES lists its functions. */
#pragma once
#include <stddef.h>

enum { MSGQ_OK = 0, MSGQ_NO_INFORMATION = 1, MSGQ_END_OF_LIST = 2, MSGQ_USER_CODE = 100 };
enum { MSGQ_COMPATIBILITY = 2 }; /* newer ones require descriptions of MPI-2 jobs */
enum { MSGQ_SENDS, MSGQ_RECEIVES, MSGQ_UNEXPECTED, MSGQ_N_CLASSES };
enum { MSGQ_PENDING, MSGQ_MATCHED, MSGQ_COMPLETE };

typedef unsigned long MsgqAddress; /* of the rank */
typedef long MsgqWord;

typedef struct _MsgqImage MsgqImage;     /* ours: the files of a program */
typedef struct _MsgqProcess MsgqProcess; /* ours: a rank */
typedef struct _MsgqType MsgqType;       /* ours: one type of its debug information */
typedef struct _MsgqTheirs MsgqTheirs;   /* the library's data for an image or a process */

typedef struct {
    int of_short, of_int, of_long, of_long_long, of_pointer, of_bool, of_size_t;
} MsgqSizes;

typedef struct {
    MsgqAddress id; /* the same in all members while it exists */
    MsgqWord local_rank, size;
    char name[64];
} MsgqCommunicator;

typedef struct {
    int status;                           /* MSGQ_PENDING, … */
    MsgqWord wanted_local, wanted_global; /* the peer; -1: any */
    int is_any_tag;
    MsgqWord wanted_tag, wanted_length;
    int is_system_buffer;
    MsgqAddress buffer;
    MsgqWord local, global, tag, length; /* sends, and what is matched */
    char texts[5][64];                   /* of the library's own making */
} MsgqOperation;

typedef struct {
    void *(*allocate) (size_t size);
    void (*free) (void *memory);
    void (*print) (const char *text);
    char *(*get_error) (int code);
    void (*put_image) (MsgqImage *image, MsgqTheirs *theirs);
    MsgqTheirs *(*get_image) (MsgqImage *image);
    void (*put_process) (MsgqProcess *process, MsgqTheirs *theirs);
    MsgqTheirs *(*get_process) (MsgqProcess *process);
} MsgqBasicCallbacks;

typedef struct {
    void (*get_sizes) (MsgqProcess *process, MsgqSizes *sizes);
    int (*find_function) (MsgqImage *image, char *name, int language, MsgqAddress *ret_address);
    int (*find_symbol) (MsgqImage *image, char *name, MsgqAddress *ret_address);
    MsgqType *(*find_type) (MsgqImage *image, char *name, int language);
    int (*get_offset) (MsgqType *type, char *field);
    int (*get_size) (MsgqType *type);
} MsgqImageCallbacks;

typedef struct {
    int (*get_global_rank) (MsgqProcess *process);
    MsgqImage *(*get_image) (MsgqProcess *process);
    int (*fetch) (MsgqProcess *process, MsgqAddress address, int size, void *memory);
    void (*to_host) (MsgqProcess *process, const void *from, void *to, int size);
} MsgqProcessCallbacks;

/* X (member, name without "mqs_", result, parameters) */
#define MSGQ_ENTRIES(X)                                                                        \
    X (setup_basic, setup_basic_callbacks, void, (const MsgqBasicCallbacks *) )                \
    X (get_compatibility, version_compatibility, int, (void) )                                 \
    X (get_version, version_string, char *, (void) )                                           \
    X (get_address_width, dll_taddr_width, int, (void) )                                       \
    X (get_error, dll_error_string, char *, (int) )                                            \
    X (setup_image, setup_image, int, (MsgqImage *, const MsgqImageCallbacks *) )              \
    X (check_image, image_has_queues, int, (MsgqImage *, char **) )                            \
    X (destroy_image, destroy_image_info, void, (MsgqTheirs *) )                               \
    X (setup_process, setup_process, int, (MsgqProcess *, const MsgqProcessCallbacks *) )      \
    X (check_process, process_has_queues, int, (MsgqProcess *, char **) )                      \
    X (destroy_process, destroy_process_info, void, (MsgqTheirs *) )                           \
    X (update_communicators, update_communicator_list, int, (MsgqProcess *) )                  \
    X (first_communicator, setup_communicator_iterator, int, (MsgqProcess *) )                 \
    X (get_communicator, get_communicator, int, (MsgqProcess *, MsgqCommunicator *) )          \
    X (get_group, get_comm_group, int, (MsgqProcess *, int *) )                                \
    X (next_communicator, next_communicator, int, (MsgqProcess *) )                            \
    X (first_operation, setup_operation_iterator, int, (MsgqProcess *, int) )                  \
    X (next_operation, next_operation, int, (MsgqProcess *, MsgqOperation *) )

#define MSGQ_DECLARE(member, name, result, parameters) result (*member) parameters;
typedef struct {
    MSGQ_ENTRIES (MSGQ_DECLARE)
} MsgqFunctions;
#undef MSGQ_DECLARE
