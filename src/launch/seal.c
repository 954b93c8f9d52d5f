/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows MUNGE's library, libmunge.so.2 (munge(3), munge_ctx(3)), with which Slurm's components
 * authenticate each other: its daemon on each host of a cluster encrypts and authenticates with
 * the cluster's key. Loaded on demand; the constants are munge.h's, which need not be
 * installed. */
#include "launch/seal-private.h"
#include "base/error.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { OPTION_CIPHER = 0, OPTION_TTL = 4, OPTION_UID_RESTRICTION = 9 };
enum { CIPHER_AES128 = 4, TTL_MAXIMUM = -1 };
/* A job may wait in a queue longer than a credential is valid, and every host decodes it: an
 * expired or replayed credential is still authentic. */
enum { SUCCESS = 0, EXPIRED = 15, REPLAYED = 17 };

typedef struct {
    void *(*create) (void);
    void (*destroy) (void *context);
    int (*set) (void *context, int option, ...);
    int (*encode) (char **credential, void *context, const void *data, int size);
    int (*decode) (const char *credential, void *context, void **data, int *size, uid_t *uid,
                   gid_t *gid);
    const char *(*describe) (int error);
} Munge;

static gboolean
load (Munge *munge)
{
    void *library = dlopen ("libmunge.so.2", RTLD_NOW | RTLD_LOCAL);
    struct {
        const char *name;
        void *function;
    } functions[]
        = { { "munge_ctx_create", &munge->create }, { "munge_ctx_destroy", &munge->destroy },
            { "munge_ctx_set", &munge->set },       { "munge_encode", &munge->encode },
            { "munge_decode", &munge->decode },     { "munge_strerror", &munge->describe } };
    for (gsize i = 0; i < G_N_ELEMENTS (functions); i++) {
        void *found = library ? dlsym (library, functions[i].name) : NULL;
        if (!found) {
            return FALSE;
        }
        memcpy (functions[i].function, &found, sizeof found);
    }
    return TRUE; /* it stays loaded */
}

char *
launch_seal (const char *text, guint32 uid)
{
    Munge munge;
    char *credential = NULL, *sealed = NULL;
    void *context = load (&munge) ? munge.create () : NULL;
    if (!context) {
        return NULL;
    }
    if (munge.set (context, OPTION_CIPHER, CIPHER_AES128) == SUCCESS
        && munge.set (context, OPTION_TTL, TTL_MAXIMUM) == SUCCESS
        && munge.set (context, OPTION_UID_RESTRICTION, (uid_t) uid) == SUCCESS
        && munge.encode (&credential, context, text, (int) strlen (text)) == SUCCESS
        && credential && launch_seal_is_sealed (credential)) {
        sealed = g_strdup (credential);
    }
    free (credential);
    munge.destroy (context);
    return sealed;
}

gboolean
launch_seal_is_sealed (const char *word)
{
    return g_str_has_prefix (word, "MUNGE:");
}

/* An attacker on the network could insert a credential of his own: it must come from this user
 * or root. */
char *
launch_unseal (const char *sealed, GError **error)
{
    Munge munge;
    void *data = NULL;
    int size = 0;
    uid_t uid = (uid_t) -1;
    gid_t gid;
    char *text = NULL;
    if (!load (&munge)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                     "cannot read the session's key: it is encrypted with "
                     "MUNGE, whose library is not on this host");
        return NULL;
    }
    int result = munge.decode (sealed, NULL, &data, &size, &uid, &gid);
    gboolean is_whole = (result == SUCCESS || result == EXPIRED || result == REPLAYED) && data
                        && size > 0;
    if (is_whole && (uid == geteuid () || uid == 0)) {
        text = g_strndup (data, (gsize) size);
    } else if (is_whole) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot use the session's key: it was made by user %u", (guint) uid);
    } else {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot read the session's key: MUNGE says: %s; set "
                     "XDG_STATE_HOME to a folder that all hosts see",
                     munge.describe (result));
    }
    if (data) {
        explicit_bzero (data, (gsize) MAX (size, 0));
        free (data);
    }
    return text;
}
