/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/trace-file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int
trace_file_reserve (int fd, off_t offset, off_t size)
{
    static char zeros[PDDT_TRACE_CHUNK_SIZE]; /* never written */
    struct rlimit limit;

    if (getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
        && (rlim_t) (offset + size) > limit.rlim_cur) {
        return EFBIG; /* asking the kernel would be a SIGXFSZ */
    }
    for (off_t done = 0; done < size;) {
        size_t left = (size_t) (size - done), part = left < sizeof zeros ? left : sizeof zeros;
        ssize_t n = pwrite (fd, zeros, part, offset + done);

        if (n < 0 && errno != EINTR) {
            return errno;
        }
        done += n > 0 ? n : 0;
    }
    return 0;
}

void *
trace_file_map (int fd, off_t offset, size_t size)
{
    void *place = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

    return place == MAP_FAILED ? NULL : place;
}

static void
fill_command (struct pddt_trace_header *header)
{
    size_t size = 0;
    char *text = trace_read_whole ("/proc/self/cmdline", &size);

    if (text != NULL) {
        size = size < sizeof header->command ? size : sizeof header->command - 1;
        memcpy (header->command, text, size);
        header->command_size = (uint32_t) size;
        free (text);
    }
}

void
trace_file_get_times (uint64_t *ret_monotonic, uint64_t *ret_real)
{
    struct timespec real;

    clock_gettime (CLOCK_REALTIME, &real);
    *ret_monotonic = trace_now ();
    *ret_real = (uint64_t) real.tv_sec * 1000000000u + (uint64_t) real.tv_nsec;
}

/* The kernel gives each program that it executes other random bytes. */
static uint32_t
get_image (void)
{
    const unsigned char *bytes = (const unsigned char *) getauxval (AT_RANDOM);
    uint32_t image = 0;

    if (bytes != NULL) {
        memcpy (&image, bytes + 8, sizeof image); /* the first ones are the stack's canary */
    }
    return image;
}

/* Who executed the program has noted its process and the time; a value that was handed on is another process's. */
static uint64_t
find_start (uint64_t *ret_used_ns)
{
    char text[96], *end;
    unsigned long long time_ns, used_ns;

    if (!trace_find_setting (TRACE_STARTED_VARIABLE, text, sizeof text)
        || strtol (text, &end, 10) != (long) getpid () || *end != ':') {
        return 0;
    }
    time_ns = strtoull (end + 1, &end, 10);
    used_ns = *end == ':' ? strtoull (end + 1, &end, 10) : 0;
    *ret_used_ns = used_ns;
    return *end == '\0' ? time_ns : 0;
}

static uint64_t loaded_ns, loaded_used_ns;
static pid_t loaded_in;

__attribute__ ((constructor)) static void
note_load (void)
{
    loaded_ns = trace_now ();
    loaded_used_ns = trace_get_used ();
    loaded_in = getpid ();
}

/* Before its first event: when the program was executed and loaded. Both clocks were read one after the other. */
static void
fill_load (struct pddt_trace_header *header)
{
    uint64_t used_ns = 0, passed_ns;

    header->loaded_ns = loaded_in == getpid () ? loaded_ns : 0; /* not in the child of a fork */
    header->started_ns = header->loaded_ns != 0 ? find_start (&used_ns) : 0;
    if (header->started_ns == 0 || header->started_ns > header->loaded_ns) {
        header->started_ns = 0;
        return;
    }
    passed_ns = header->loaded_ns - header->started_ns;
    header->loading_ns = loaded_used_ns > used_ns ? loaded_used_ns - used_ns : 0;
    header->loading_ns = header->loading_ns < passed_ns ? header->loading_ns : passed_ns;
}

void
trace_file_describe (struct pddt_trace_header *header, const char *host)
{
    header->version = PDDT_TRACE_VERSION;
    header->header_size = PDDT_TRACE_HEADER_SIZE;
    header->chunk_size = PDDT_TRACE_CHUNK_SIZE;
    header->pid = (int32_t) getpid ();
    header->parent_pid = (int32_t) getppid ();
    trace_file_get_times (&header->begin_ns, &header->begin_real_ns);
    fill_load (header);
    header->image = get_image ();
    snprintf (header->host, sizeof header->host, "%s", host);
    fill_command (header);
}
