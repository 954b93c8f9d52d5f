/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces an internal header that the packages of Open MPI 5 leave out: the types alone, its functions are
 * not called. */
#pragma once
#include <pthread.h>
typedef pthread_mutex_t opal_thread_internal_mutex_t;
typedef pthread_cond_t opal_thread_internal_cond_t;
