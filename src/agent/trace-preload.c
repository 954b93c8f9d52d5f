/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libpddt-trace.so, which pddt-start preloads into the programs of a traced job. In a Python interpreter it waits, by an
 * audit hook (PEP 578), until the user's script is about to run, and then loads the tracer; in any
 * other program it does nothing. So a command is traced however it comes to its interpreter: by env,
 * a shell script, a virtual environment, multiprocessing. The program does not see it in its
 * environment: what it executes gets the variables again. */
#include "agent/trace-audit.h"
#include "agent/trace-last.h"
#include "agent/trace-ring.h"
#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__ ((visibility ("default")))
#define PRELOAD "LD_PRELOAD="

enum { FOLDER, RANK, SIZE, LAST, PID, STARTED, MAX_SETTINGS };
enum { MAX_PATH = 4096, STARTED_SIZE = 96 };
static const char *const names[MAX_SETTINGS]
    = { TRACE_FOLDER_VARIABLE, "PDDT_TRACE_RANK", "PDDT_TRACE_SIZE",
        "PDDT_TRACE_LAST",     "PDDT_TRACE_PID",  TRACE_STARTED_VARIABLE };

static struct {
    char *settings[MAX_SETTINGS]; /* "NAME=VALUE"; NULL: it had none */
    char path
        [MAX_PATH]; /* of this library, as LD_PRELOAD has it, maybe with another; "": nothing is followed */
} self;

/* ---- what the program executes ---- */

/* The C library's own functions. */
static struct {
    int (*execve) (const char *, char *const[], char *const[]);
    int (*execvpe) (const char *, char *const[], char *const[]);
    int (*fexecve) (int, char *const[], char *const[]);
    int (*spawn) (pid_t *, const char *, const posix_spawn_file_actions_t *,
                  const posix_spawnattr_t *, char *const[], char *const[]);
    int (*spawnp) (pid_t *, const char *, const posix_spawn_file_actions_t *,
                   const posix_spawnattr_t *, char *const[], char *const[]);
} libc;

/* The constructors of the program's own libraries run before this library's, and may start programs. */
static void
find_libc (void)
{
    if (libc.spawnp == NULL) {
        *(void **) &libc.execve = dlsym (RTLD_NEXT, "execve");
        *(void **) &libc.execvpe = dlsym (RTLD_NEXT, "execvpe");
        *(void **) &libc.fexecve = dlsym (RTLD_NEXT, "fexecve");
        *(void **) &libc.spawn = dlsym (RTLD_NEXT, "posix_spawn");
        *(void **) &libc.spawnp = dlsym (RTLD_NEXT, "posix_spawnp");
    }
}

/* Runs between fork and exec, maybe in memory shared with the parent (vfork): no allocation. */
static const char *
find_preload (char *const environment[])
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        if (strncmp (environment[i], PRELOAD, sizeof PRELOAD - 1) == 0) {
            return environment[i] + sizeof PRELOAD - 1;
        }
    }
    return "";
}

static size_t
count (char *const list[])
{
    size_t n = 0;

    while (list != NULL && list[n] != NULL) {
        n++;
    }
    return n;
}

static int
is_ours (const char *entry)
{
    for (int i = 0; i < MAX_SETTINGS; i++) {
        size_t length = strlen (names[i]);

        if (strncmp (entry, names[i], length) == 0 && entry[length] == '=') {
            return 1;
        }
    }
    return strncmp (entry, PRELOAD, sizeof PRELOAD - 1) == 0;
}

/* The entry that says when this process becomes another program; text: STARTED_SIZE bytes. */
static char *
note_start (char *text)
{
    snprintf (text, STARTED_SIZE, TRACE_STARTED_VARIABLE "=%d:%llu:%llu", (int) getpid (),
              (unsigned long long) trace_now (), (unsigned long long) trace_get_used ());
    return text;
}

/* list: room for so many entries as the environment has, and MAX_SETTINGS + 2; preload: for the entry; started: NULL:
 * it is another process that executes the program. */
static char **
fill (char **list, char *preload, size_t size, char *started, char *const environment[])
{
    const char *others = find_preload (environment);
    size_t n = 0;

    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        if (!is_ours (environment[i])) {
            list[n++] = environment[i];
        }
    }
    for (int i = 0; i < MAX_SETTINGS; i++) {
        if (self.settings[i] != NULL && i != STARTED) {
            list[n++] = self.settings[i];
        }
    }
    if (started != NULL) {
        list[n++] = started;
    }
    snprintf (preload, size, PRELOAD "%s%s%s", self.path, *others != '\0' ? ":" : "", others);
    list[n++] = preload;
    list[n] = NULL;
    return list;
}

/* On the caller's stack. */
#define EXTENDED(environment, started)                                                         \
    (self.path[0] == '\0'                                                                      \
         ? (char **) (environment)                                                             \
         : fill (alloca ((count (environment) + MAX_SETTINGS + 2) * sizeof (char *)),          \
                 alloca (sizeof PRELOAD + MAX_PATH + strlen (find_preload (environment))),     \
                 sizeof PRELOAD + MAX_PATH + strlen (find_preload (environment)), started,     \
                 environment))
#define STARTED_NOW note_start (alloca (STARTED_SIZE))

/* The call returns if it has failed. */
#define EXECUTE(call)                                                                          \
    do {                                                                                       \
        find_libc ();                                                                          \
        trace_execute ();                                                                      \
        call;                                                                                  \
        trace_go_on ();                                                                        \
        return -1;                                                                             \
    } while (0)

EXPORTED int
execve (const char *path, char *const arguments[], char *const environment[])
{
    EXECUTE (libc.execve (path, arguments, EXTENDED (environment, STARTED_NOW)));
}

EXPORTED int
execv (const char *path, char *const arguments[])
{
    EXECUTE (libc.execve (path, arguments, EXTENDED (environ, STARTED_NOW)));
}

EXPORTED int
execvpe (const char *file, char *const arguments[], char *const environment[])
{
    EXECUTE (libc.execvpe (file, arguments, EXTENDED (environment, STARTED_NOW)));
}

EXPORTED int
execvp (const char *file, char *const arguments[])
{
    EXECUTE (libc.execvpe (file, arguments, EXTENDED (environ, STARTED_NOW)));
}

EXPORTED int
fexecve (int fd, char *const arguments[], char *const environment[])
{
    EXECUTE (libc.fexecve (fd, arguments, EXTENDED (environment, STARTED_NOW)));
}

EXPORTED int
posix_spawn (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const arguments[],
             char *const environment[])
{
    find_libc ();
    return libc.spawn (pid, path, actions, attributes, arguments, EXTENDED (environment, NULL));
}

EXPORTED int
posix_spawnp (pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
              const posix_spawnattr_t *attributes, char *const arguments[],
              char *const environment[])
{
    find_libc ();
    return libc.spawnp (pid, file, actions, attributes, arguments,
                        EXTENDED (environment, NULL));
}

/* The words from first to NULL as a list on the caller's stack; list is left behind the NULL. */
#define LISTED(words, first, list)                                                             \
    do {                                                                                       \
        size_t n_words = 1;                                                                    \
        va_list ahead;                                                                         \
        va_copy (ahead, list);                                                                 \
        while (va_arg (ahead, char *) != NULL) {                                               \
            n_words++;                                                                         \
        }                                                                                      \
        va_end (ahead);                                                                        \
        words = alloca ((n_words + 1) * sizeof (char *));                                      \
        words[0] = (char *) (first);                                                           \
        for (size_t i = 1; i <= n_words; i++) {                                                \
            words[i] = va_arg (list, char *);                                                  \
        }                                                                                      \
    } while (0)

EXPORTED int
execl (const char *path, const char *argument, ...)
{
    char **words;
    va_list list;

    va_start (list, argument);
    LISTED (words, argument, list);
    va_end (list);
    return execve (path, words, environ);
}

EXPORTED int
execlp (const char *file, const char *argument, ...)
{
    char **words;
    va_list list;

    va_start (list, argument);
    LISTED (words, argument, list);
    va_end (list);
    return execvpe (file, words, environ);
}

EXPORTED int
execle (const char *path, const char *argument, ...)
{
    char **words, *const *environment;
    va_list list;

    va_start (list, argument);
    LISTED (words, argument, list);
    environment = va_arg (list, char *const *);
    va_end (list);
    return execve (path, words, environment);
}

/* ---- this process ---- */

static void
start_tracer (void)
{
    static const char name[] = "pddt_trace.abi3.so";
    const char *slash = strrchr (self.path, '/'); /* of the last one, all in one folder */
    const char *colon = strrchr (self.path, ':'),
               *folder = colon != NULL ? colon + 1 : self.path;
    size_t length = slash != NULL ? (size_t) (slash + 1 - folder) : 0;
    char path[MAX_PATH + sizeof name];
    void *tracer, (*start) (void);

    memcpy (path, folder, length);
    memcpy (path + length, name, sizeof name);
    tracer = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    *(void **) &start = tracer != NULL ? dlsym (tracer, "pddt_trace_start") : NULL;
    if (start != NULL) {
        start ();
    } else {
        fprintf (stderr, "pddt: this Python process is not traced: %s\n", dlerror ());
    }
}

/* bash has functions of its own for the environment, which know nothing yet: this works on the list itself. */
static char **
find_entry (const char *name)
{
    size_t length = strlen (name);

    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (strncmp (*entry, name, length) == 0 && (*entry)[length] == '=') {
            return entry;
        }
    }
    return NULL;
}

static void
remove_entry (char **entry)
{
    do {
        entry[0] = entry[1];
    } while (*entry++ != NULL);
}

/* Leaves this library out of the list, wherever it stands there. */
static void
leave_preload (void)
{
    char **entry = find_entry ("LD_PRELOAD"), *rest = entry != NULL ? strdup (*entry) : NULL;
    char *found = rest != NULL ? strstr (rest, self.path) : NULL, *behind;

    if (found == NULL) {
        free (rest);
        return;
    }
    behind = found + strlen (self.path);
    behind += *behind != '\0';
    memmove (found, behind, strlen (behind) + 1);
    if (*found == '\0' && found[-1] != '=') {
        found[-1] = '\0'; /* it was the last one */
    }
    if (rest[sizeof PRELOAD - 1] != '\0') {
        *entry = rest;
    } else {
        remove_entry (entry);
        free (rest);
    }
}

/* Where libpddt-memory.so stands behind this library, both are followed. */
static void
join_memory (void)
{
    static const char name[] = "libpddt-memory.so";
    char **entry = find_entry ("LD_PRELOAD");
    const char *found = entry != NULL ? strstr (*entry, self.path) : NULL;
    const char *slash = strrchr (self.path, '/');
    size_t length = strlen (self.path), folder = (size_t) (slash + 1 - self.path);

    if (found != NULL && found[length] == ':'
        && strncmp (found + length + 1, self.path, folder) == 0
        && strncmp (found + length + 1 + folder, name, sizeof name - 1) == 0
        && length + 1 + folder + sizeof name <= sizeof self.path) {
        self.path[length] = ':';
        memmove (self.path + length + 1, self.path, folder);
        memcpy (self.path + length + 1 + folder, name, sizeof name);
    }
}

static void
take_settings (void)
{
    for (int i = 0; i < MAX_SETTINGS; i++) {
        char **entry = find_entry (names[i]);

        if (entry != NULL) { /* trace_find_setting still finds it */
            self.settings[i] = *entry;
            remove_entry (entry);
        }
    }
}

static const char *
get_value (int setting)
{
    return self.settings[setting] != NULL ? strchr (self.settings[setting], '=') + 1 : NULL;
}

__attribute__ ((constructor)) static void
begin (void)
{
    Dl_info info;

    find_libc ();
    if (find_entry (TRACE_FOLDER_VARIABLE) == NULL || dladdr ((void *) &self, &info) == 0
        || info.dli_fname[0] != '/' || strlen (info.dli_fname) >= sizeof self.path) {
        return;
    }
    memcpy (self.path, info.dli_fname, strlen (info.dli_fname) + 1);
    join_memory ();
    take_settings ();
    leave_preload ();
    if (self.settings[LAST] != NULL) {
        trace_last_begin (get_value (FOLDER), get_value (LAST), get_value (RANK),
                          get_value (SIZE));
    }
    trace_audit_begin (start_tracer);
}
