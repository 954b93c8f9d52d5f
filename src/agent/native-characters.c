/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Characters of C's streams. Recording each would cost a hundred times what it takes. Recorded are the call that
 * empties or fills the stream's buffer, which is the one that takes time, with all characters that this thread has read or
 * written there since the last one; and what is left, before the thread records something else or ends. */
#include "agent/native-io.h"
#include "agent/trace-switch.h"
#include <errno.h>

#define EXPORT __attribute__ ((visibility ("default")))

enum {
    N_RUNS = 4,
    UNBUFFERED = 0x2,
    LINES = 0x200
}; /* of glibc's _flags, which inline code has used */

int _IO_putc (int c, FILE *stream);
int _IO_getc (FILE *stream);

/* What a thread does with a stream. A copy of one stream into another has two. */
typedef struct {
    FILE *stream; /* NULL: there is none */
    const void *code;
    int64_t n; /* characters that are not recorded yet; after ungetc, less */
    uint32_t generation, file;
    int fd;
    enum native_function function;
    uint8_t kind, is_recorded;
} Run;

static __thread struct {
    Run list[N_RUNS];
    unsigned next; /* the one to be given up */
    int has_some;  /* one has characters */
} runs __attribute__ ((tls_model ("initial-exec")));

static uint32_t generation; /* of all streams; atomic */

void
native_runs_renew (void)
{
    __atomic_add_fetch (&generation, 1, __ATOMIC_RELEASE);
}

void
native_runs_forget (void)
{
    for (int i = 0; i < N_RUNS; i++) {
        runs.list[i].n = 0;
    }
    runs.has_some = 0;
}

static void
put (Run *run)
{
    struct pddt_trace_io io = {
        .fd = run->fd, .wanted = (uint64_t) run->n, .done = (uint64_t) run->n, .position = -1
    };

    native_enter (run->function, run->code);
    trace_put_with (run->kind, run->file, 0, &io, sizeof io);
    native_leave (run->function, run->code);
    run->n = 0;
}

void
native_runs_put (void)
{
    if (!runs.has_some) {
        return;
    }
    runs.has_some = 0;
    for (int i = 0; i < N_RUNS; i++) {
        if (runs.list[i].n > 0) {
            put (&runs.list[i]);
        }
    }
}

void
native_runs_end (void)
{
    int reason = errno;

    if (runs.has_some && native_go_on ()) {
        native_runs_put ();
        native_rest ();
    }
    errno = reason;
}

/* NULL: this thread has none of the stream as it is now. */
static inline Run *
find (FILE *stream, uint8_t kind)
{
    uint32_t now = __atomic_load_n (&generation, __ATOMIC_ACQUIRE);

    for (int i = 0; i < N_RUNS; i++) {
        Run *run = &runs.list[i];

        if (run->stream == stream && run->kind == kind) {
            return run->generation == now ? run : NULL;
        }
    }
    return NULL;
}

int64_t
native_runs_take_back (FILE *stream, int64_t n_read)
{
    Run *run = find (stream, READS);
    int64_t n = run != NULL && run->n < 0 ? -run->n : 0;

    n = n < n_read ? n : n_read;
    if (n > 0) {
        run->n += n;
    }
    return n > 0 ? n : 0;
}

static inline void
add (Run *run, int result)
{
    if (result != EOF && run->is_recorded) {
        run->n++;
        runs.has_some = 1;
    }
}

/* The stream's lock is not held: what another thread does meanwhile may make this wrong, and a call is recorded, or
 * is not, that should not be, or should. */
static inline int
is_full (const FILE *stream, int c)
{
    if (stream->_flags & (UNBUFFERED | LINES)) {
        return (stream->_flags & UNBUFFERED) || (unsigned char) c == '\n'
               || stream->_IO_write_ptr >= stream->_IO_buf_end;
    }
    return stream->_IO_write_ptr >= stream->_IO_write_end;
}

static inline int
is_empty (const FILE *stream)
{
    return stream->_IO_read_ptr >= stream->_IO_read_end;
}

/* run: what find has found. *ret_n: the characters that come into the record. */
static NativeCall
begin (enum native_function function, FILE *stream, Run *run, const void *code, int64_t *ret_n)
{
    NativeCall call;

    *ret_n = run != NULL ? run->n : 0;
    if (run != NULL) {
        run->n = 0;
    }
    call = native_io_begin (function, native_get_descriptor (stream), code);
    if (!call.is_recorded && run != NULL) {
        run->n = *ret_n; /* recording is off: they are still to be recorded */
    }
    return call;
}

/* Of a stream that is not recorded, too, nothing is asked until its buffer is full or empty. */
static void
begin_run (const NativeCall *call, FILE *stream, uint8_t kind)
{
    Run *run = NULL;

    for (int i = 0; i < N_RUNS && run == NULL; i++) {
        Run *other = &runs.list[i];

        run = other->stream == stream && other->kind == kind ? other : NULL;
    }
    if (run == NULL) {
        run = &runs.list[runs.next++ % N_RUNS];
    }
    if (run->n > 0) {
        return; /* only where nothing is recorded now */
    }
    *run = (Run){ .stream = stream,
                  .code = call->code,
                  .generation = __atomic_load_n (&generation, __ATOMIC_ACQUIRE),
                  .file = call->file,
                  .fd = call->fd,
                  .function = call->function,
                  .kind = kind,
                  .is_recorded = (uint8_t) call->is_recorded };
}

/* n: what begin has said */
static void
end (const NativeCall *call, FILE *stream, uint8_t kind, int64_t n, int result)
{
    int has_failed = result == EOF && call->is_recorded && ferror (stream);
    int64_t done = n + (result != EOF);
    size_t bytes = done > 0 ? (size_t) done : 0;

    native_io_end (call, kind, bytes + (result == EOF), bytes, has_failed, -1);
    begin_run (call, stream, kind);
}

#define WRAP(name, kind, stream, is_due, parameters, ...)                                      \
    EXPORT int name parameters                                                                 \
    {                                                                                          \
        Run *run = find (stream, kind);                                                        \
        NativeCall call;                                                                       \
        int64_t n;                                                                             \
        int result;                                                                            \
                                                                                               \
        if (run != NULL && !is_due) {                                                          \
            result = NATIVE_CALL (name) (__VA_ARGS__);                                         \
            add (run, result);                                                                 \
            return result;                                                                     \
        }                                                                                      \
        call = begin (NATIVE_##name, stream, run, __builtin_return_address (0), &n);           \
        result = NATIVE_CALL (name) (__VA_ARGS__);                                             \
        end (&call, stream, kind, n, result);                                                  \
        return result;                                                                         \
    }
#define WRAP_PUT(name)                                                                         \
    WRAP (name, WRITES, stream, is_full (stream, c), (int c, FILE *stream), c, stream)
#define WRAP_GET(name) WRAP (name, READS, stream, is_empty (stream), (FILE * stream), stream)
WRAP_PUT (putc)
WRAP_PUT (fputc)
WRAP_PUT (_IO_putc)
WRAP_PUT (putc_unlocked)
WRAP_PUT (fputc_unlocked)
WRAP (putchar, WRITES, stdout, is_full (stdout, c), (int c), c)
WRAP (putchar_unlocked, WRITES, stdout, is_full (stdout, c), (int c), c)
WRAP_GET (getc)
WRAP_GET (fgetc)
WRAP_GET (_IO_getc)
WRAP_GET (getc_unlocked)
WRAP_GET (fgetc_unlocked)
WRAP (getchar, READS, stdin, is_empty (stdin), (void) )
WRAP (getchar_unlocked, READS, stdin, is_empty (stdin), (void) )

/* What was read is given back, and will be read again. */
EXPORT int
ungetc (int c, FILE *stream)
{
    int result = NATIVE_CALL (ungetc) (c, stream);
    Run *run = result != EOF ? find (stream, READS) : NULL;

    if (run != NULL && run->is_recorded) {
        run->n--;
    }
    return result;
}
