/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C's streams, but for single characters (native-characters.c). Bytes are those that the program gives or gets, whatever the
 * file has had to give or take for them. The C library's own calls do not pass here, so that each byte counts once. Streams
 * of wide characters pass where they are opened and closed alone. */
#include "agent/native-io.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef fread_unlocked /* macros of the C library's headers */
#undef fwrite_unlocked
#define EXPORT __attribute__ ((visibility ("default")))
#define CALLER __builtin_return_address (0)

/* glibc's checked forms, which no header declares without _FORTIFY_SOURCE */
char *__fgets_chk (char *text, size_t room, int size, FILE *stream);
char *__fgets_unlocked_chk (char *text, size_t room, int size, FILE *stream);
int __printf_chk (int flag, const char *format, ...);
int __vprintf_chk (int flag, const char *format, va_list arguments);
int __fprintf_chk (FILE *stream, int flag, const char *format, ...);
int __vfprintf_chk (FILE *stream, int flag, const char *format, va_list arguments);
size_t __fread_chk (void *bytes, size_t room, size_t size, size_t n, FILE *stream);
size_t __fread_unlocked_chk (void *bytes, size_t room, size_t size, size_t n, FILE *stream);

int
native_get_descriptor (FILE *stream)
{
    int reason = errno, fd = stream != NULL ? fileno (stream) : -1;

    errno = reason;
    return fd;
}

static NativeCall
begin (enum native_function function, FILE *stream, const void *code)
{
    return native_io_begin (function, native_get_descriptor (stream), code);
}

/* done: bytes; negative: none */
static void
end_write (const NativeCall *call, FILE *stream, size_t wanted, int64_t done, int has_failed)
{
    native_io_end (call, WRITES, wanted, done > 0 ? (size_t) done : 0, has_failed, -1);
}

/* What the program had given back is not counted again. */
static void
end_read (const NativeCall *call, FILE *stream, size_t wanted, int64_t done, int has_failed)
{
    if (call->is_recorded) {
        done -= native_runs_take_back (stream, done);
    }
    native_io_end (call, READS, wanted, done > 0 ? (size_t) done : 0, has_failed, -1);
}

/* ---- open, flush and close ---- */

#define WRAP_OPEN(name)                                                                        \
    EXPORT FILE *name (const char *path, const char *mode)                                     \
    {                                                                                          \
        NativeCall call = native_io_begin_path (NATIVE_##name, path, 0, CALLER);               \
        FILE *stream = NATIVE_CALL (name) (path, mode);                                        \
                                                                                               \
        native_io_end_open (&call, native_get_descriptor (stream));                            \
        return stream;                                                                         \
    }
WRAP_OPEN (fopen)
WRAP_OPEN (fopen64)

#define WRAP_OPEN_AGAIN(name)                                                                  \
    EXPORT FILE *name (const char *path, const char *mode, FILE *stream)                       \
    {                                                                                          \
        NativeCall call = native_io_begin_path (NATIVE_##name, path, 0, CALLER);               \
        FILE *result;                                                                          \
                                                                                               \
        native_runs_renew ();                                                                  \
        result = NATIVE_CALL (name) (path, mode, stream);                                      \
        native_io_end_open (&call, native_get_descriptor (result));                            \
        return result;                                                                         \
    }
WRAP_OPEN_AGAIN (freopen)
WRAP_OPEN_AGAIN (freopen64)

EXPORT int
fclose (FILE *stream)
{
    NativeCall call = begin (NATIVE_fclose, stream, CALLER);
    int result;

    native_runs_renew ();
    result = NATIVE_CALL (fclose) (stream);
    native_io_end (&call, PDDT_TRACE_IO_CLOSE, 0, 0, result != 0, -1);
    return result;
}

/* Something goes to the kernel, and it is known which file that is for. */
static int
is_flushed (const FILE *stream)
{
    return stream != NULL && stream->_IO_write_ptr > stream->_IO_write_base;
}

/* C++'s streams flush standard output whenever they read. */
#define WRAP_FLUSH(name)                                                                       \
    EXPORT int name (FILE *stream)                                                             \
    {                                                                                          \
        NativeCall call;                                                                       \
        int result;                                                                            \
                                                                                               \
        if (!is_flushed (stream)) {                                                            \
            return NATIVE_CALL (name) (stream);                                                \
        }                                                                                      \
        call = begin (NATIVE_##name, stream, CALLER);                                          \
        result = NATIVE_CALL (name) (stream);                                                  \
        native_io_end (&call, PDDT_TRACE_IO_SYNC, 0, 0, result != 0, -1);                      \
        return result;                                                                         \
    }
WRAP_FLUSH (fflush)
WRAP_FLUSH (fflush_unlocked)

/* ---- blocks ---- */

#define WRAP_BLOCKS(name, end, parameters, ...)                                                \
    EXPORT size_t name parameters                                                              \
    {                                                                                          \
        NativeCall call = begin (NATIVE_##name, stream, CALLER);                               \
        size_t done = NATIVE_CALL (name) (__VA_ARGS__);                                        \
        int has_failed = done < n && call.is_recorded && ferror (stream);                      \
                                                                                               \
        end (&call, stream, size *n, (int64_t) (size * done), has_failed);                     \
        return done;                                                                           \
    }
WRAP_BLOCKS (fread, end_read, (void *bytes, size_t size, size_t n, FILE *stream), bytes, size,
             n, stream)
WRAP_BLOCKS (fread_unlocked, end_read, (void *bytes, size_t size, size_t n, FILE *stream),
             bytes, size, n, stream)
WRAP_BLOCKS (__fread_chk, end_read,
             (void *bytes, size_t room, size_t size, size_t n, FILE *stream), bytes, room, size,
             n, stream)
WRAP_BLOCKS (__fread_unlocked_chk, end_read,
             (void *bytes, size_t room, size_t size, size_t n, FILE *stream), bytes, room, size,
             n, stream)
WRAP_BLOCKS (fwrite, end_write, (const void *bytes, size_t size, size_t n, FILE *stream), bytes,
             size, n, stream)
WRAP_BLOCKS (fwrite_unlocked, end_write,
             (const void *bytes, size_t size, size_t n, FILE *stream), bytes, size, n, stream)

/* ---- lines ---- */

#define WRAP_LINE(name, parameters, ...)                                                       \
    EXPORT char *name parameters                                                               \
    {                                                                                          \
        NativeCall call = begin (NATIVE_##name, stream, CALLER);                               \
        char *line = NATIVE_CALL (name) (__VA_ARGS__);                                         \
        int has_failed = line == NULL && call.is_recorded && ferror (stream);                  \
                                                                                               \
        end_read (&call, stream, size > 0 ? (size_t) size - 1 : 0,                             \
                  line != NULL && call.is_recorded ? (int64_t) strlen (line) : 0, has_failed); \
        return line;                                                                           \
    }
WRAP_LINE (fgets, (char *text, int size, FILE *stream), text, size, stream)
WRAP_LINE (fgets_unlocked, (char *text, int size, FILE *stream), text, size, stream)
WRAP_LINE (__fgets_chk, (char *text, size_t room, int size, FILE *stream), text, room, size,
           stream)
WRAP_LINE (__fgets_unlocked_chk, (char *text, size_t room, int size, FILE *stream), text, room,
           size, stream)

#define WRAP_LONG_LINE(name, parameters, ...)                                                  \
    EXPORT ssize_t name parameters                                                             \
    {                                                                                          \
        NativeCall call = begin (NATIVE_##name, stream, CALLER);                               \
        ssize_t n = NATIVE_CALL (name) (__VA_ARGS__);                                          \
                                                                                               \
        end_read (&call, stream, n > 0 ? (size_t) n : 0, n,                                    \
                  n < 0 && call.is_recorded && !feof (stream));                                \
        return n;                                                                              \
    }
WRAP_LONG_LINE (getline, (char **text, size_t *size, FILE *stream), text, size, stream)
WRAP_LONG_LINE (getdelim, (char **text, size_t *size, int end_of_line, FILE *stream), text,
                size, end_of_line, stream)

/* What headers make of getline. */
EXPORT ssize_t
__getdelim (char **text, size_t *size, int end_of_line, FILE *stream)
{
    NativeCall call = begin (end_of_line == '\n' ? NATIVE_getline : NATIVE_getdelim, stream,
                             CALLER);
    ssize_t n = NATIVE_CALL (__getdelim) (text, size, end_of_line, stream);

    end_read (&call, stream, n > 0 ? (size_t) n : 0, n,
              n < 0 && call.is_recorded && !feof (stream));
    return n;
}

#define WRAP_PUT_LINE(name, stream, n_more, parameters, ...)                                   \
    EXPORT int name parameters                                                                 \
    {                                                                                          \
        NativeCall call = begin (NATIVE_##name, stream, CALLER);                               \
        size_t size = call.is_recorded ? strlen (text) + n_more : 0;                           \
        int result = NATIVE_CALL (name) (__VA_ARGS__);                                         \
                                                                                               \
        end_write (&call, stream, size, result < 0 ? 0 : (int64_t) size, result < 0);          \
        return result;                                                                         \
    }
WRAP_PUT_LINE (fputs, stream, 0, (const char *text, FILE *stream), text, stream)
WRAP_PUT_LINE (fputs_unlocked, stream, 0, (const char *text, FILE *stream), text, stream)
WRAP_PUT_LINE (puts, stdout, 1, (const char *text), text)

/* ---- formatted output: all of it ends in the functions that take a list ---- */

#define PRINT(name, stream, code, ...)                                                         \
    NativeCall call = begin (NATIVE_##name, stream, code);                                     \
    int n = NATIVE_CALL (name) (__VA_ARGS__);                                                  \
    end_write (&call, stream, n > 0 ? (size_t) n : 0, n, n < 0)

#define WRAP_PRINT_LIST(name, stream, parameters, ...)                                         \
    EXPORT int name parameters                                                                 \
    {                                                                                          \
        PRINT (name, stream, CALLER, __VA_ARGS__);                                             \
        return n;                                                                              \
    }
WRAP_PRINT_LIST (vprintf, stdout, (const char *format, va_list list), format, list)
WRAP_PRINT_LIST (__vprintf_chk, stdout, (int flag, const char *format, va_list list), flag,
                 format, list)
WRAP_PRINT_LIST (vfprintf, stream, (FILE * stream, const char *format, va_list list), stream,
                 format, list)
WRAP_PRINT_LIST (__vfprintf_chk, stream,
                 (FILE * stream, int flag, const char *format, va_list list), stream, flag,
                 format, list)

#define WRAP_PRINT(name, with_list, stream, parameters, ...)                                   \
    EXPORT int name parameters                                                                 \
    {                                                                                          \
        va_list list;                                                                          \
                                                                                               \
        va_start (list, format);                                                               \
        PRINT (with_list, stream, CALLER, __VA_ARGS__, list);                                  \
        va_end (list);                                                                         \
        return n;                                                                              \
    }
WRAP_PRINT (printf, vprintf, stdout, (const char *format, ...), format)
WRAP_PRINT (__printf_chk, __vprintf_chk, stdout, (int flag, const char *format, ...), flag,
            format)
WRAP_PRINT (fprintf, vfprintf, stream, (FILE * stream, const char *format, ...), stream, format)
WRAP_PRINT (__fprintf_chk, __vfprintf_chk, stream,
            (FILE * stream, int flag, const char *format, ...), stream, flag, format)

/* ---- formatted input ---- */

/* Where a stream is before formatted input, whose result says nothing of bytes: its position, or where it has none, as a
 * pipe or terminal, what the thread has read from files by then. To ask the kernel for that takes long: a call that has
 * much ahead of it is measured by the buffer, which it fills at most once, unless it takes more than a whole one. */
enum { MUCH = 128 };
typedef struct {
    const char *at, *end;     /* of the buffer */
    int64_t position, n_read; /* negative: not known */
} Progress;

/* The kernel counts that; *ret_n_more: what this has read itself after the kernel counted. */
static int64_t
count_read (int64_t *ret_n_more)
{
    static const char word[] = "rchar: ";
    char text[512];
    int fd = NATIVE_CALL (open) ("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? NATIVE_CALL (read) (fd, text, sizeof text - 1) : -1;

    if (fd >= 0) {
        NATIVE_CALL (close) (fd);
    }
    text[length > 0 ? length : 0] = '\0';
    *ret_n_more = length;
    return strncmp (text, word, sizeof word - 1) == 0
               ? strtoll (text + sizeof word - 1, NULL, 10)
               : -1;
}

static Progress
look (const NativeCall *call, FILE *stream)
{
    Progress progress = { NULL, NULL, -1, -1 };
    int reason = errno;
    int64_t n_more;

    if (call->is_recorded) {
        progress.at = stream->_IO_read_ptr;
        progress.end = stream->_IO_read_end;
        progress.position = ftello64 (stream);
        if (progress.position < 0 && progress.end - progress.at < MUCH) {
            progress.n_read = count_read (&n_more);
            progress.n_read += progress.n_read >= 0 ? n_more : 0;
        }
    }
    errno = reason;
    return progress;
}

/* How many bytes have been taken since; errno is as it was. */
static int64_t
measure (const NativeCall *call, FILE *stream, const Progress *before)
{
    const char *at = stream->_IO_read_ptr, *end = stream->_IO_read_end;
    int reason = errno;
    int64_t n_taken = 0, n_more;

    if (!call->is_recorded) {
        return 0;
    }
    if (before->position >= 0) {
        n_taken = ftello64 (stream) - before->position;
    } else if (before->n_read >= 0) {
        n_taken = count_read (&n_more) - before->n_read + (before->end - before->at)
                  - (end - at);
    } else if (end == before->end && at >= before->at) {
        n_taken = at - before->at;
    } else {
        n_taken = before->end - before->at + (at - stream->_IO_read_base);
    }
    errno = reason;
    return n_taken;
}

/* Headers give scanf other names, by what C's standard means with some formats: the exported ones are given here. */
#define NAMED(type, name, symbol, ...)                                                         \
    EXPORT type name (__VA_ARGS__) __asm__(symbol);                                            \
    type name (__VA_ARGS__)

#define SCAN(name, like, stream, code, ...)                                                    \
    NativeCall call = begin (NATIVE_##name, stream, code);                                     \
    Progress before = look (&call, stream);                                                    \
    int n = ((__typeof__ (&like)) native_find (NATIVE_##name)) (__VA_ARGS__);                  \
    int64_t n_taken = measure (&call, stream, &before);                                        \
    end_read (&call, stream, n_taken > 0 ? (size_t) n_taken : 0, n_taken,                      \
              n == EOF && call.is_recorded && ferror (stream))

#define WRAP_SCAN(prefix)                                                                      \
    NAMED (int, on##prefix##vscanf, #prefix "vscanf", const char *format, va_list list)        \
    {                                                                                          \
        SCAN (prefix##vscanf, vscanf, stdin, CALLER, format, list);                            \
        return n;                                                                              \
    }                                                                                          \
    NAMED (int, on##prefix##vfscanf, #prefix "vfscanf", FILE *stream, const char *format,      \
           va_list list)                                                                       \
    {                                                                                          \
        SCAN (prefix##vfscanf, vfscanf, stream, CALLER, stream, format, list);                 \
        return n;                                                                              \
    }                                                                                          \
    NAMED (int, on##prefix##scanf, #prefix "scanf", const char *format, ...)                   \
    {                                                                                          \
        va_list list;                                                                          \
                                                                                               \
        va_start (list, format);                                                               \
        SCAN (prefix##vscanf, vscanf, stdin, CALLER, format, list);                            \
        va_end (list);                                                                         \
        return n;                                                                              \
    }                                                                                          \
    NAMED (int, on##prefix##fscanf, #prefix "fscanf", FILE *stream, const char *format, ...)   \
    {                                                                                          \
        va_list list;                                                                          \
                                                                                               \
        va_start (list, format);                                                               \
        SCAN (prefix##vfscanf, vfscanf, stream, CALLER, stream, format, list);                 \
        va_end (list);                                                                         \
        return n;                                                                              \
    }
WRAP_SCAN ()
WRAP_SCAN (__isoc99_)
WRAP_SCAN (__isoc23_)
