/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files: open, read and write; native-streams.c has the streams above them. Recorded are regular files, block devices and
 * the three standard streams; not sockets, other pipes, shared memory, /proc, /sys and the trace itself. A file is
 * known from its opening on by its device and inode, which are read at each call: a descriptor can come to mean
 * another file without passing here. */
#include "agent/native-io.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_DESCRIPTORS = 65536, MAX_FILES = 16384, MAX_PATH = 4096 };
enum { N_EVENTS = 3 }; /* of a call: Enter, what it has done, Leave */

#define AWAIT_NS 100000000u
#define NO_FILE UINT32_MAX

/* glibc's checked forms, which no header declares without _FORTIFY_SOURCE */
int __open_2 (const char *path, int flags);
int __open64_2 (const char *path, int flags);
int __openat_2 (int folder, const char *path, int flags);
int __openat64_2 (int folder, const char *path, int flags);
ssize_t __read_chk (int fd, void *bytes, size_t size, size_t room);
ssize_t __pread_chk (int fd, void *bytes, size_t size, off_t at, size_t room);
ssize_t __pread64_chk (int fd, void *bytes, size_t size, off64_t at, size_t room);
int __dprintf_chk (int fd, int flag, const char *format, ...);
int __vdprintf_chk (int fd, int flag, const char *format, va_list arguments);

/* ---- which file ---- */

/* key: of device and inode; 0: none */
static struct {
    uint64_t key;
    uint32_t file;
} descriptors[MAX_DESCRIPTORS];

/* By the hash of the path; file: 0 until it is defined, NO_FILE where there was no room. Two files of one hash share their
 * name: with 64 bits, no program has such. */
static struct {
    uint64_t hash;
    uint32_t file;
} files[MAX_FILES];

static uint64_t
mix (uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static uint64_t
hash_text (const char *text)
{
    uint64_t hash = 14695981039346656037u;

    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char) *text) * 1099511628211u;
    }
    return hash != 0 ? hash : 1;
}

/* By the thread that has come to its path first; 0: it does not get to it. In a forked child it may not be there at all. */
static uint32_t
await_definition (const uint32_t *file)
{
    uint64_t end_ns = trace_now () + AWAIT_NS;
    uint32_t found;

    do {
        found = __atomic_load_n (file, __ATOMIC_ACQUIRE);
    } while (found == 0 && trace_now () < end_ns && sched_yield () == 0);
    return found;
}

/* The definition of a path's file, made when it is first seen; 0: there is no room. */
static uint32_t
define_file (const char *path)
{
    uint64_t hash = hash_text (path), expected;

    for (unsigned i = 0; i < MAX_FILES; i++) {
        unsigned at = (unsigned) (hash + i) % MAX_FILES;
        int is_first;
        uint32_t file;

        expected = 0;
        is_first = __atomic_compare_exchange_n (&files[at].hash, &expected, hash, 0,
                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        if (!is_first && expected != hash) {
            continue;
        }
        file = is_first ? 0 : await_definition (&files[at].file);
        if (file == 0) {
            file = trace_define_named (PDDT_TRACE_FILE, path, 0, PDDT_TRACE_INTEGER, 0);
            __atomic_store_n (&files[at].file, file != 0 ? file : NO_FILE, __ATOMIC_RELEASE);
        }
        return file != NO_FILE ? file : 0;
    }
    return 0;
}

static int
has_prefix (const char *text, const char *prefix)
{
    return *prefix != '\0' && strncmp (text, prefix, strlen (prefix)) == 0;
}

static int
is_ours_or_the_kernels (const char *path)
{
    return has_prefix (path, "/proc/") || has_prefix (path, "/sys/")
           || has_prefix (path, "/dev/shm/") || has_prefix (path, native_get_folder ());
}

static int
find_path (int fd, const struct stat *about, char *path, size_t size)
{
    static const char *const standard[] = { "standard input", "standard output",
                                            "standard error" };
    char link[32];
    ssize_t length;

    if (!S_ISREG (about->st_mode) && !S_ISBLK (about->st_mode)) {
        snprintf (path, size, "%s", standard[fd]);
        return 1;
    }
    snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink (link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* 0: its calls are not recorded. What the program has it said about the descriptor's errors is the call's. */
static int
find_file (int fd, uint32_t *ret_file)
{
    struct stat about;
    char path[MAX_PATH];
    uint64_t key;

    *ret_file = 0;
    if (fd < 0 || fd >= MAX_DESCRIPTORS || fstat (fd, &about) != 0
        || (!S_ISREG (about.st_mode) && !S_ISBLK (about.st_mode) && fd > 2)) {
        return 0;
    }
    key = mix (mix (about.st_dev, about.st_ino), about.st_mode) | 1;
    if (__atomic_load_n (&descriptors[fd].key, __ATOMIC_ACQUIRE) == key) {
        *ret_file = __atomic_load_n (&descriptors[fd].file, __ATOMIC_RELAXED);
        return *ret_file != PDDT_TRACE_UNKNOWN;
    }
    if (!find_path (fd, &about, path, sizeof path)) {
        return 0;
    }
    *ret_file = is_ours_or_the_kernels (path) ? PDDT_TRACE_UNKNOWN : define_file (path);
    __atomic_store_n (&descriptors[fd].file, *ret_file, __ATOMIC_RELAXED);
    __atomic_store_n (&descriptors[fd].key, key, __ATOMIC_RELEASE);
    return *ret_file != PDDT_TRACE_UNKNOWN;
}

/* The same without learning anything, in the middle of what this thread records. */
static int
is_wanted (int fd)
{
    struct stat about;

    return fd >= 0 && fd < MAX_DESCRIPTORS && fstat (fd, &about) == 0
           && (S_ISREG (about.st_mode) || S_ISBLK (about.st_mode) || fd <= 2)
           && (__atomic_load_n (&descriptors[fd].key, __ATOMIC_ACQUIRE) == 0
               || __atomic_load_n (&descriptors[fd].file, __ATOMIC_RELAXED)
                      != PDDT_TRACE_UNKNOWN);
}

/* It is another file's from now on, which may have got the inode of the one before, that was removed. */
static void
forget_file (int fd)
{
    if (fd >= 0 && fd < MAX_DESCRIPTORS) {
        __atomic_store_n (&descriptors[fd].key, 0, __ATOMIC_RELEASE);
    }
}

/* ---- a call ---- */

/* What a program does at its end is no reason to begin a file. */
static int
is_end (enum native_function function)
{
    return function == NATIVE_close || function == NATIVE_fclose || function == NATIVE_fflush
           || function == NATIVE_fflush_unlocked;
}

NativeCall
native_io_begin (enum native_function function, int fd, const void *code)
{
    NativeCall call = { function, 0, 0, fd, 0, code };
    int reason = errno;

    if (native_begin ()) {
        call.is_recorded = (native_has_begun () || !is_end (function))
                           && find_file (fd, &call.file);
        if (call.is_recorded) {
            native_runs_put ();
            native_enter (function, code);
        }
        native_rest ();
    } else if (native_has_interrupted (code) && is_wanted (fd)) {
        trace_lose (N_EVENTS);
    }
    errno = reason;
    return call;
}

NativeCall
native_io_begin_path (enum native_function function, const char *path, int flags,
                      const void *code)
{
    NativeCall call = { function, 0, 0, -1, flags, code };
    int reason = errno;

    if (native_begin ()) {
        call.is_recorded = path != NULL && !is_ours_or_the_kernels (path);
        if (call.is_recorded) {
            native_runs_put ();
            native_enter (function, code);
        }
        native_rest ();
    } else if (path != NULL && native_has_interrupted (code)
               && !is_ours_or_the_kernels (path)) {
        trace_lose (N_EVENTS);
    }
    errno = reason;
    return call;
}

void
native_io_end (const NativeCall *call, uint8_t kind, size_t wanted, size_t done, int has_failed,
               int64_t position)
{
    struct pddt_trace_io io = { .fd = call->fd,
                                .error = has_failed ? errno : 0,
                                .wanted = wanted,
                                .done = done,
                                .position = position };
    int reason = errno;

    if (call->is_recorded && native_go_on ()) {
        trace_put_with (kind, call->file, 0, &io, sizeof io);
        native_leave (call->function, call->code);
        native_rest ();
    }
    errno = reason;
}

/* done: bytes, or what is negative where it has failed */
static void
end (const NativeCall *call, uint8_t kind, size_t wanted, ssize_t done, int64_t position)
{
    native_io_end (call, kind, wanted, done < 0 ? 0 : (size_t) done, done < 0, position);
}

/* What has been opened may turn out to be of no interest: then the call is one without a file. */
void
native_io_end_open (NativeCall *call, int fd)
{
    int reason = errno, status;

    forget_file (fd); /* also while nothing is recorded */
    if (call->is_recorded && fd >= 0 && native_go_on ()) {
        call->fd = fd;
        if (!find_file (fd, &call->file)) {
            call->file = 0;
        }
        status = fcntl (fd, F_GETFL);
        call->flags |= status > 0 ? status : 0;
        native_rest ();
    }
    errno = reason;
    end (call, PDDT_TRACE_IO_OPEN, (size_t) call->flags, fd < 0 ? -1 : 0, -1);
}

/* ---- open and close ---- */

/* The mode is there only with these flags. */
#define TAKE_MODE(flags, mode)                                                                 \
    do {                                                                                       \
        if (((flags) &O_CREAT) != 0 || ((flags) &O_TMPFILE) == O_TMPFILE) {                    \
            va_list arguments;                                                                 \
            va_start (arguments, flags);                                                       \
            mode = (mode_t) va_arg (arguments, int);                                           \
            va_end (arguments);                                                                \
        }                                                                                      \
    } while (0)

#define WRAP_OPEN(name)                                                                        \
    __attribute__ ((visibility ("default"))) int name (const char *path, int flags, ...)       \
    {                                                                                          \
        NativeCall call = native_io_begin_path (NATIVE_##name, path, flags,                    \
                                                __builtin_return_address (0));                 \
        mode_t mode = 0;                                                                       \
        int fd;                                                                                \
                                                                                               \
        TAKE_MODE (flags, mode);                                                               \
        fd = NATIVE_CALL (name) (path, flags, mode);                                           \
        native_io_end_open (&call, fd);                                                        \
        return fd;                                                                             \
    }
WRAP_OPEN (open)
WRAP_OPEN (open64)

#define WRAP_OPEN_AT(name)                                                                     \
    __attribute__ ((visibility ("default"))) int name (int folder, const char *path,           \
                                                       int flags, ...)                         \
    {                                                                                          \
        NativeCall call = native_io_begin_path (NATIVE_##name, path, flags,                    \
                                                __builtin_return_address (0));                 \
        mode_t mode = 0;                                                                       \
        int fd;                                                                                \
                                                                                               \
        TAKE_MODE (flags, mode);                                                               \
        fd = NATIVE_CALL (name) (folder, path, flags, mode);                                   \
        native_io_end_open (&call, fd);                                                        \
        return fd;                                                                             \
    }
WRAP_OPEN_AT (openat)
WRAP_OPEN_AT (openat64)

/* A function with these parameters and arguments, the first of which is the path. */
#define WRAP_PATH(name, parameters, path, flags, ...)                                          \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        NativeCall call = native_io_begin_path (NATIVE_##name, path, flags,                    \
                                                __builtin_return_address (0));                 \
        int fd = NATIVE_CALL (name) (__VA_ARGS__);                                             \
                                                                                               \
        native_io_end_open (&call, fd);                                                        \
        return fd;                                                                             \
    }
WRAP_PATH (creat, (const char *path, mode_t mode), path, O_CREAT | O_TRUNC, path, mode)
WRAP_PATH (creat64, (const char *path, mode_t mode), path, O_CREAT | O_TRUNC, path, mode)
WRAP_PATH (__open_2, (const char *path, int flags), path, flags, path, flags)
WRAP_PATH (__open64_2, (const char *path, int flags), path, flags, path, flags)
WRAP_PATH (__openat_2, (int folder, const char *path, int flags), path, flags, folder, path,
           flags)
WRAP_PATH (__openat64_2, (int folder, const char *path, int flags), path, flags, folder, path,
           flags)

/* A function of a descriptor that answers 0 or -1. */
#define WRAP_PLAIN(name, kind)                                                                 \
    __attribute__ ((visibility ("default"))) int name (int fd)                                 \
    {                                                                                          \
        NativeCall call = native_io_begin (NATIVE_##name, fd, __builtin_return_address (0));   \
        int result = NATIVE_CALL (name) (fd);                                                  \
                                                                                               \
        end (&call, kind, 0, result, -1);                                                      \
        return result;                                                                         \
    }
WRAP_PLAIN (close, PDDT_TRACE_IO_CLOSE)
WRAP_PLAIN (fsync, PDDT_TRACE_IO_SYNC)
WRAP_PLAIN (fdatasync, PDDT_TRACE_IO_SYNC)

#define WRAP_SEEK(name, type)                                                                  \
    __attribute__ ((visibility ("default"))) type name (int fd, type offset, int whence)       \
    {                                                                                          \
        NativeCall call = native_io_begin (NATIVE_##name, fd, __builtin_return_address (0));   \
        type result = NATIVE_CALL (name) (fd, offset, whence);                                 \
                                                                                               \
        end (&call, PDDT_TRACE_IO_SEEK, (size_t) offset, result, whence);                      \
        return result;                                                                         \
    }
WRAP_SEEK (lseek, off_t)
WRAP_SEEK (lseek64, off64_t)

/* ---- read and write ---- */

static size_t
count (const struct iovec *parts, int n)
{
    size_t size = 0;

    for (int i = 0; i < n && n <= IOV_MAX; i++) {
        size += parts[i].iov_len;
    }
    return size;
}

#define WRAP_BYTES(name, kind, wanted, position, parameters, ...)                              \
    __attribute__ ((visibility ("default"))) ssize_t name parameters                           \
    {                                                                                          \
        NativeCall call = native_io_begin (NATIVE_##name, fd, __builtin_return_address (0));   \
        ssize_t n = NATIVE_CALL (name) (__VA_ARGS__);                                          \
                                                                                               \
        end (&call, kind, call.is_recorded ? (wanted) : 0, n, position);                       \
        return n;                                                                              \
    }
WRAP_BYTES (read, READS, size, -1, (int fd, void *bytes, size_t size), fd, bytes, size)
WRAP_BYTES (write, WRITES, size, -1, (int fd, const void *bytes, size_t size), fd, bytes, size)
WRAP_BYTES (pread, READS, size, at, (int fd, void *bytes, size_t size, off_t at), fd, bytes,
            size, at)
WRAP_BYTES (pread64, READS, size, at, (int fd, void *bytes, size_t size, off64_t at), fd, bytes,
            size, at)
WRAP_BYTES (pwrite, WRITES, size, at, (int fd, const void *bytes, size_t size, off_t at), fd,
            bytes, size, at)
WRAP_BYTES (pwrite64, WRITES, size, at, (int fd, const void *bytes, size_t size, off64_t at),
            fd, bytes, size, at)
WRAP_BYTES (readv, READS, count (parts, n_parts), -1,
            (int fd, const struct iovec *parts, int n_parts), fd, parts, n_parts)
WRAP_BYTES (writev, WRITES, count (parts, n_parts), -1,
            (int fd, const struct iovec *parts, int n_parts), fd, parts, n_parts)
WRAP_BYTES (preadv, READS, count (parts, n_parts), at,
            (int fd, const struct iovec *parts, int n_parts, off_t at), fd, parts, n_parts, at)
WRAP_BYTES (preadv64, READS, count (parts, n_parts), at,
            (int fd, const struct iovec *parts, int n_parts, off64_t at), fd, parts, n_parts,
            at)
WRAP_BYTES (pwritev, WRITES, count (parts, n_parts), at,
            (int fd, const struct iovec *parts, int n_parts, off_t at), fd, parts, n_parts, at)
WRAP_BYTES (pwritev64, WRITES, count (parts, n_parts), at,
            (int fd, const struct iovec *parts, int n_parts, off64_t at), fd, parts, n_parts,
            at)
WRAP_BYTES (__read_chk, READS, size, -1, (int fd, void *bytes, size_t size, size_t room), fd,
            bytes, size, room)
WRAP_BYTES (__pread_chk, READS, size, at,
            (int fd, void *bytes, size_t size, off_t at, size_t room), fd, bytes, size, at,
            room)
WRAP_BYTES (__pread64_chk, READS, size, at,
            (int fd, void *bytes, size_t size, off64_t at, size_t room), fd, bytes, size, at,
            room)

/* ---- formatted output ---- */

#define PRINT(name, code, ...)                                                                 \
    NativeCall call = native_io_begin (NATIVE_##name, fd, code);                               \
    int n = NATIVE_CALL (name) (fd, __VA_ARGS__);                                              \
    end (&call, WRITES, n > 0 ? (size_t) n : 0, n, -1)

#define WRAP_PRINT_LIST(name, parameters, ...)                                                 \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        PRINT (name, __builtin_return_address (0), __VA_ARGS__);                               \
        return n;                                                                              \
    }
WRAP_PRINT_LIST (vdprintf, (int fd, const char *format, va_list arguments), format, arguments)
WRAP_PRINT_LIST (__vdprintf_chk, (int fd, int flag, const char *format, va_list arguments),
                 flag, format, arguments)

#define WRAP_PRINT(name, with_list, parameters, ...)                                           \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        va_list arguments;                                                                     \
                                                                                               \
        va_start (arguments, format);                                                          \
        PRINT (with_list, __builtin_return_address (0), __VA_ARGS__, arguments);               \
        va_end (arguments);                                                                    \
        return n;                                                                              \
    }
WRAP_PRINT (dprintf, vdprintf, (int fd, const char *format, ...), format)
WRAP_PRINT (__dprintf_chk, __vdprintf_chk, (int fd, int flag, const char *format, ...), flag,
            format)
