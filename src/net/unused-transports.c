/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libzmq wants of PGM, NORM and Kerberos, for programs that carry libzmq in themselves: no
 * socket of ours speaks any of the three, and their libraries are most of what a program with libzmq
 * loads and relocates at its start. Whoever calls one is told that it failed. The names are those
 * of libzmq 4.3; the build asks the linker whether they are all, else libzmq stays a shared library. */
#include <stddef.h>

#define ABSENT(name) long name (void); long name (void) { return FAILED; }

/* Kerberos: GSS_S_UNAVAILABLE */
#define FAILED (16l << 16)
const void *GSS_C_NT_HOSTBASED_SERVICE, *GSS_C_NT_USER_NAME;
ABSENT (gss_accept_sec_context)
ABSENT (gss_acquire_cred)
ABSENT (gss_delete_sec_context)
ABSENT (gss_display_name)
ABSENT (gss_import_name)
ABSENT (gss_init_sec_context)
ABSENT (gss_release_buffer)
ABSENT (gss_release_cred)
ABSENT (gss_release_name)
ABSENT (gss_unwrap)
ABSENT (gss_wrap)
#undef FAILED

/* NORM: no handle, FALSE */
#define FAILED 0
const void *NORM_INSTANCE_INVALID, *NORM_OBJECT_INVALID, *NORM_SESSION_INVALID;
const unsigned NORM_NODE_ANY = 0xffffffffu;
ABSENT (NormCreateInstance)
ABSENT (NormCreateSession)
ABSENT (NormDestroyInstance)
ABSENT (NormDestroySession)
ABSENT (NormGetDescriptor)
ABSENT (NormGetNextEvent)
ABSENT (NormGetRandomSessionId)
ABSENT (NormIsUnicastAddress)
ABSENT (NormNodeDelete)
ABSENT (NormObjectGetType)
ABSENT (NormObjectGetUserData)
ABSENT (NormObjectSetUserData)
ABSENT (NormSetCongestionControl)
ABSENT (NormSetDefaultSyncPolicy)
ABSENT (NormSetDefaultUnicastNack)
ABSENT (NormSetLoopback)
ABSENT (NormSetMulticastInterface)
ABSENT (NormSetRxPortReuse)
ABSENT (NormSetTTL)
ABSENT (NormStartReceiver)
ABSENT (NormStartSender)
ABSENT (NormStopInstance)
ABSENT (NormStopReceiver)
ABSENT (NormStopSender)
ABSENT (NormStreamFlush)
ABSENT (NormStreamOpen)
ABSENT (NormStreamRead)
ABSENT (NormStreamSeekMsgStart)
ABSENT (NormStreamWrite)

/* PGM: FALSE */
ABSENT (pgm_bind3)
ABSENT (pgm_close)
ABSENT (pgm_connect)
ABSENT (pgm_error_free)
ABSENT (pgm_free)
ABSENT (pgm_freeaddrinfo)
ABSENT (pgm_getaddrinfo)
ABSENT (pgm_getsockopt)
ABSENT (pgm_gsi_create_from_data)
ABSENT (pgm_recvmsgv)
ABSENT (pgm_send)
ABSENT (pgm_setsockopt)
ABSENT (pgm_socket)
#undef FAILED

/* Every context calls these two, whatever it is for; the first must have worked: TRUE. */
#define FAILED 1
ABSENT (pgm_init)
ABSENT (pgm_shutdown)
