/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A handler of a signal opens files, writes and names regions while its own thread does so, both with new names. Exit
 * status 0: it has run 3000 times. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void (*begin) (const char *, const char *, int), (*end) (const char *);
static volatile sig_atomic_t n_handled;
static int log_fd;
static const char *folder;

/* Not by snprintf, which a handler must not call. */
static void
name (char *text, char first, unsigned number)
{
    text[0] = first;
    for (int i = 1; i < 7; i++, number /= 10) {
        text[i] = (char) ('0' + number % 10);
    }
    text[7] = '\0';
}

static void
work (char first, unsigned number)
{
    char text[8], path[400];
    size_t length = strlen (folder);

    name (text, first, number);
    memcpy (path, folder, length);
    path[length] = '/';
    memcpy (path + length + 1, text, sizeof text);
    if (begin != NULL) {
        begin (text, "native-handlers.c", 1);
    }
    if (number % 16 == 0) {
        int fd = open (path, O_WRONLY | O_CREAT, 0600);

        if (fd < 0 || write (fd, text, 7) != 7 || close (fd) != 0) {
            _exit (2);
        }
    }
    if (begin != NULL) {
        end (text);
    }
}

static void
handle (int number)
{
    work ('h', (unsigned) n_handled);
    if (write (log_fd, "h", 1) != 1) {
        _exit (3);
    }
    n_handled++;
}

int
main (int argc, char **argv)
{
    struct itimerval often = { { 0, 100 }, { 0, 100 } };
    struct sigaction action = { .sa_handler = handle };

    folder = argv[1];
    log_fd = open ("/dev/null", O_WRONLY);
    if (argc < 2 || strlen (folder) > 300 || log_fd < 0) {
        return 1;
    }
    *(void **) &begin = dlsym (RTLD_DEFAULT, "pddt_trace_region_begin");
    *(void **) &end = dlsym (RTLD_DEFAULT, "pddt_trace_region_end");
    sigaction (SIGALRM, &action, NULL);
    setitimer (ITIMER_REAL, &often, NULL);
    for (unsigned i = 0; n_handled < 3000; i++) {
        work ('m', i % 1000000);
    }
    signal (SIGALRM, SIG_IGN);
    return 0;
}
