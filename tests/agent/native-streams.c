/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Works with streams in all ways, and says on standard error what it has counted itself: "bytes FILE READ WRITTEN" and
 * "calls FUNCTION N". Argument: a folder for its files; standard input: 2,000 lines "NUMBER WORD". */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_LINES = 2000, N_CHARACTERS = 10000 };

typedef struct {
    const char *name;
    long n_read, n_written;
} Count;

static const char *folder;
static Count counts[32];
static int n_counts;
static long n_printed, n_standard_input; /* bytes */
static int n_fprintf, n_printf, n_fscanf, n_scanf, n_getline;

static void
check (const char *what, int is_right)
{
    if (!is_right) {
        fprintf (stderr, "wrong: %s: %s\n", what, strerror (errno));
        n_fprintf++;
    }
}

static FILE *
open_file (const char *name, const char *mode)
{
    char path[PATH_MAX];

    snprintf (path, sizeof path, "%s/%s", folder, name);
    return fopen (path, mode);
}

static Count *
begin (const char *name)
{
    counts[n_counts].name = name;
    return &counts[n_counts++];
}

static int
print_list (FILE *stream, const char *format, ...)
{
    va_list list;
    int n;

    va_start (list, format);
    n = vfprintf (stream, format, list);
    va_end (list);
    return n;
}

static int
scan_list (FILE *stream, const char *format, ...)
{
    va_list list;
    int n;

    va_start (list, format);
    n = vfscanf (stream, format, list);
    va_end (list);
    return n;
}

/* Longer than the stream's buffer; %n and places; what does not fit, and the end. */
static void
work_with_formats (void)
{
    Count *count = begin ("formats");
    FILE *stream = open_file ("formats", "w");
    int number, n_said = 0, at = 0;
    char word[32];

    for (int i = 0; i < N_LINES; i++) {
        count->n_written += fprintf (stream, "%2$s%1$d word-%1$d\n", i, "");
        n_fprintf++;
    }
    errno = E2BIG;
    count->n_written += print_list (stream, "%9000d%n\n", 17, &n_said);
    n_fprintf++;
    check ("%n", n_said == 9000 && errno == E2BIG);
    check ("close", fclose (stream) == 0);
    stream = open_file ("formats", "r");
    for (int i = 0; i < N_LINES; i++) {
        int n = i % 2 ? fscanf (stream, "%d %31s%n", &number, word, &at)
                      : scan_list (stream, "%2$d %1$31s%3$n", word, &number, &at);

        n_fscanf++;
        check ("scanned", n == 2 && number == i && strncmp (word, "word-", 5) == 0 && at > 0);
    }
    check ("scanned", fscanf (stream, "%d", &number) == 1 && number == 17);
    check ("character", getc (stream) == '\n' && ungetc ('x', stream) == 'x');
    errno = E2BIG;
    check ("not a number", fscanf (stream, " %d", &number) == 0 && errno == E2BIG);
    check ("given back", fscanf (stream, "%31s", word) == 1 && strcmp (word, "x") == 0);
    check ("end", fscanf (stream, "%d", &number) == EOF && feof (stream) && !ferror (stream));
    n_fscanf += 4;
    count->n_read = count->n_written;
    check ("close", fclose (stream) == 0);
}

static void
work_with_lines (void)
{
    Count *count = begin ("lines");
    FILE *stream = open_file ("lines", "w+");
    size_t size = 0;
    char *line = NULL;
    ssize_t n;

    for (int i = 0; i < 100; i++) {
        check ("line", fputs ("one, two, three\n", stream) >= 0);
        count->n_written += (long) strlen ("one, two, three\n");
    }
    rewind (stream);
    do {
        n = getdelim (&line, &size, ',', stream);
        count->n_read += n > 0 ? n : 0;
        n = n > 0 ? getline (&line, &size, stream) : n;
        n_getline += n > 0;
        count->n_read += n > 0 ? n : 0;
    } while (n > 0);
    check ("lines", count->n_read == count->n_written && feof (stream) && fclose (stream) == 0);
    free (line);
}

/* Functions that headers may have inline are called by their address. */
static void
work_with_characters (void)
{
    static int (*const volatile puts_it[]) (int, FILE *) = { putc, fputc, putc_unlocked,
                                                             fputc_unlocked };
    static int (*const volatile gets_it[]) (FILE *) = { getc, fgetc, getc_unlocked,
                                                        fgetc_unlocked };
    Count *count = begin ("characters"), *copied = begin ("copied");
    FILE *stream = open_file ("characters", "w"), *other = open_file ("copied", "w");
    int character;

    for (int i = 0; i < N_CHARACTERS; i++) {
        check ("put", puts_it[i % 4]('a' + i % 26, stream) == 'a' + i % 26);
        count->n_written++;
    }
    check ("close", fclose (stream) == 0);
    stream = open_file ("characters", "r");
    for (int i = 0; i < 100; i++) { /* what is given back counts once */
        check ("give back", ungetc (getc (stream), stream) >= 0);
    }
    for (int i = 0; (character = gets_it[i % 4](stream)) != EOF; i++) {
        count->n_read++;
        check ("copy", putc (character, other) == character);
        copied->n_written++;
    }
    check ("end", feof (stream) && !ferror (stream));
    errno = 0;
    check ("error", putc ('x', stream) == EOF && errno == EBADF && ferror (stream));
    check ("close", fclose (stream) == 0 && fclose (other) == 0);
}

/* The next stream has the same address. */
static void
work_again (void)
{
    static const char *const names[] = { "again-0", "again-1", "again-2" };

    for (int i = 0; i < 3; i++) {
        Count *count = begin (names[i]);
        FILE *stream = open_file (names[i], "w");

        if (i == 2) {
            setvbuf (stream, NULL, _IOLBF, 0);
        }
        for (int j = 0; j < 10 * (i + 1); j++) {
            count->n_written += putc (j % 7 == 6 ? '\n' : 'x', stream) != EOF;
        }
        check ("close", fclose (stream) == 0);
    }
}

static void
work_with_blocks (void)
{
    Count *count = begin ("blocks");
    FILE *stream = open_file ("blocks", "w+");
    char bytes[100];

    memset (bytes, 'b', sizeof bytes);
    bytes[sizeof bytes - 1] = '\0';
    count->n_written += (long) fwrite_unlocked (bytes, 1, 50, stream);
    count->n_written += fputs_unlocked (bytes, stream) >= 0 ? 99 : 0;
    count->n_written += dprintf (fileno (stream), "%s", "direct");
    check ("flush", fflush (stream) == 0);
    rewind (stream);
    count->n_read += (long) fread_unlocked (bytes, 1, 60, stream);
    count->n_read += fgets_unlocked (bytes, 41, stream) != NULL ? 40 : 0;
    check ("open again", (stream = freopen ("/dev/null", "r", stream)) != NULL);
    check ("close", fclose (stream) == 0);
}

/* A thread ends and leaves characters. */
static void *
work_in_thread (void *stream)
{
    for (int i = 0; i < 5000; i++) {
        check ("put", putc ('t', stream) == 't');
    }
    return NULL;
}

static void
work_with_threads (void)
{
    static const char *const names[] = { "thread-0", "thread-1" };
    pthread_t threads[2];
    FILE *streams[2];

    for (int i = 0; i < 2; i++) {
        streams[i] = open_file (names[i], "w");
        begin (names[i])->n_written = 5000;
        check ("thread", pthread_create (&threads[i], NULL, work_in_thread, streams[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        check ("thread", pthread_join (threads[i], NULL) == 0 && fclose (streams[i]) == 0);
    }
}

/* The child has a copy of what its parent has put, which is not its own. */
static void
work_in_child (void)
{
    FILE *stream = open_file ("parent", "w"), *own;
    pid_t child;
    int status = 1;

    begin ("parent")->n_written = 100;
    begin ("child")->n_written = 50;
    for (int i = 0; i < 100; i++) {
        putc ('p', stream);
    }
    child = fork ();
    if (child == 0) {
        own = open_file ("child", "w");
        for (int i = 0; i < 50; i++) {
            putc ('c', own);
        }
        fclose (own);
        _exit (0);
    }
    check ("child", waitpid (child, &status, 0) == child && status == 0);
    check ("close", fclose (stream) == 0);
}

static void
work_with_standard_streams (void)
{
    char word[32], *line = NULL;
    int number, at = 0;
    size_t size = 0;
    ssize_t n;

    for (int i = 0; i < N_LINES - 1; i++) {
        check ("scanned", scanf ("%d %31s%n", &number, word, &at) == 2 && number == i);
        n_scanf++;
        n_standard_input += at;
        check ("end of line", getchar () == '\n');
        n_standard_input++;
    }
    n = getline (&line, &size, stdin);
    n_standard_input += n;
    check ("last line", n > 0 && getchar () == EOF && feof (stdin));
    free (line);
    n_getline++;
    n_printed += printf ("%d lines of %s\n", N_LINES, "standard input");
    n_printf++;
    n_printed += puts ("a line") >= 0 ? 7 : 0;
    for (int i = 0; i < 10; i++) {
        n_printed += putchar ('.') == '.';
    }
    n_printed += putchar ('\n') == '\n';
}

int
main (int argc, char **argv)
{
    folder = argv[1];
    work_with_formats ();
    work_with_lines ();
    work_with_characters ();
    work_again ();
    work_with_blocks ();
    work_with_threads ();
    work_in_child ();
    work_with_standard_streams ();
    for (int i = 0; i < n_counts; i++) {
        fprintf (stderr, "bytes %s %ld %ld\n", counts[i].name, counts[i].n_read,
                 counts[i].n_written);
    }
    n_fprintf += n_counts + 7;
    fprintf (stderr, "bytes standard_input %ld 0\n", n_standard_input);
    fprintf (stderr, "bytes standard_output 0 %ld\n", n_printed);
    fprintf (stderr, "calls printf %d\n", n_printf);
    fprintf (stderr, "calls fscanf %d\n", n_fscanf);
    fprintf (stderr, "calls scanf %d\n", n_scanf);
    fprintf (stderr, "calls getline %d\n", n_getline);
    fprintf (stderr, "calls fprintf %d\n", n_fprintf);
    return 7;
}
